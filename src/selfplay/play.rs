//! The rounds of a run.

use super::{
    config::{ResolvedConfig, Round},
    data::Rows,
    folder::{Folder, Place, State},
    report::{Rates, SelfPlayProgress, SelfPlayTally, Summary},
    table::{End, Table},
};
use crate::{
    contest::{LoggedGame, LoggedOpening, Resigned, Scoring},
    engine::Engine,
    error::{Error, Result},
    forest,
    host::{Instant, parallel::in_tasks},
    rules::{Game, Player, Position, rules_of},
    search::{Budget, RootCounts, Search},
};
use std::{ops::ControlFlow, time::Duration};

/// The greatest loss of a run that is killed.
const BETWEEN_STATES: Duration = Duration::from_secs(20);

/// Games in progress, and the results of others.
pub struct Run<G: Game> {
    resolved: ResolvedConfig,
    game: G,
    folder: Folder,
    state: State,
    /// [place]: the position that is searched; where all games are over, the last position of the last one.
    positions: Vec<Position<G>>,
    tables: Vec<Option<Table>>,
    /// [place]: the positions of the rows of the game in progress.
    seen: Vec<Vec<(G::State, Player)>>,
    /// Rows and lines of finished games that are not in a file yet.
    rows: Rows,
    lines: String,
    clock: Clock,
}

/// The time of a call.
struct Clock {
    began: Instant,
    searching: Duration,
    /// The tally before the call.
    before: SelfPlayTally,
}

impl Clock {
    fn new(before: SelfPlayTally) -> Self {
        Self { began: Instant::now(), searching: Duration::ZERO, before }
    }

    fn rates(&self, now: &SelfPlayTally) -> Rates {
        let seconds = self.began.elapsed().as_secs_f64();
        let rate = |now: u64, before: u64| (now - before) as f64 / seconds.max(1e-9);
        Rates {
            seconds,
            search_seconds: self.searching.as_secs_f64(),
            games_per_second: rate(now.games, self.before.games),
            positions_per_second: rate(now.searches, self.before.searches),
        }
    }
}

/// A game that has ended.
struct Ended {
    table: Table,
    moves: usize,
    end: End,
    line: String,
    rows: Rows,
}

impl<G: Game> Run<G> {
    /// Restores the games in progress.
    ///
    /// # Errors
    /// Bad input if the state has moves that are illegal in the game.
    pub fn new(
        resolved: ResolvedConfig,
        game: G,
        (folder, mut state, rows): (Folder, State, Rows),
    ) -> Result<Self> {
        let (mut positions, mut tables, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        for Place { moves, table } in std::mem::take(&mut state.places) {
            let mut position = Position::start(&game);
            seen.push(replay(&mut position, &moves, table.as_ref())?);
            positions.push(position);
            tables.push(table);
        }
        let clock = Clock::new(state.tally);
        Ok(Self { resolved, game, folder, state, positions, tables, seen, rows, lines: String::new(), clock })
    }

    pub fn is_finished(&self) -> bool {
        self.state.tally.games == self.resolved.config.games
    }

    /// Plays until the games are over or the watch ends the run.
    ///
    /// # Errors
    /// As of [`run`](super::run).
    pub fn play(
        &mut self,
        engine: &Engine,
        mut watch: impl FnMut(SelfPlayProgress) -> ControlFlow<()>,
    ) -> Result<()> {
        while self.tables.len() < self.resolved.parallel as usize {
            let (table, position) = self.next_game()?;
            self.tables.push(Some(table));
            self.positions.push(position);
            self.seen.push(Vec::new());
        }
        self.save()?;
        let mut quick = self.searcher(engine, self.resolved.quick_search)?;
        let mut full = self.searcher(engine, self.resolved.search)?;
        self.clock = Clock::new(self.state.tally);
        let mut saved = Instant::now();
        while !self.is_finished() {
            let round = self.resolved.round(self.state.round);
            let search = if round.is_full { &mut full } else { &mut quick };
            let Some(found) = self.search(search, round, &mut watch)? else { break };
            self.make_moves(round, &found)?;
            if self.fills_file() || saved.elapsed() > BETWEEN_STATES {
                self.save()?;
                saved = Instant::now();
            }
        }
        self.save()
    }

    fn searcher(&self, engine: &Engine, config: forest::Config) -> Result<Search<G>> {
        let mut search = Search::with_config(engine, self.game.clone(), config)?;
        search.prepare(self.positions.len(), Budget::steps(self.resolved.config.steps))?;
        Ok(search)
    }

    /// The next game that has not begun.
    fn next_game(&mut self) -> Result<(Table, Position<G>)> {
        let number = self.state.next_game;
        self.state.next_game += 1;
        Table::begin(&self.resolved, &self.game, number)
    }

    /// Searches all positions; `None` if the watch ends the run.
    fn search(
        &mut self,
        search: &mut Search<G>,
        round: Round,
        watch: &mut impl FnMut(SelfPlayProgress) -> ControlFlow<()>,
    ) -> Result<Option<Vec<RootCounts>>> {
        let states: Vec<_> =
            self.positions.iter().map(|position| (position.state().clone(), position.turn())).collect();
        self.game.look_ahead(&states);
        let (tally, of_games, clock) = (self.state.tally, self.resolved.config.games, &self.clock);
        let (began, mut is_left) = (Instant::now(), false);
        let found = search.counts(&self.positions, (round.seed, Budget::steps(round.steps)), |_| {
            let flow = watch(SelfPlayProgress { tally, of_games, rates: clock.rates(&tally) });
            is_left |= flow.is_break();
            flow
        })?;
        self.clock.searching += began.elapsed();
        if found.iter().any(|found| found.is_full) {
            return Err(Error::invalid(
                "trees are full, and the games would depend on the memory: give more memory, or fewer games side by \
                 side or steps",
            ));
        }
        Ok((!is_left).then_some(found))
    }

    /// A move in each game; new games take the places of those that end.
    fn make_moves(&mut self, round: Round, found: &[RootCounts]) -> Result<()> {
        let (resolved, game) = (&self.resolved, &self.game);
        let places = self.tables.iter_mut().zip(&mut self.positions).zip(&mut self.seen).zip(found);
        let ended = in_tasks(places.collect(), 1..=usize::MAX, &|(((place, position), seen), found)| {
            let Some(table) = place else { return Ok(None) };
            seen.extend(round.is_full.then(|| (position.state().clone(), position.turn())));
            let Some(end) = table.play(resolved, round, position, found)? else { return Ok(None) };
            place.take().map(|table| Ended::new(resolved, position, (table, seen), end)).transpose()
        });
        let ended = ended.into_iter().collect::<Result<Vec<_>>>()?;
        if let Some(error) = game.rules_error() {
            return Err(error);
        }
        self.state.tally.searches +=
            (self.tables.iter().flatten().count() + ended.iter().flatten().count()) as u64;
        self.state.tally.full_rounds += u64::from(round.is_full);
        self.state.round += 1;
        // Rules that run on a device compute the planes of all positions at once.
        let (mut new_rows, mut seen) = (Rows::default(), Vec::new());
        for (place, ended) in ended.into_iter().enumerate() {
            let Some(Ended { table, moves, end, line, rows }) = ended else { continue };
            self.state.tally.add(&table, moves, end);
            self.lines += &line;
            new_rows.append(rows);
            seen.append(&mut self.seen[place]);
            if self.state.next_game < self.resolved.config.games {
                let (table, position) = self.next_game()?;
                (self.tables[place], self.positions[place]) = (Some(table), position);
            }
        }
        new_rows.add_planes(&self.game, &seen)?;
        self.rows.append(new_rows);
        Ok(())
    }

    /// Whether the rows fill a file.
    fn fills_file(&self) -> bool {
        let is_last = self.is_finished() && self.rows.len() > 0;
        is_last || self.rows.len() >= self.resolved.config.rows_per_file as usize
    }

    /// Writes the state.
    fn save(&mut self) -> Result<()> {
        let places = self.positions.iter().zip(&self.tables);
        let place = |(position, table): (&Position<G>, &Option<Table>)| Place {
            moves: position.moves().to_vec(),
            table: table.clone(),
        };
        self.state.places = if self.is_finished() { Vec::new() } else { places.map(place).collect() };
        let fills = self.fills_file();
        let ResolvedConfig { net, .. } = &self.resolved;
        let metadata = [
            ("net", net.clone()),
            ("seed", self.resolved.seed().to_string()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        let to_bytes = |rows: &Rows| rows.to_bytes(&self.game, &metadata);
        self.folder.save(&mut self.state, &mut self.lines, (&mut self.rows, fills), to_bytes)
    }

    /// The summary of the run.
    pub fn summary(&self, engine: &Engine, was_finished: bool) -> Summary {
        let (net, tally) = (engine.network(), self.state.tally);
        Summary {
            version: env!("CARGO_PKG_VERSION").into(),
            engine: engine.info(),
            game: self.game.name().into(),
            net: net.map(|net| net.name().into()),
            net_digest: net.map(|_| self.resolved.net.clone()),
            seed: self.resolved.seed(),
            steps: self.resolved.config.steps,
            parallel: self.resolved.parallel,
            finished: self.is_finished(),
            was_finished,
            rounds: self.state.round,
            files: self.state.files,
            tally,
            mean_length: tally.mean_length(),
            rates: self.clock.rates(&tally),
        }
    }
}

impl Ended {
    /// `seen` are the positions of the rows.
    fn new<G: Game>(
        resolved: &ResolvedConfig,
        position: &Position<G>,
        (table, seen): (Table, &[(G::State, Player)]),
        end: End,
    ) -> Result<Self> {
        let rows = Rows::of_game(table.number, &table.rows, seen.iter().map(|(_, turn)| *turn), end.result);
        let line =
            serde_json::to_string(&logged(resolved, position, &table, end)).map_err(Error::invalid)? + "\n";
        Ok(Self { moves: position.moves().len(), table, end, line, rows })
    }
}

/// Plays moves from the start of a game; returns the positions of its rows.
fn replay<G: Game>(
    position: &mut Position<G>,
    moves: &[u32],
    table: Option<&Table>,
) -> Result<Vec<(G::State, Player)>> {
    let mut seen = Vec::new();
    let mut plies =
        table.into_iter().flat_map(|table| &table.rows).map(|row| usize::from(row.ply)).peekable();
    for (ply, &action) in moves.iter().enumerate() {
        seen.extend(plies.next_if_eq(&ply).map(|_| (position.state().clone(), position.turn())));
        position.play(action)?;
    }
    Ok(seen)
}

/// A game as a line of a log of matches: by two players of one name, whose reports were not kept.
fn logged<G: Game>(resolved: &ResolvedConfig, position: &Position<G>, table: &Table, end: End) -> LoggedGame {
    let (game, moves) = (position.game(), position.moves());
    let name = if resolved.net == "none" { "playouts".to_owned() } else { format!("net {}", resolved.net) };
    let player = format!("default:steps={}", resolved.config.steps);
    let opening = LoggedOpening { number: table.number + 1, moves: table.opening };
    LoggedGame {
        version: env!("CARGO_PKG_VERSION").into(),
        game: game.name().into(),
        rules: rules_of(game),
        game_number: table.number,
        first: name.clone(),
        second: name,
        first_player: player.clone(),
        second_player: player,
        first_idle: Vec::new(),
        second_idle: Vec::new(),
        opening: (table.opening > 0).then_some(opening),
        moves: position.move_names(),
        result: end.result,
        fault: None,
        resigned: end.resigned.map(|by| Resigned { by, seconds: 0.0, report: None }),
        scoring: Scoring::usual(game),
        dead: Vec::new(),
        seconds: vec![None; moves.len()],
        reports: vec![None; moves.len()],
    }
}
