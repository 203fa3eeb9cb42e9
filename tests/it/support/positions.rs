//! Root positions of every kind, found by random play.

use mcts_wgpu::{
    Game, Outcome, Player, Position,
    games::{Connect4, Go, Gomoku},
};
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

#[track_caller]
pub fn connect4_of(rows: u32, columns: u32) -> Connect4 {
    Connect4::new(rows, columns).expect("the stand exists")
}

#[track_caller]
pub fn gomoku_of(size: u32) -> Gomoku {
    Gomoku::new(size).expect("the board exists")
}

#[track_caller]
pub fn go_of(size: u32, komi: f32) -> Go {
    Go::new(size, komi).expect("the board exists")
}

/// The position after moves from the start.
#[track_caller]
pub fn position_after<G: Game>(game: &G, moves: &[impl AsRef<str>]) -> Position<G> {
    Position::from_moves(game, moves).expect("the moves are legal")
}

/// The position of a board.
#[track_caller]
pub fn position_of<G: Game>(game: &G, rows: &[&str], turn: Player) -> Position<G> {
    Position::from_board(game, rows, turn).expect("a board of the game")
}

/// A stream of random games.
pub struct RandomGames<G: Game> {
    game: G,
    random: Pcg64,
}

impl<G: Game> RandomGames<G> {
    pub fn new(game: &G, seed: u64) -> Self {
        Self { game: game.clone(), random: Pcg64::seed_from_u64(seed) }
    }

    /// A whole random game; the actions lead from the start to its end.
    fn game(&mut self) -> Position<G> {
        let mut position = Position::start(&self.game);
        while position.outcome().is_none() {
            let legal = position.legal_actions();
            let action = legal[self.random.next_u32() as usize % legal.len()];
            position.play(action).expect("the action is legal");
        }
        position
    }

    fn replay(&self, actions: &[u32]) -> Position<G> {
        let mut position = Position::start(&self.game);
        actions.iter().for_each(|&action| position.play(action).expect("the action is legal"));
        position
    }

    /// A finished game.
    pub fn finished(&mut self) -> Position<G> {
        self.game()
    }

    /// A game with an outcome that suits, `plies` actions before its end.
    fn before(&mut self, plies: usize, suits: impl Fn(Outcome) -> bool) -> Position<G> {
        loop {
            let end = self.game();
            if end.moves().len() >= plies && end.outcome().is_some_and(&suits) {
                return self.replay(&end.moves()[..end.moves().len() - plies]);
            }
        }
    }

    /// A game, `plies` actions before its end.
    pub fn before_the_end(&mut self, plies: usize) -> Position<G> {
        self.before(plies, |_| true)
    }

    /// A game that was won by the last action, `plies` actions before its end.
    pub fn before_a_win(&mut self, plies: usize) -> Position<G> {
        self.before(plies, |outcome| outcome != Outcome::Draw)
    }

    /// A game that ended in a draw, `plies` actions before its end.
    pub fn before_a_draw(&mut self, plies: usize) -> Position<G> {
        self.before(plies, |outcome| outcome == Outcome::Draw)
    }

    /// A position from which all continuations end in a draw, `plies` actions before the end.
    pub fn forced_draw(&mut self, plies: usize) -> Position<G> {
        loop {
            let position = self.before_a_draw(plies);
            if always_draws(&position) {
                return position;
            }
        }
    }

    /// `plies` actions into a game, or before the last action of a shorter one.
    pub fn after(&mut self, plies: usize) -> Position<G> {
        let end = self.game();
        self.replay(&end.moves()[..plies.min(end.moves().len() - 1)])
    }

    /// A random number of actions into a game.
    pub fn midgame(&mut self) -> Position<G> {
        let end = self.game();
        let plies = self.random.next_u32() as usize % end.moves().len();
        self.replay(&end.moves()[..plies])
    }
}

fn always_draws<G: Game>(position: &Position<G>) -> bool {
    match position.outcome() {
        Some(outcome) => outcome == Outcome::Draw,
        None => position.legal_actions().into_iter().all(|action| {
            let mut next = position.clone();
            next.play(action).expect("the action is legal");
            always_draws(&next)
        }),
    }
}

/// Positions in the middle of games and before their ends, one of them over: some trees are complete long before
/// others.
pub fn of_all_stages<G: Game>(game: &G) -> Vec<Position<G>> {
    let mut player = RandomGames::new(game, 31);
    let mut positions = vec![Position::start(game), player.finished(), player.midgame()];
    positions.extend([player.forced_draw(4), player.forced_draw(2)]);
    positions.extend((1..7).map(|plies| player.before_a_win(plies)));
    positions
}
