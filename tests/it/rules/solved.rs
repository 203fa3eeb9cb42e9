//! The solved outcomes of Connect 4, against plain search to the end.

use super::conformance::found;
use crate::support::{own::Mistake, prelude::*};
use mcts_wgpu::{conformance::Conformance, games::Connect4State};

/// Outcome under best play, and the plies to it if the winner hurries and the loser delays.
type Exact = (Outcome, u32);

fn exact(
    game: &Connect4,
    state: &Connect4State,
    turn: Player,
    known: &mut HashMap<[u32; 2], Exact>,
) -> Exact {
    let mut key = [0; 2];
    game.pack(state, &mut key);
    // The number of discs determines the player to move.
    if let Some(&found) = known.get(&key) {
        return found;
    }
    let mut best: Option<Exact> = None;
    for action in legal_actions(game, state, turn) {
        let mut next = *state;
        game.take_action(&mut next, turn, action);
        let (outcome, plies) = match game.compute_outcome(&next, turn.opponent(), Some(action)) {
            Some(outcome) => (outcome, 0),
            None => exact(game, &next, turn.opponent(), known),
        };
        let rank = |(outcome, plies): Exact| match outcome {
            Outcome::Draw => (1, 0),
            outcome if outcome == turn.wins() => (2, -i64::from(plies)),
            _ => (0, i64::from(plies)),
        };
        let found = (outcome, plies + 1);
        if best.is_none_or(|best| rank(found) > rank(best)) {
            best = Some(found);
        }
    }
    let best = best.expect("the game goes on");
    known.insert(key, best);
    best
}

/// Boards of odd and even heights, and of more than 32 bits: all solved outcomes are right, and no win comes later.
/// There are many: quick wins, and by the rules of follow-up draws, late wins and wins by traps.
#[test]
fn solved_outcomes_of_connect4_are_right() {
    let mut late_wins = 0;
    for (rows, columns, least, most, count) in [
        (4, 4, 5, 15, 4000),
        (5, 4, 9, 18, 4000),
        (4, 5, 9, 18, 4000),
        (6, 4, 13, 22, 8000),
        (6, 7, 31, 40, 60000),
    ] {
        let game = connect4_of(rows, columns);
        // Quick wins and losses, later ones, draws.
        let mut seen = [0; 3];
        let mut known = HashMap::new();
        for seed in 0..count {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let plies = least + seed as u32 % (most - least);
            let (state, turn) = random_position(&game, plies, &mut rng);
            // Plain search takes too long with more empty cells.
            let empty: usize = game.board_rows(&state).iter().map(|row| row.matches('.').count()).sum();
            if empty > 11 || game.compute_outcome(&state, turn, None).is_some() {
                continue;
            }
            let Some((outcome, plies)) = game.solved_outcome(&state, turn) else { continue };
            let (true_outcome, true_plies) = exact(&game, &state, turn, &mut known);
            let what = format!("{rows}x{columns}: {:?} of {turn:?}", game.board_rows(&state));
            assert_eq!(outcome, true_outcome, "{what}");
            assert!(plies >= true_plies && (plies - true_plies) % 2 == 0, "{plies}, {true_plies}: {what}");
            let kind = if outcome == Outcome::Draw { 2 } else { usize::from(plies > true_plies.max(4)) };
            seen[kind] += 1;
        }
        assert!(seen[0] > 300 && seen[2] > 30, "{rows}x{columns}: {seen:?}");
        late_wins += seen[1];
    }
    assert!(late_wins > 10, "{late_wins}");
}

/// The WGSL solves the same positions, and the suite finds differences.
#[test]
fn other_solved_outcomes_in_wgsl_are_found() {
    let found = |game: &Own<Connect4>| {
        let found = found(&Conformance::of(game).with_games(300));
        found.into_iter().map(|finding| (finding.part, finding.what)).collect::<Vec<_>>()
    };
    let stand = |rows, columns| Own::new(connect4_of(rows, columns));
    let small = || stand(5, 5);
    for (rows, columns) in [(5, 5), (4, 4), (6, 7), (7, 6), (9, 6), (10, 5), (6, 9), (6, 3), (14, 4)] {
        assert_eq!(found(&stand(rows, columns)), [], "{rows}x{columns}");
    }
    let later = found(&small().with_mistake(Mistake::Foresight));
    assert!(later[0].0 == Part::Foresight && later[0].1.contains("solved_outcome becomes"), "{later:?}");
    let assert_found = |game: Own<Connect4>, right, wrong| {
        let parts = found(&game.with_words(right, wrong));
        assert_eq!(parts.first().map(|part| part.0), Some(Part::Foresight), "{right}: {parts:?}");
    };
    for (right, wrong) in [
        ("plies + 2u", "plies + 3u"),
        ("(b & right.x) | ", ""),
        ("(rising.y & right.y) >> 3u", "(rising.y & right.y) >> 2u"),
        ("| (falling.y & right.z)", ""),
        ("(falling.x & right.z) >> 1u", "falling.x & right.z"),
        ("(rising.w & left.y) >> 1u", "rising.w & left.y"),
        ("c << 1u, d)", "c << 1u, 0u)"),
        ("a, b << 1u", "a, b"),
        ("& connect4_up(discs, 2u)", ""),
        ("!connect4_is_single(threats)", "false"),
        ("if other_cannot && ", "if "),
        ("!connect4_any(odd) && !connect4_has_line(mover | lower)", "!connect4_any(odd)"),
        ("if connect4_has_line(other | upper)", "if connect4_has_line(other | lower)"),
        ("!connect4_any(odd & ~trap)", "true"),
        ("(lower & ~mask) | trap", "(lower & ~mask)"),
    ] {
        assert_found(small(), right, wrong);
    }
    // Columns that are too high for single words.
    for (right, wrong) in [
        ("connect4_up(threes, 3u * step)", "connect4_up(threes, 2u * step)"),
        ("(connect4_up(pairs, 2u * step) & next)", "vec2<u32>(0u)"),
    ] {
        assert_found(stand(10, 5), right, wrong);
    }
}
