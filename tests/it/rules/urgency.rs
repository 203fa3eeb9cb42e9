//! Urgencies of actions, against play: wins at once, replies to threats, double threats, and cells far from all stones.

use crate::support::{
    play::{wins, wins_at_once},
    prelude::*,
};

/// Random positions that are not over.
fn positions<G: Game>(game: &G, count: u64) -> impl Iterator<Item = (G::State, Player)> {
    (0..count).filter_map(move |seed| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let plies = seed as u32 % (game.max_plies() * 3 / 4);
        let (state, turn) = random_position(game, plies, &mut rng);
        game.compute_outcome(&state, turn, None).is_none().then_some((state, turn))
    })
}

type Seen = [u32; 5];

/// `quiet` gives the urgency of actions that neither win nor prevent a win, if it can be determined.
fn assert_worth<G: Game>(
    game: &G,
    count: u64,
    quiet: impl Fn(&G::State, Player, u32) -> Option<u32>,
) -> Seen {
    let mut seen = Seen::default();
    for (state, turn) in positions(game, count) {
        for action in legal_actions(game, &state, turn) {
            let expected = if wins_at_once(game, &state, turn, action) {
                4
            } else if wins_at_once(game, &state, turn.opponent(), action) {
                3
            } else {
                let Some(urgency) = quiet(&state, turn, action) else { continue };
                urgency
            };
            let rows = game.board_rows(&state).join("\n");
            let name = game.action_name(action);
            assert_eq!(game.action_urgency(&state, turn, action), expected, "{name} for {turn:?} at\n{rows}");
            seen[expected as usize] += 1;
        }
    }
    seen
}

/// A disc under a win of the opponent's loses; all others are equal.
#[test]
fn urgencies_of_connect4_agree_with_the_replies() {
    for (rows, columns) in [(6, 7), (4, 5), (7, 8), (5, 4), (12, 4)] {
        let game = connect4_of(rows, columns);
        let seen = assert_worth(&game, 1500, |state, turn, action| {
            let mut next = *state;
            game.take_action(&mut next, turn, action);
            let on_top = game.is_action_legal(&next, turn.opponent(), action)
                && wins_at_once(&game, &next, turn.opponent(), action);
            Some(if on_top { 1 } else { 2 })
        });
        assert!(seen[0] == 0 && seen[1..].iter().all(|&count| count > 30), "{rows} x {columns}: {seen:?}");
    }
}

/// Double threats are more urgent than the rest; cells out of reach of all stones are not urgent.
#[test]
fn urgencies_of_gomoku_agree_with_the_replies() {
    let boards = [(7, 7), (9, 9), (15, 15), (17, 17), (6, 11), (17, 6)].map(|sides| (sides, false));
    for ((rows, columns), freestyle) in
        boards.into_iter().chain([(7, 7), (15, 15)].map(|sides| (sides, true)))
    {
        let game = Gomoku::rectangular(rows, columns).expect("a board").with_freestyle(freestyle);
        let count = 6000 / u64::from(rows.max(columns));
        let seen = assert_worth(&game, count, |state, turn, action| {
            // A winning cell may win in one more direction.
            if !wins(&game, state, turn).is_empty() {
                return None;
            }
            let mut next = state.clone();
            game.take_action(&mut next, turn, action);
            if wins(&game, &next, turn).len() > 1 {
                return Some(2);
            }
            let board = game.board_rows(state);
            let (row, column) = ((rows - 1 - action / columns) as i32, (action % columns) as i32);
            let stone = |(up, right): (i32, i32)| {
                let (row, column) = (row + up, column + right);
                let on_board = row >= 0 && column >= 0;
                let cell = on_board.then(|| board.get(row as usize)?.chars().nth(column as usize)).flatten();
                cell.is_some_and(|cell| cell != '.')
            };
            let near = |(up, right)| [-2, -1, 1, 2].into_iter().any(|by| stone((by * up, by * right)));
            [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(near).then_some(1).or(Some(0))
        });
        let least = if rows < 15 { 50 } else { 3 };
        assert!(seen.iter().all(|&count| count > least), "{rows} x {columns} {freestyle}: {seen:?}");
    }
}

/// If nobody can win at once, a double threat wins after any reply.
#[test]
fn double_threats_win_after_any_reply() {
    let mut double = 0;
    for freestyle in [false, true] {
        let game = gomoku_of(9).with_freestyle(freestyle);
        for (state, turn) in positions(&game, 1500) {
            let is_quiet =
                [turn, turn.opponent()].iter().all(|&player| wins(&game, &state, player).is_empty());
            let threats = legal_actions(&game, &state, turn).into_iter();
            for action in threats.filter(|&action| is_quiet && game.action_urgency(&state, turn, action) == 2)
            {
                double += 1;
                let mut next = state.clone();
                game.take_action(&mut next, turn, action);
                for reply in legal_actions(&game, &next, turn.opponent()) {
                    let mut after = next.clone();
                    game.take_action(&mut after, turn.opponent(), reply);
                    let rows = game.board_rows(&after).join("\n");
                    assert!(!wins(&game, &after, turn).is_empty(), "{turn:?} does not win at\n{rows}");
                }
            }
        }
    }
    assert!(double > 30, "{double} double threats");
}
