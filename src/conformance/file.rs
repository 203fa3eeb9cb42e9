//! The check of a game file: random games, which the referee on a device follows.

use super::{Finding, Part, first_of_each};
use crate::{
    any_game::AnyGame,
    engine::Engine,
    error::Result,
    exact::rng::Stream,
    forest::{Schedule, Variant},
    game_file::{Expansion, GameFile, PlayoutView},
    rollout::{RolloutConfig, Rollouts},
    rules::{Game, MAX_URGENCY, Outcome, Player, Position, names_of, perft},
    search::{Budget, Config, Search},
};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The settings of the check of a game file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FileCheck {
    /// Random games.
    pub games: u32,
    /// The seed of game n is this plus n.
    pub seed: u64,
}

impl Default for FileCheck {
    fn default() -> Self {
        Self { games: 100, seed: 0 }
    }
}

/// The result of the check of a game file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileReport {
    /// The game's name.
    pub game: String,
    /// The file.
    pub file: String,
    /// Violations of the contract: the first of each part and adapter.
    pub findings: Vec<Finding>,
    /// Checks that an adapter could not make, with the reason. They are not findings.
    #[serde(default)]
    pub unchecked: Vec<String>,
    /// Properties that suggest a mistake but keep the contract.
    pub notices: Vec<String>,
    /// The random games.
    pub statistics: Statistics,
    /// Positions 0, 1, 2, ... plies below the start, up to a limit.
    pub perft: Vec<u64>,
}

/// Statistics of the random games.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Games that were played.
    pub games: u32,
    /// Won by the first player.
    pub first_wins: u32,
    /// Won by the second player.
    pub second_wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Plies of a game on average.
    pub mean_length: f64,
    /// Plies of the longest one.
    pub max_length: u32,
    /// Legal actions of an ongoing position on average.
    pub mean_branching: f64,
    /// The greatest number of them.
    pub max_branching: u32,
    /// Different positions.
    pub positions: usize,
    /// Words of a position that never changed.
    pub constant_words: u32,
}

/// Trees, playouts and steps of the searches that are compared.
const TREES: u32 = 2;
const PLAYOUTS: u32 = 4;
const STEPS: u64 = 20;
/// Random games of the rollouts that are compared.
const ROLLOUTS: u64 = 1000;
/// Limits of perft: leaves, about, and depth.
const MOST_LEAVES: u64 = 20_000;
const MOST_DEPTH: u32 = 8;
/// Positions whose playouts are checked.
const MOST_VIEWED: usize = 512;

pub(super) type State = Box<[u32]>;

/// A random game.
pub(super) struct Played {
    pub seed: u64,
    stream: Stream,
    pub state: State,
    turn: Player,
    pub moves: Vec<u32>,
    outcome: Option<u32>,
}

impl Played {
    /// A finding at the position after this many moves.
    pub(super) fn finding(&self, game: &GameFile, moves: usize, part: Part, what: String) -> Finding {
        let moves = names_of(game, &self.moves[..moves]);
        Finding { part, what, moves, seed: Some(self.seed), adapter: None }
    }
}

impl FileCheck {
    /// Plays the games, and compares searches and rollouts on the devices of an engine.
    ///
    /// # Errors
    /// As [`run_with`](Self::run_with).
    pub fn run(&self, game: &GameFile, engine: &Engine) -> Result<FileReport> {
        self.run_with(game, engine, |_| {})
    }

    /// [`run`](Self::run), announcing each stage to `watch`: drivers can take long to compile a large game.
    ///
    /// # Errors
    /// Cut short, if the adapter cannot evaluate the rules for a single ply; out of memory; device lost.
    pub fn run_with(
        &self,
        game: &GameFile,
        engine: &Engine,
        mut watch: impl FnMut(&str),
    ) -> Result<FileReport> {
        watch("random games");
        let mut check = Check { game, findings: Vec::new(), seen: HashSet::new(), lists: (0, 0, 0) };
        let played = check.play(self);
        check.check_playouts()?;
        check.check_planes()?;
        check.check_boards(&played);
        check.check_solved(&played);
        let statistics = check.statistics(&played);
        let mut compared = Compared { findings: check.findings, unchecked: Vec::new() };
        // With rules that break the contract, searches would end in less specific errors.
        if compared.findings.is_empty() {
            compared.compare_devices(&game.clone().into(), engine, &mut watch)?;
        }
        let Compared { mut findings, unchecked } = compared;
        match game.rules_error() {
            Some(error) if !error.is_bad_input() => return Err(error),
            Some(error) if findings.is_empty() => findings.push(Finding::general(Part::Loops, error)),
            _ => {}
        }
        watch("counting positions");
        let perft = if findings.is_empty() { counts(game)? } else { Vec::new() };
        Ok(FileReport {
            game: game.name().into(),
            file: game.file().into(),
            findings: first_of_each(findings),
            unchecked,
            notices: game.notices().iter().cloned().chain(legal_afterwards(game, &played)).collect(),
            statistics,
            perft,
        })
    }
}

pub(super) struct Check<'a> {
    pub game: &'a GameFile,
    pub findings: Vec<Finding>,
    /// Ongoing positions.
    pub seen: HashSet<(State, Player)>,
    /// Lists of legal actions: their number, their total length, the longest.
    lists: (u64, u64, u32),
}

impl Check<'_> {
    /// Plays all games side by side, ply by ply.
    fn play(&mut self, check: &FileCheck) -> Vec<Played> {
        let seeds = (0..check.games).map(|number| check.seed.wrapping_add(number.into()));
        let mut games: Vec<Played> = seeds
            .map(|seed| Played {
                seed,
                stream: Stream::seeded(seed),
                state: self.game.start(),
                turn: Player::First,
                moves: Vec::new(),
                outcome: None,
            })
            .collect();
        while games.iter().any(|game| game.outcome.is_none()) && self.game.rules_error().is_none() {
            let ongoing: Vec<_> = games.iter_mut().filter(|game| game.outcome.is_none()).collect();
            let positions: Vec<_> = ongoing.iter().map(|game| (game.state.clone(), game.turn)).collect();
            self.game.look_ahead(&positions);
            for game in ongoing {
                self.ply(game);
            }
        }
        games
    }

    /// Checks a position, and goes on from it. A game that breaks the contract is over.
    fn ply(&mut self, played: &mut Played) {
        let expansion = self.game.expansion(&played.state, played.turn);
        if let Some((part, what)) = self.objection(&expansion, played) {
            self.findings.push(played.finding(self.game, played.moves.len(), part, what));
            played.outcome = Some(0);
            return;
        }
        let count = expansion.successors.len() as u32;
        let (lists, all, longest) = self.lists;
        self.lists = (lists + 1, all + u64::from(count), longest.max(count));
        self.seen.insert((played.state.clone(), played.turn));
        let next = &expansion.successors[played.stream.pick(count) as usize];
        played.moves.push(next.action);
        played.state.clone_from(&next.state);
        played.turn = played.turn.opponent();
        played.outcome = (next.outcome != 0).then_some(next.outcome);
    }

    fn objection(&self, expansion: &Expansion, played: &Played) -> Option<(Part, String)> {
        let game = self.game;
        let odd = expansion.successors.iter().find(|next| next.outcome > Outcome::FirstWins as u32);
        if let Some(error) = game.rules_error() {
            return Some((Part::Loops, error.to_string()));
        }
        if let Some(function) = expansion.changed_by {
            let what = format!("{function} changes the position that it is given: only take_action may");
            return Some((Part::Actions, what));
        }
        if played.moves.len() >= game.max_plies() as usize {
            let what = format!("the game goes on after {} plies, its max_plies", played.moves.len());
            return Some((Part::Length, what));
        }
        if expansion.successors.is_empty() {
            let what = "the game goes on and no action is legal: add a pass, or return an outcome";
            return Some((Part::Legality, what.into()));
        }
        if let Some(wrong) = wrong_urgency(game, expansion) {
            return Some(wrong);
        }
        if let Some(next) = odd {
            let action = game.action_name(next.action);
            let what = format!(
                "compute_outcome gives {} after {action}: return ONGOING, SECOND_WINS, DRAW or FIRST_WINS",
                next.outcome
            );
            return Some((Part::Outcome, what));
        }
        let wrong =
            expansion.successors.iter().find(|next| next.outcome != 0 && !fits(next.score, next.outcome))?;
        let action = game.action_name(wrong.action);
        let what = format!(
            "compute_score gives {} after {action}, where the outcome is {}: let its sign be the outcome's, and \
             2^15 at most",
            wrong.score.unwrap_or(0),
            wrong.outcome
        );
        Some((Part::Scores, what))
    }

    /// Checks that playouts list the legal actions.
    fn check_playouts(&mut self) -> Result<()> {
        if !self.game.has_own_playout() || !self.findings.is_empty() {
            return Ok(());
        }
        let positions: Vec<_> = self.seen.iter().take(MOST_VIEWED).cloned().collect();
        let Some(views) = self.game.referee().playouts(&positions)? else { return Ok(()) };
        for ((state, turn), view) in positions.iter().zip(views) {
            let expansion = self.game.expansion(state, *turn);
            let after: Vec<_> =
                expansion.successors.iter().map(|next| (next.state.clone(), turn.opponent())).collect();
            self.game.look_ahead(&after);
            let mut expected: HashMap<(u32, u32), i64> = HashMap::new();
            for next in &expansion.successors {
                let goes_on = next.outcome == 0;
                let count = if goes_on {
                    self.game.expansion(&next.state, turn.opponent()).successors.len()
                } else {
                    0
                };
                *expected.entry((next.outcome, count as u32)).or_default() += 1;
            }
            if let Some(what) = list_difference(&view, expansion.successors.len(), expected) {
                self.findings
                    .push(Finding::general(Part::Playouts, format!("{what}, at {}", at(state, *turn))));
                break;
            }
        }
        Ok(())
    }

    /// Checks that the planes leave positions as they are, and have no bits beyond their number.
    fn check_planes(&mut self) -> Result<()> {
        let Some(planes) = self.game.planes().filter(|_| self.findings.is_empty()) else { return Ok(()) };
        let positions: Vec<_> = self.seen.iter().take(MOST_VIEWED).cloned().collect();
        for ((state, turn), view) in positions.iter().zip(self.game.referee().plane_views(&positions)?) {
            let what = if view.is_changed {
                "planes changes its position: only take_action may".into()
            } else if view.cells.iter().any(|&bits| planes.exceeded_by(bits)) {
                format!("planes has bits beyond its {} planes", planes.count)
            } else {
                continue;
            };
            self.findings.push(Finding::general(Part::Planes, format!("{what}, at {}", at(state, *turn))));
            break;
        }
        Ok(())
    }

    fn statistics(&self, played: &[Played]) -> Statistics {
        let ended = |code| played.iter().filter(|game| game.outcome == Some(code as u32)).count() as u32;
        let plies: usize = played.iter().map(|game| game.moves.len()).sum();
        let start = self.game.start();
        let constant = |word: &usize| self.seen.iter().all(|(state, _)| state[*word] == start[*word]);
        Statistics {
            games: played.len() as u32,
            first_wins: ended(Outcome::FirstWins),
            second_wins: ended(Outcome::SecondWins),
            draws: ended(Outcome::Draw),
            mean_length: plies as f64 / played.len().max(1) as f64,
            max_length: played.iter().map(|game| game.moves.len()).max().unwrap_or(0) as u32,
            mean_branching: self.lists.1 as f64 / self.lists.0.max(1) as f64,
            max_branching: self.lists.2,
            positions: self.seen.len(),
            constant_words: (0..start.len()).filter(constant).count() as u32,
        }
    }
}

/// A position as words, for people.
fn at(state: &[u32], turn: Player) -> String {
    format!("the position [{}] with {turn} to move", words(state))
}

/// The words of a position.
pub(super) fn words(state: &[u32]) -> String {
    state.iter().map(|word| format!("0x{word:x}")).collect::<Vec<_>>().join(", ")
}

/// An urgency out of range.
fn wrong_urgency(game: &GameFile, expansion: &Expansion) -> Option<(Part, String)> {
    let wrong = expansion.successors.iter().find(|next| next.urgency > MAX_URGENCY)?;
    let action = game.action_name(wrong.action);
    Some((
        Part::Pruning,
        format!("action_urgency gives more than {MAX_URGENCY} for {action}: give 0 to {MAX_URGENCY}"),
    ))
}

/// Whether the sign of a score is its outcome.
fn fits(score: Option<i32>, outcome: u32) -> bool {
    score.is_none_or(|score| score.unsigned_abs() <= 1 << 15 && score.signum() + 2 == outcome as i32)
}

/// The difference of a playout's list to the legal actions.
fn list_difference(
    view: &PlayoutView,
    legal: usize,
    mut expected: HashMap<(u32, u32), i64>,
) -> Option<String> {
    if view.count as usize != legal {
        return Some(format!(
            "the list of a playout has {} entries, but there are {legal} legal actions",
            view.count
        ));
    }
    for place in &view.places {
        let left = expected.entry(*place).or_default();
        *left -= 1;
        if *left < 0 {
            let (outcome, next) = place;
            return Some(format!(
                "a place of a playout's list leads to the outcome {outcome} and a list of {next}: no legal action does"
            ));
        }
    }
    None
}

/// A notice of actions that are legal where a game is over.
fn legal_afterwards(game: &GameFile, played: &[Played]) -> Option<String> {
    let mut over = played.iter().filter(|played| played.outcome.is_some_and(|outcome| outcome != 0));
    let allows = over.any(|played| !game.expansion(&played.state, played.turn).successors.is_empty());
    allows.then(|| "is_action_legal allows actions where the game is over; searches ignore them".into())
}

/// Counts of positions below the start.
fn counts(game: &GameFile) -> Result<Vec<u64>> {
    let start = Position::start(game);
    let mut counts = vec![1];
    for depth in 1..=MOST_DEPTH.min(game.max_plies()) {
        let leaves = perft(&start, depth)?;
        counts.push(leaves);
        let growth = leaves / counts[depth as usize - 1].max(1);
        if leaves == 0 || leaves.saturating_mul(growth) > MOST_LEAVES {
            break;
        }
    }
    Ok(counts)
}

/// The results of searches and rollouts on devices.
struct Compared {
    findings: Vec<Finding>,
    unchecked: Vec<String>,
}

impl Compared {
    /// Compares searches by both schedules and rollouts, which are the same on every device.
    fn compare_devices(
        &mut self,
        game: &AnyGame,
        engine: &Engine,
        watch: &mut impl FnMut(&str),
    ) -> Result<()> {
        for variant in [Variant::ACP_PRODIGAL, Variant::OCP_THRIFTY] {
            let mut known = None;
            for engine in engine.one_by_one() {
                for schedule in [Schedule::Staged, Schedule::Fused] {
                    let config =
                        Config { variant, schedule, trees: TREES, playouts: PLAYOUTS, ..Config::paper() };
                    let adapter = &engine.info().adapter;
                    let here = format!("the search {} ({schedule}) on {adapter}", variant.name());
                    watch(&here);
                    self.compare(&here, adapter, &mut known, searched(game, &engine, config))?;
                }
            }
        }
        let mut known = None;
        for engine in engine.one_by_one() {
            let adapter = &engine.info().adapter;
            let here = format!("rollouts on {adapter}");
            watch(&here);
            self.compare(&here, adapter, &mut known, rolled_out(game, &engine))?;
        }
        Ok(())
    }

    /// Notes a result that differs from the known one, or an error.
    fn compare(
        &mut self,
        here: &str,
        adapter: &str,
        known: &mut Option<(String, String)>,
        found: Result<String>,
    ) -> Result<()> {
        let what = match (found, &known) {
            (Err(error), _) if error.is_bad_input() || error.is_shader() => error.to_string(),
            // A limit of the adapter, or of its driver.
            (Err(error), _) if error.is_cut_short() || error.is_refused() => {
                self.unchecked.push(format!("{here}: {error}"));
                return Ok(());
            }
            (Err(error), _) => return Err(error),
            (Ok(result), None) => {
                *known = Some((here.into(), result));
                return Ok(());
            }
            (Ok(result), Some((there, other))) if result != *other => {
                format!("{here} finds {result}, and {there} finds {other}")
            }
            _ => return Ok(()),
        };
        let general = Finding::general(Part::Searches, what);
        self.findings.push(Finding { adapter: Some(adapter.into()), ..general });
        Ok(())
    }
}

fn searched(game: &AnyGame, engine: &Engine, config: Config) -> Result<String> {
    let mut search = Search::with_config(engine, game.clone(), config)?;
    Ok(search.run(&Position::start(game), Budget::steps(STEPS))?.fingerprint)
}

fn rolled_out(game: &AnyGame, engine: &Engine) -> Result<String> {
    let report = Rollouts::new(engine, game.clone(), RolloutConfig::default())?
        .run(&Position::start(game), ROLLOUTS)?;
    Ok(format!("{} : {} : {} wins and draws", report.first_wins, report.draws, report.second_wins))
}
