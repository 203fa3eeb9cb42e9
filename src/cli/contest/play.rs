//! Plays a schedule, with log, progress and notices.

use super::host::PlayerHost;
use crate::{
    cli::{
        failure::{Failure, Result},
        figure::shortened,
        options::{EngineOptions, duration, print_idle},
        output::notice,
        progress::{Progress, share},
        ranks, signals,
    },
    contest::{
        Conduct, Event, GameSchedule, Log, LoggedGame, MOST_PARALLEL, PlayerStanding, Scoring, Standings,
        Torn, percent, play_across, play_all, read_log,
        stats::{Sprt, SprtState},
    },
    names::visible,
    rules::Game,
};
use clap::{ArgAction, Args};
use std::{
    collections::HashSet,
    num::NonZeroUsize,
    ops::ControlFlow,
    path::{Path, PathBuf},
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Greatest length of a name beside a progress bar.
const SHORT: usize = 24;

/// Options of playing and logging.
#[derive(Debug, Args)]
pub struct PlayOptions {
    /// Log: each game is appended as a line of JSON when it has ended; games in the log are not played again
    ///
    /// A line has the moves, the result, and the players' reports on each move. The same command continues a match that
    /// was ended early: no finished game is lost. Only one program at a time can add to a log.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Games side by side, each with its own players [default: number of cores, or 1]
    ///
    /// In an MPI job, this is the number on each rank. The default is the number of cores if every player uses one core
    /// only (vanilla and random) and has no time limit. Otherwise it is 1, since players that share a machine are
    /// slower, and weaker within a time limit.
    #[arg(long, value_name = "N", value_parser = parse_parallel)]
    parallel: Option<NonZeroUsize>,
    /// A player that takes longer than SECONDS (and 4 % more) for a move loses the game
    #[arg(long, value_name = "SECONDS")]
    move_limit: Option<f64>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

/// How games of Go are scored.
#[derive(Debug, Args)]
pub struct ScoringOptions {
    /// Remove dead stones at the end of a game of go, as `play` and `gtp` do: chains on points that the opponent owns
    /// at the end of most playouts; without it the board is scored as it stands
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_value_t = false, default_missing_value = "true",
        action = ArgAction::Set)]
    dead_stones: bool,
}

impl ScoringOptions {
    /// The schedule with this scoring.
    pub fn apply<G: Game>(&self, schedule: GameSchedule<G>) -> GameSchedule<G> {
        if !self.dead_stones {
            return schedule;
        }
        let idle = if schedule.game().owned_points() == 0 { &["--dead-stones"][..] } else { &[] };
        print_idle("", idle, schedule.game());
        schedule.scored_by(Scoring::DeadStones)
    }
}

fn parse_parallel(text: &str) -> std::result::Result<NonZeroUsize, String> {
    let number = text.parse().ok().filter(|number: &NonZeroUsize| number.get() <= MOST_PARALLEL);
    number.ok_or_else(|| format!("give a number from 1 to {MOST_PARALLEL}"))
}

impl PlayOptions {
    fn conduct<G: Game>(&self, schedule: &GameSchedule<G>) -> Result<Conduct> {
        let mut players = schedule.players.iter().map(|player| &player.spec);
        let usual = match players.all(|spec| spec.is_on_one_core() && !spec.is_timed()) {
            true => ranks::share_of(available_parallelism().unwrap_or(NonZeroUsize::MIN)),
            false => NonZeroUsize::MIN,
        };
        let move_limit = self.move_limit.map(|limit| duration("--move-limit", limit)).transpose()?;
        Ok(Conduct { parallel: self.parallel.unwrap_or(usual), move_limit })
    }
}

/// Plays the games that are not in the log, and counts all games.
pub fn play<G: Game>(
    schedule: &GameSchedule<G>,
    options: &PlayOptions,
    sprt: Option<Sprt>,
) -> Result<Standings> {
    for player in &schedule.players {
        player.spec.check(schedule.game())?;
        print_idle(
            &format!("player '{}': ", player.spec),
            &player.spec.idle(schedule.game()),
            schedule.game(),
        );
    }
    let conduct = options.conduct(schedule)?;
    let mut count = Count::new(schedule);
    let ranks = ranks::of_job();
    let path = options.log.as_deref().filter(|_| ranks.rank() == 0);
    let mut log = path.map(|path| open_log(path, &mut count)).transpose()?;
    let left = if count.decided(sprt).is_some() { 0 } else { schedule.left(&count.noted) };
    if left == 0 && ranks.size() == 1 {
        return Ok(count.standings);
    }
    let pending = schedule.pending(std::mem::take(&mut count.noted)).take(left as usize);
    let (host, progress) = (PlayerHost::new(&options.engine), Progress::spinner("playing"));
    let mut clock = Clock { began: Instant::now(), played: 0, left };
    let observe = |event: Event<'_>| {
        if let Event::Game(game) = event {
            count.standings.add(game);
            clock.played += 1;
            tell_fault(game);
            if count.decided(sprt).is_some() {
                return ControlFlow::Break(());
            }
        }
        let share = share(clock.played, clock.left, Duration::ZERO, None);
        progress.at(share, || clock.text(&count.standings))
    };
    match ranks.size() {
        1 => play_all(schedule, pending, (&host, conduct), log.as_mut(), observe)?,
        _ => play_across(ranks, schedule, pending, (&host, conduct), log.as_mut(), observe)?,
    }
    drop(progress);
    let on = options.log.as_ref().map_or("", |_| "; the same command goes on from the log");
    signals::tell(&format!("these are the finished games{on}"));
    Ok(count.standings)
}

/// Counts the games of logs, and copies them to another log if one is given.
pub fn merge<G: Game>(schedule: &GameSchedule<G>, logs: &[PathBuf], to: Option<&Path>) -> Result<Standings> {
    let mut count = Count::new(schedule);
    let mut log = to.map(|path| open_log(path, &mut count)).transpose()?;
    for path in logs {
        let torn = read_log(path, |game| {
            count.take(&game)?;
            log.as_mut().map_or(Ok(()), |log| log.add(&game))
        })
        .map_err(|error| Failure::from(error).of(path.display()))?;
        tell_torn(path, torn, "left out");
    }
    let missing = schedule.left(&count.noted);
    if missing > 0 {
        notice(&format!("notice: {missing} of {} games are in no log", schedule.len()));
    }
    Ok(count.standings)
}

/// The state of a sequential test after the games of a match.
pub fn sprt_state(sprt: Sprt, standings: &Standings) -> SprtState {
    let [first, second] = standings.of_pair(0, 1);
    sprt.state(first + second)
}

/// The games so far.
struct Count<'a, G: Game> {
    schedule: &'a GameSchedule<G>,
    noted: HashSet<u64>,
    standings: Standings,
}

impl<'a, G: Game> Count<'a, G> {
    fn new(schedule: &'a GameSchedule<G>) -> Self {
        let names = schedule.players.iter().map(|player| (player.name.clone(), player.spec.text().into()));
        Self { schedule, noted: HashSet::new(), standings: Standings::new(names) }
    }

    /// Counts a game of a log.
    fn take(&mut self, game: &LoggedGame) -> crate::error::Result<()> {
        self.schedule.note(game, &mut self.noted)?;
        self.standings.add(game);
        Ok(())
    }

    /// The state of the test, if it has ended.
    fn decided(&self, sprt: Option<Sprt>) -> Option<SprtState> {
        sprt.map(|sprt| sprt_state(sprt, &self.standings)).filter(|state| state.verdict.is_some())
    }
}

fn open_log<G: Game>(path: &Path, count: &mut Count<'_, G>) -> Result<Log> {
    let (log, torn) = Log::open(path, |game| count.take(&game))?;
    tell_torn(path, torn, "cut off");
    let games = count.noted.len();
    if games > 0 {
        notice(&format!("notice: {} has {games} games already, which are not played again", path.display()));
    }
    Ok(log)
}

fn tell_torn(path: &Path, torn: Torn, done: &str) {
    if torn > 0 {
        notice(&format!(
            "notice: the last line of {} is incomplete, as after a killed program: its {torn} bytes are {done}",
            path.display()
        ));
    }
}

fn tell_fault(game: &LoggedGame) {
    if let Some(fault) = &game.fault {
        let name = [&game.first, &game.second][fault.by.index()];
        let (name, what) = (visible(name), visible(&fault.what));
        notice(&format!("notice: game {} is lost by fault: {name} {what}", game.game_number));
    }
}

/// Estimates the remaining time.
struct Clock {
    began: Instant,
    played: u64,
    /// Games to play at the start.
    left: u64,
}

impl Clock {
    fn text(&self, standings: &Standings) -> String {
        let rest = if self.played == 0 {
            String::new()
        } else {
            let a_game = self.began.elapsed().as_secs_f64() / self.played as f64;
            format!(", about {} left", spoken((self.left - self.played) as f64 * a_game))
        };
        let all = standings.games() - self.played + self.left;
        format!("{} of {all} games{}{rest}", standings.games(), running_score(standings))
    }
}

/// The points of a match so far, or the leader of a tournament.
fn running_score(standings: &Standings) -> String {
    let (players, _) = standings.players();
    let scored = |player: &PlayerStanding| player.score.unwrap_or(0.0);
    match &players[..] {
        _ if standings.games() == 0 => String::new(),
        [a, b] => format!(", A {} : {} B", a.points, b.points),
        _ => players.iter().max_by(|a, b| scored(a).total_cmp(&scored(b))).map_or(String::new(), |best| {
            format!(", {} leads with {}", shortened(&best.name, SHORT), percent(scored(best)))
        }),
    }
}

/// A duration in words.
pub fn spoken(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 5400.0 => format!("{:.1} h", seconds / 3600.0),
        _ if seconds >= 90.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{seconds:.0} s"),
    }
}
