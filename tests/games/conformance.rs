//! What holds for every game: one suite, run on games of several sizes.

use crate::play::{legal_actions, pick, random_position};
use mcts_wgpu::game::{Game, Outcome, Player};
use mcts_wgpu::games::{Connect4, Gomoku};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

/// The order of legal actions in playouts that a game states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Order {
    /// Listed anew before every action, ascending.
    Ascending,
    /// Ascending at first; the last entry takes the place of the one that was played.
    SwapRemove,
}

/// Rules written for clearness alone, on boards as text.
pub struct Naive {
    pub order: Order,
    /// Which lengths of a run of one player's stones win.
    pub wins: fn(usize) -> bool,
}

/// The games and sizes that the suite and the comparison with the device run on.
pub fn connect4_games() -> Vec<Connect4> {
    let sizes =
        [(6, 7), (4, 4), (1, 16), (3, 16), (31, 2), (4, 1), (6, 9), (7, 8), (8, 7), (5, 10), (9, 6), (2, 4)];
    sizes.map(|(rows, columns)| Connect4::new(rows, columns).expect("a legal size")).into()
}

pub fn gomoku_games() -> Vec<Gomoku> {
    [15, 5, 9, 14, 16, 19, 22].map(|size| Gomoku::new(size).expect("a legal size")).into()
}

pub const CONNECT4: Naive = Naive { order: Order::Ascending, wins: |run| run >= 4 };
pub const GOMOKU: Naive = Naive { order: Order::SwapRemove, wins: |run| run == 5 };

impl Naive {
    /// The outcome of a board, with nothing known about the last action.
    pub fn outcome(&self, rows: &[String]) -> Option<Outcome> {
        let cells: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
        let winner =
            [Player::First, Player::Second].into_iter().find(|player| self.has_line(&cells, *player));
        let full = cells.iter().flatten().all(|&cell| cell != '.');
        winner.map(Player::wins).or(full.then_some(Outcome::Draw))
    }

    fn has_line(&self, cells: &[Vec<char>], player: Player) -> bool {
        let owned = |row: i32, column: i32| {
            let row = usize::try_from(row).ok().and_then(|row| cells.get(row));
            let cell = usize::try_from(column).ok().and_then(|column| row?.get(column));
            cell == Some(&player.symbol())
        };
        let run = |row: i32, column: i32, step: (i32, i32)| {
            (0..).take_while(|i| owned(row + i * step.0, column + i * step.1)).count()
        };
        [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|step| {
            (0..cells.len() as i32).any(|row| {
                (0..cells[0].len() as i32).any(|column| {
                    !owned(row - step.0, column - step.1) && (self.wins)(run(row, column, step))
                })
            })
        })
    }

    /// Takes place `ordinal` out of a list of legal actions, and lists those that follow.
    fn advance<G: Game>(&self, game: &G, list: &mut Vec<u32>, ordinal: u32, state: &G::State, turn: Player) {
        match self.order {
            Order::Ascending => *list = legal_actions(game, state, turn),
            Order::SwapRemove => {
                list.swap_remove(ordinal as usize);
            }
        }
    }
}

/// Everything that holds for every position met in `games` random games.
fn conformance<G: Game>(game: &G, naive: &Naive, games: u32) {
    assert!((1..=512).contains(&game.max_actions()) && game.expansion_stride() <= 512);
    for action in 0..game.max_actions() {
        let name = game.action_name(action);
        assert_eq!(game.parse_action(&name), Some(action), "{name}");
        assert_eq!(game.parse_action(&name.to_lowercase()), Some(action), "{name}");
    }
    assert_eq!(game.parse_action(&game.action_name(game.max_actions())), None);
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(game.max_actions()));
    for round in 0..games {
        let depth = if round % 2 == 0 { 0 } else { pick(&mut rng, game.max_plies()) };
        let (state, turn) = random_position(game, depth, &mut rng);
        play_beside_rules(game, naive, state, turn, &mut rng);
    }
}

/// A playout, and beside it the same game by the rules of the tree and by the naive ones.
fn play_beside_rules<G: Game>(
    game: &G,
    naive: &Naive,
    mut state: G::State,
    mut turn: Player,
    rng: &mut Pcg64Mcg,
) {
    let mut list = legal_actions(game, &state, turn);
    let mut playout = game.playout_begin(&state, turn);
    for _ in 0..game.max_plies() {
        check_position(game, &state, turn, &list);
        let count = game.legal_actions_playout(&mut playout);
        assert_eq!(count as usize, list.len());
        let ordinal = pick(rng, count);
        let action = list[ordinal as usize];
        let outcome = game.take_action_playout(&mut playout, ordinal);
        game.take_action(&mut state, turn, action);
        turn = turn.opponent();
        assert_eq!(outcome, game.compute_outcome(&state, turn, Some(action)), "{state:?}");
        assert_eq!(outcome, game.compute_outcome(&state, turn, None), "{state:?}");
        assert_eq!(outcome, naive.outcome(&game.board_rows(&state)), "{state:?}");
        if outcome.is_some() {
            return;
        }
        naive.advance(game, &mut list, ordinal, &state, turn);
    }
    panic!("the game goes on after {} plies", game.max_plies());
}

fn check_position<G: Game>(game: &G, state: &G::State, turn: Player, list: &[u32]) {
    let mut words = vec![u32::MAX; game.state_words() as usize];
    game.pack(state, &mut words);
    assert_eq!(&game.unpack(&words), state);
    let rows = game.board_rows(state);
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    assert_eq!(&game.parse_board(&rows).expect("its own board"), state);
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    assert_eq!(sorted, legal_actions(game, state, turn));
}

#[test]
fn connect4_conforms() {
    connect4_games().iter().for_each(|game| conformance(game, &CONNECT4, 400));
}

#[test]
fn gomoku_conforms() {
    gomoku_games().iter().for_each(|game| conformance(game, &GOMOKU, 12));
}

/// The suite notices another order of the list, and another rule for lines.
#[test]
fn conformance_can_fail() {
    let fails = |check: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err();
    let ascending = Naive { order: Order::Ascending, wins: GOMOKU.wins };
    let overlines = Naive { order: Order::SwapRemove, wins: |run| run >= 5 };
    let three = Naive { order: Order::Ascending, wins: |run| run >= 3 };
    assert!(fails(&|| conformance(&Gomoku::default(), &ascending, 4)));
    assert!(fails(&|| conformance(&Gomoku::default(), &overlines, 200)));
    assert!(fails(&|| conformance(&Connect4::default(), &three, 4)));
}
