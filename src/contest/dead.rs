//! Dead stones at the end of a game of Go: those on points that playouts leave to the opponent.

use super::ending::{only_move, settling_pass, unsearched_move, winning_pass};
use crate::{
    engine::Engine,
    error::Result,
    forest::Settings,
    rollout::{RolloutConfig, RolloutReport, Rollouts},
    rules::{Game, Player, Position, RANDOM_POLICY},
    search::{ActionReport, Report},
};

/// Playouts from a board, half of them with either player to move, all from seed 0.
const GAMES: u64 = 1024;
/// A chain is dead where the opponent's share of its points less the owner's, in the mean over its stones, is greater
/// than 1 / `DEAD_FROM`. In sekis the difference is 0, give or take 3 in 100.
const DEAD_FROM: i64 = 20;

/// Finds the dead stones of finished games of Go.
///
/// All stones of a chain are dead, or none. A chain is dead where the opponent has its points more often than its
/// owner, by more than 5 in 100, at the end of 1,024 playouts from the board as it stands, half of them with either
/// player to move and each half from seed 0. The playouts are uniformly random: of 503 chains in 48 games of GNU Go
/// with itself, on 7 x 7 to 13 x 13, they found the 65 dead ones that GNU Go found. Tactical playouts, which save
/// stones in atari, missed 12. The same board gives the same dead stones on every engine.
///
/// ```
/// use mcts_wgpu::{Engine, Game, Player, Position, contest::DeadStones, games::Go};
///
/// let go = Go::new(5, 0.5)?;
/// let rows = [".X.X.", "XXXXX", "X.O.X", "XXXXX", ".X.X."]; // White can't live in the middle
/// let board = Position::from_board(&go, &rows, Player::First)?;
/// let mut dead = DeadStones::new(&Engine::cpu());
/// assert_eq!(dead.chains(&board)?, [[go.parse_action("C3").expect("a point")]]);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug)]
pub struct DeadStones<G: Game> {
    playouts: OwnerPlayouts<G>,
    left_on: bool,
}

/// Playouts that count the owners of points, with the policy that a search with these settings has.
#[derive(Debug)]
pub(crate) struct OwnerPlayouts<G: Game> {
    engine: Engine,
    settings: Settings,
    /// Compiled at the first use, and again after a change of the rules.
    rollouts: Option<Rollouts<G>>,
}

impl<G: Game> OwnerPlayouts<G> {
    pub fn new(engine: &Engine, settings: Settings) -> Self {
        Self { engine: engine.clone(), settings, rollouts: None }
    }

    /// Plays `games` playouts from an ongoing position, always the same ones.
    pub fn run(&mut self, position: &Position<G>, games: u64) -> Result<RolloutReport> {
        let rules = position.game().rules();
        let mut rollouts = match self.rollouts.take().filter(|rollouts| rollouts.game().rules() == rules) {
            Some(rollouts) => rollouts,
            None => {
                let game = self.settings.with_policy(position.game().clone())?;
                let owners = game.owned_points() > 0;
                Rollouts::new(&self.engine, game, RolloutConfig { owners, ..RolloutConfig::default() })?
            }
        };
        rollouts.begin_anew();
        let report = rollouts.run(position, games);
        self.rollouts = Some(rollouts);
        report
    }
}

impl<G: Game> DeadStones<G> {
    /// By playouts on an engine.
    pub fn new(engine: &Engine) -> Self {
        let settings = Settings { policy: Some(RANDOM_POLICY.into()), ..Settings::default() };
        Self { playouts: OwnerPlayouts::new(engine, settings), left_on: false }
    }

    /// The same, which leaves dead stones on the board at the end of a game, so that it is scored as it stands.
    #[must_use]
    pub fn left_on(self, left_on: bool) -> Self {
        Self { left_on, ..self }
    }

    /// The chains that are dead on a board, each as the actions that place its stones; none in games other than Go.
    ///
    /// # Errors
    /// As [`Rollouts::run`], and as [`Rollouts::new`] where the rules are new.
    pub fn chains(&mut self, position: &Position<G>) -> Result<Vec<Vec<u32>>> {
        let chains = position.game().chains(position.state());
        if chains.is_empty() {
            return Ok(Vec::new());
        }
        let mut owners = vec![0; position.game().owned_points() as usize];
        for player in [Player::First, Player::Second] {
            let report = self.playouts.run(&as_it_stands(position, &[], player)?, GAMES / 2)?;
            owners.iter_mut().zip(report.owners.iter().flatten()).for_each(|(sum, more)| *sum += more);
        }
        let is_dead = |(player, chain): &(Player, Vec<u32>)| {
            let sum: i64 = chain.iter().map(|&point| owners[point as usize]).sum();
            let lost = if *player == Player::First { -sum } else { sum };
            DEAD_FROM * lost > chain.len() as i64 * GAMES as i64
        };
        Ok(chains.into_iter().filter(is_dead).map(|(_, chain)| chain).collect())
    }

    /// The end of a game that both players end by passes now, with the dead stones taken off; the position itself, in
    /// games other than Go, or where they are [left on](Self::left_on).
    ///
    /// # Errors
    /// As [`chains`](Self::chains).
    pub fn settled(&mut self, position: &Position<G>) -> Result<Position<G>> {
        if self.left_on {
            return Ok(position.clone());
        }
        let dead = self.chains(position)?.concat();
        ended_without(position, &dead)
    }

    /// Whether the player to move also wins without the dead stones, if both pass now.
    fn confirms_win(&mut self, position: &Position<G>) -> Result<bool> {
        Ok(self.left_on || self.settled(position)?.outcome() == Some(position.turn().wins()))
    }

    /// The board as if the opponent had not passed, if a pass wins on the board as it stands, but not without the dead
    /// stones: a search of the position itself would choose that pass. Else `None`.
    ///
    /// # Errors
    /// As [`chains`](Self::chains).
    pub fn to_play_on(&mut self, position: &Position<G>) -> Result<Option<Position<G>>> {
        if winning_pass(position).is_none() || self.confirms_win(position)? {
            return Ok(None);
        }
        as_it_stands(position, &[], position.turn()).map(Some)
    }

    /// The move of a position that needs no search ([`unsearched_move`]), without passes that do not win with the dead
    /// stones taken off; else the position to search, or [that board](Self::to_play_on).
    pub(crate) fn at_first_sight(&mut self, position: &Position<G>, prunes: bool) -> Result<FirstSight<G>> {
        if let Some(only) = only_move(position) {
            return Ok(FirstSight::Move(only));
        }
        if let Some(board) = self.to_play_on(position)? {
            return Ok(FirstSight::Search(board));
        }
        let unsearched = unsearched_move(position, prunes);
        Ok(unsearched.map_or_else(|| FirstSight::Search(position.clone()), FirstSight::Move))
    }

    /// The action to play by the report of a search of the position, or of [that board](Self::to_play_on): the best
    /// action, or a [pass](settling_pass) that is as good. A pass that does not win with the dead stones taken off is
    /// left out, unless there is nothing else. `None` where the search has found nothing.
    ///
    /// # Errors
    /// As [`chains`](Self::chains).
    pub fn choice<'a>(
        &mut self,
        position: &Position<G>,
        report: &'a Report,
    ) -> Result<Option<&'a ActionReport>> {
        let Some(best) = &report.best else { return Ok(None) };
        let (pass, settling) = (position.game().ending_pass(), settling_pass(position, report));
        // Superko depends on earlier positions, which the searched board may lack.
        let is_legal = |action: &ActionReport| position.after(&[action.index]).is_ok();
        if settling.is_none() && Some(best.index) != pass && is_legal(best) {
            return Ok(Some(best));
        }
        if self.confirms_win(position)? {
            return Ok(settling.or(Some(best)));
        }
        let moves = report.actions.iter().filter(|action| Some(action.index) != pass && is_legal(action));
        Ok(moves.max_by_key(|action| action.n).or(Some(best)))
    }
}

/// The move of a position without a search, or the position to search.
pub(crate) enum FirstSight<G: Game> {
    /// Make this move.
    Move(u32),
    /// Search this position.
    Search(Position<G>),
}

/// The end of a game that both players end by passes now, without these stones; the position itself in games that have
/// no such pass.
///
/// # Errors
/// Bad input where the stones are not on the board.
pub(crate) fn ended_without<G: Game>(position: &Position<G>, stones: &[u32]) -> Result<Position<G>> {
    let has_owners = position.game().owned_points() > 0;
    let Some(pass) = position.game().ending_pass().filter(|_| has_owners) else {
        return Ok(position.clone());
    };
    let mut end = as_it_stands(position, stones, position.turn())?;
    while end.outcome().is_none() {
        end.play(pass)?;
    }
    Ok(end)
}

/// The position with a board's stones except some, and a player to move, without its history.
fn as_it_stands<G: Game>(position: &Position<G>, without: &[u32], turn: Player) -> Result<Position<G>> {
    let rows = position.game().board_rows(position.state());
    let bottom_up = rows.iter().rev().enumerate().map(|(row, text)| {
        let place = |column: usize| (row * text.len() + column) as u32;
        let is_off = |column| without.contains(&place(column));
        text.chars().enumerate().map(|(column, symbol)| if is_off(column) { '.' } else { symbol }).collect()
    });
    let mut rows: Vec<String> = bottom_up.collect();
    rows.reverse();
    Position::from_board(position.game(), &rows, turn)
}
