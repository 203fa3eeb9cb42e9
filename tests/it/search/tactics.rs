//! Wins in one move, and threats that one move meets: a search with a hundred leaves a tree finds them all.

use crate::support::{play::wins, prelude::*};

const POSITIONS: usize = 200;

/// The actions that win, or that stop the only win of the opponent; `None` if there is nothing to do, or no remedy.
fn solutions<G: Game>(game: &G, (state, turn): &(G::State, Player)) -> Option<Vec<u32>> {
    let [mine, theirs] = [*turn, turn.opponent()].map(|player| wins(game, state, player));
    let needed = if mine.is_empty() { theirs } else { return Some(mine) };
    (needed.len() == 1).then_some(needed)
}

fn solves_all<G: Game>(game: &G, choices: &Settings) -> usize {
    let engine = Engine::cpu();
    let config = choices.resolve(game, &engine);
    let budget = Budget::steps(100u64.div_ceil(config.leaf_batch.into()));
    let mut search = search_on(&engine, game.clone(), config);
    let tasks = (0..).filter_map(|seed| {
        let plies = 4 + seed as u32 % (game.max_plies() * 2 / 3);
        let position = random_position(game, plies, &mut Pcg64Mcg::seed_from_u64(seed));
        Some((solutions(game, &position)?, position))
    });
    let solved = tasks.take(POSITIONS).filter(|(solutions, (state, turn))| {
        let position = Position::from_state(game, state.clone(), *turn).expect("a position");
        let report = search.run(&position, budget).expect("the search runs");
        solutions.contains(&report.best.expect("an action").index)
    });
    solved.count()
}

#[test]
fn every_position_that_can_be_solved_is() {
    let choices = Settings::default();
    assert_eq!(solves_all(&Connect4::default(), &choices), POSITIONS);
    assert_eq!(solves_all(&Gomoku::default(), &choices), POSITIONS);
    // Without pruning, trees miss some: the test can fail.
    let whole = Settings { pruning: Some(false), ..choices };
    assert!(solves_all(&Gomoku::default(), &whole) < POSITIONS);
}
