//! The order of the legal actions in playouts, and lines of stones, by simple rules.

use super::conformance::{connect4_games, gomoku_games};
use crate::support::{play::pick, prelude::*};

/// The documented order of legal actions in playouts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    /// Listed anew before every action, ascending.
    Ascending,
    /// Ascending at first; the last entry takes the place of the one that was played.
    SwapRemove,
}

/// Simple rules, on boards as text.
struct Naive {
    order: Order,
    /// The lengths of winning runs of one player's stones.
    wins: fn(usize) -> bool,
}

const CONNECT4: Naive = Naive { order: Order::Ascending, wins: |run| run >= 4 };
const GOMOKU: Naive = Naive { order: Order::SwapRemove, wins: |run| run == 5 };
const FREESTYLE: Naive = Naive { order: Order::SwapRemove, wins: |run| run >= 5 };

impl Naive {
    /// The outcome of a board, without the last action.
    fn outcome(&self, rows: &[String]) -> Option<Outcome> {
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

    /// Takes place `ordinal` of a list of legal actions, and lists the next ones.
    fn advance<G: Game>(&self, game: &G, list: &mut Vec<u32>, ordinal: u32, state: &G::State, turn: Player) {
        match self.order {
            Order::Ascending => *list = legal_actions(game, state, turn),
            Order::SwapRemove => {
                list.swap_remove(ordinal as usize);
            }
        }
    }
}

/// Random games, half of which begin in the middle.
fn agrees<G: Game>(game: &G, naive: &Naive, games: u32) {
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(game.max_actions()));
    for round in 0..games {
        let depth = if round % 2 == 0 { 0 } else { pick(&mut rng, game.max_plies()) };
        let (state, turn) = random_position(game, depth, &mut rng);
        play_beside_rules(game, naive, state, turn, &mut rng);
    }
}

/// A playout beside the same game by the rules of the tree and by the simple ones.
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
        let mut sorted = list.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, legal_actions(game, &state, turn));
        let count = game.legal_actions_playout(&mut playout);
        assert_eq!(count as usize, list.len());
        let ordinal = pick(rng, count);
        let action = list[ordinal as usize];
        let outcome = game.take_action_playout(&mut playout, ordinal);
        game.take_action(&mut state, turn, action);
        turn = turn.opponent();
        assert_eq!(outcome, game.compute_outcome(&state, turn, Some(action)), "{state:?}");
        assert_eq!(outcome, naive.outcome(&game.board_rows(&state)), "{state:?}");
        if outcome.is_some() {
            return;
        }
        naive.advance(game, &mut list, ordinal, &state, turn);
    }
    panic!("the game goes on after {} plies", game.max_plies());
}

#[test]
fn connect4_lists_its_actions_in_order() {
    connect4_games().iter().for_each(|game| agrees(game, &CONNECT4, 400));
}

#[test]
fn gomoku_fills_gaps_in_its_list_with_the_last_entry() {
    for game in gomoku_games() {
        agrees(&game, if game.freestyle() { &FREESTYLE } else { &GOMOKU }, 12);
    }
}

/// Another order of the list, and another rule for lines.
#[test]
fn the_comparison_can_fail() {
    let fails = |check: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err();
    let ascending = Naive { order: Order::Ascending, wins: GOMOKU.wins };
    let three = Naive { order: Order::Ascending, wins: |run| run >= 3 };
    assert!(fails(&|| agrees(&Gomoku::default(), &ascending, 4)));
    assert!(fails(&|| agrees(&Gomoku::default(), &FREESTYLE, 200)));
    assert!(fails(&|| agrees(&Connect4::default(), &three, 4)));
}
