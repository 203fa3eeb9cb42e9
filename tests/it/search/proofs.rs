//! Proofs against exact play: published scores of Connect 4, plain minimax on small boards, alpha-beta in Othello's end
//! games. And their consequences: the best action, the end of a run.

use crate::support::{play::data, positions::RandomGames, prelude::*};
use mcts_wgpu::{
    DrawValue, ProvenValue,
    pvsplit::{Board, OthelloBoard, sequential},
};

fn config(variant: Variant, trees: u32, playouts: u32) -> Config {
    Config { variant, trees, playouts, ..Config::paper() }
}

fn batch<G: Game>(engine: &Engine, config: Config, positions: &[Position<G>], steps: u64) -> Vec<Report> {
    search_on(engine, positions[0].game().clone(), config).batch(positions, steps)
}

// --- Connect 4, against published scores -----------------------------------------------------------------------

/// A position and the exact score of every column for its mover: positive wins, 0 draws; `None` for a full column.
pub(super) struct Scored {
    pub position: Position<Connect4>,
    pub scores: Vec<Option<i32>>,
}

pub(super) fn scored(set: &str) -> Vec<Scored> {
    let game = Connect4::default();
    let file = data("connect4_scores.txt");
    let rows =
        file.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(|row| row[0] == set);
    rows.map(|row| {
        let moves: Vec<_> = row[1].bytes().map(|column| (column - b'1').to_string()).collect();
        let moves: Vec<_> = moves.iter().map(String::as_str).collect();
        let position = position_after(&game, &moves);
        Scored { position, scores: row[2].split(',').map(|score| score.parse().ok()).collect() }
    })
    .collect()
}

fn proven(score: i32) -> ProvenValue {
    match score.signum() {
        1 => ProvenValue::Win,
        0 => ProvenValue::Draw,
        _ => ProvenValue::Loss,
    }
}

/// Plies from a position to the end, by the score of its mover: the winner then has 22 - |score| discs.
fn plies(position: &Position<Connect4>, score: i32) -> u32 {
    let stones = position.moves().len() as i32;
    let first_wins = (score > 0) == (position.turn() == Player::First);
    let end = match score {
        0 => 42,
        _ => 2 * (22 - score.abs()) - i32::from(first_wins),
    };
    (end - stones) as u32
}

#[test]
fn end_games_of_connect4_are_proven_and_played_right() {
    let sets = scored("end-easy");
    assert_eq!(sets.len(), 150);
    let positions: Vec<_> = sets.iter().map(|scored| scored.position.clone()).collect();
    for variant in [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL] {
        let reports = batch(&Engine::cpu(), config(variant, 2, 2), &positions, 4000);
        // A few have more than a dozen empty cells.
        let roots = reports.iter().filter(|report| report.proven.is_some()).count();
        assert!(roots >= 145, "{variant}: only {roots} are proven");
        for (Scored { position, scores }, report) in sets.iter().zip(&reports) {
            let best = scores.iter().flatten().max().expect("there is a move");
            assert!(report.proven.is_none_or(|found| found == proven(*best)), "{variant} {report}");
            let chosen = report.best.as_ref().expect("there is a best action");
            assert_eq!(scores[chosen.index as usize].map(proven), Some(proven(*best)), "{variant} {report}");
            for action in report.actions.iter().filter(|action| action.proven.is_some()) {
                let score = scores[action.index as usize].expect("the column is free");
                assert_eq!(action.proven, Some(proven(score)), "{variant} {report}");
                let (found, exact) = (action.proven_in.expect("it is proven"), plies(position, score));
                assert!(found >= exact && (found - exact) % 2 == 0, "{variant} {found} {exact} {report}");
                let wins_at_once = action.proven == Some(ProvenValue::Win) && found == 1;
                assert_eq!(action.win_flag, wins_at_once, "{variant} {report}");
            }
        }
    }
}

// --- small boards, against plain minimax -----------------------------------------------------------------------

/// The outcome of a position under best play.
fn minimax<G: Game>(position: &Position<G>, known: &mut HashMap<(Vec<u32>, Player), Outcome>) -> Outcome {
    if let Some(outcome) = position.outcome() {
        return outcome;
    }
    let game = position.game();
    let mut state = vec![0; game.state_words() as usize];
    game.pack(position.state(), &mut state);
    let key = (state, position.turn());
    if let Some(&outcome) = known.get(&key) {
        return outcome;
    }
    let (mover, mut best) = (position.turn(), position.turn().opponent().wins());
    for action in position.legal_actions() {
        let mut next = position.clone();
        next.play(action).expect("the action is legal");
        match minimax(&next, known) {
            outcome if outcome == mover.wins() => {
                best = outcome;
                break;
            }
            Outcome::Draw => best = Outcome::Draw,
            _ => {}
        }
    }
    known.insert(key, best);
    best
}

fn of_mover(outcome: Outcome, mover: Player) -> ProvenValue {
    match outcome {
        Outcome::Draw => ProvenValue::Draw,
        outcome if outcome == mover.wins() => ProvenValue::Win,
        _ => ProvenValue::Loss,
    }
}

/// Positions `plies` before the ends of random games.
fn late<G: Game>(game: &G, seed: u64, plies: usize, count: usize) -> Vec<Position<G>> {
    let mut games = RandomGames::new(game, seed);
    (0..count).map(|_| games.before_the_end(plies)).collect()
}

/// All proofs of the positions are right, and there are at least so many.
fn check_proofs<G: Game>(reports: &[Report], positions: &[Position<G>], least: usize, what: &str) {
    let mut known = HashMap::new();
    let mut roots = 0;
    for (report, position) in reports.iter().zip(positions) {
        let mover = position.turn();
        if let Some(found) = report.proven {
            roots += 1;
            assert_eq!(found, of_mover(minimax(position, &mut known), mover), "{what} {report}");
            assert_eq!(report.best.as_ref().and_then(|best| best.proven), Some(found), "{what} {report}");
        }
        for action in &report.actions {
            let Some(found) = action.proven else { continue };
            let mut next = position.clone();
            next.play(action.index).expect("the action is legal");
            assert_eq!(found, of_mover(minimax(&next, &mut known), mover), "{what} {} {report}", action.name);
        }
    }
    assert!(roots >= least, "{what}: only {roots} of {} roots are proven", positions.len());
}

#[test]
fn proofs_of_small_boards_are_those_of_minimax() {
    let connect4 = connect4_of(4, 5);
    let gomoku = gomoku_of(5);
    let ([many, several], [most, some]) =
        if is_thorough() { ([1000, 500], [250, 60]) } else { ([250, 125], [40, 8]) };
    let (boards, fives) = (late(&connect4, 1, 9, many), late(&gomoku, 2, 7, several));
    for variant in Variant::ALL {
        let cpu = |trees| config(variant, trees, 1);
        let reports = batch(&Engine::cpu(), cpu(2), &boards, 1000);
        check_proofs(&reports, &boards, most, &format!("cpu {variant} Connect 4"));
        let reports = batch(&Engine::cpu(), cpu(1), &fives, 1000);
        check_proofs(&reports, &fives, some, &format!("cpu {variant} Gomoku"));
    }
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for (&schedule, variant) in
            cases(adapter, &SCHEDULES).zip([Variant::ACP_THRIFTY, Variant::OCP_PRODIGAL])
        {
            let config = Config { schedule, ..config(variant, 1, 1) };
            // The parity tests compare the trees of adapters with the CPU engine's: a sample shows that reports have
            // the proofs.
            let reports = batch(&engine, config, &boards[..150], 400);
            check_proofs(&reports, &boards[..150], 20, &format!("{schedule} {variant} Connect 4"));
            let reports = batch(&engine, config, &fives[..50], 200);
            check_proofs(&reports, &fives[..50], 3, &format!("{schedule} {variant} Gomoku"));
        }
    });
}

// --- Othello, against alpha-beta -------------------------------------------------------------------------------

#[test]
fn end_games_of_othello_are_those_of_alpha_beta() {
    let positions = late(&Othello, 3, 8, 40);
    let reports = batch(&Engine::cpu(), config(Variant::OCP_THRIFTY, 1, 1), &positions, 4000);
    let mut roots = 0;
    for (report, position) in reports.iter().zip(&positions) {
        let Some(found) = report.proven else { continue };
        roots += 1;
        let board = OthelloBoard::from_position(position).expect("a board");
        let exact = sequential(&board, SplitLimit::depth(64)).expect("it searches");
        assert!(exact.is_exact());
        assert_eq!(found, proven(exact.score()), "{report}");
    }
    assert!(roots >= 30, "only {roots} are proven");
}

// --- what follows ----------------------------------------------------------------------------------------------

#[test]
fn a_proven_root_ends_the_run_at_the_same_step_everywhere() {
    let game = Connect4::default();
    let positions: Vec<_> = scored("end-easy").into_iter().take(6).map(|scored| scored.position).collect();
    let found = |engine: &Engine, config: &Config| {
        let reports = search_on(engine, game.clone(), *config).batch(&positions, 100_000);
        let of = |report: &Report| {
            assert!(!report.performance.few_steps);
            (report.performance.steps, report.proven, report.proven_in, report.fingerprint.clone())
        };
        reports.iter().map(of).collect::<Vec<_>>()
    };
    for variant in [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL] {
        let config = config(variant, 3, 4);
        let expected = found(&Engine::cpu(), &config);
        assert!(expected.iter().all(|(steps, proven, ..)| steps.is_power_of_two() && proven.is_some()));
        each_adapter(|adapter| {
            for &schedule in cases(adapter, &SCHEDULES) {
                let config = Config { schedule, ..config };
                assert_eq!(found(&opened(adapter), &config), expected, "{schedule} {variant}");
            }
        });
    }
}

#[test]
fn a_proven_root_ends_a_run_that_time_limits() {
    fn proven<G: Game>(engine: &Engine, position: &Position<G>) -> Report {
        let config = config(Variant::OCP_THRIFTY, 2, 1);
        let mut search = search_on(engine, position.game().clone(), config);
        let budget = Budget::time(Duration::from_secs(3600));
        let report = search.run(position, budget).expect("the search runs");
        assert!(report.proven.is_some());
        assert_eq!(report.proven, report.principal_variation[0].proven);
        report
    }
    let position = scored("end-easy").remove(0).position;
    let mut blind = Position::start(&blind_connect4(6, 7));
    position.moves().iter().for_each(|&action| blind.play(action).expect("the action is legal"));
    each_engine(|engine| {
        let report = proven(engine, &blind);
        // The line of the proof, to the end of the game.
        assert_eq!(Some(report.principal_variation.len() as u32), report.proven_in, "{report}");
        // Or to a solved outcome.
        let report = proven(engine, &position);
        let line = report.principal_variation.len() as u32;
        assert!(report.proven_in.is_some_and(|plies| line < plies), "{report}");
    });
}

#[test]
fn reused_proofs_end_a_run_after_its_first_step() {
    let game = Connect4::default();
    let position = scored("end-easy").remove(0).position;
    each_engine(|engine| {
        let config = Config { reuse: true, ..config(Variant::ACP_PRODIGAL, 2, 1) };
        let mut search = search_on(engine, game.clone(), config);
        let first = search.steps(&position, 10_000);
        let best = first.best.as_ref().expect("there is a best action");
        let mut next = position.clone();
        next.play(best.index).expect("it is legal");
        let second = search.steps(&next, 10_000);
        if next.outcome().is_none() && second.trees_info.reused_nodes > 0 {
            assert_eq!(second.performance.steps, 1, "{second}");
            let opposite = second.proven.map(|proven| match proven {
                ProvenValue::Win => ProvenValue::Loss,
                ProvenValue::Draw => ProvenValue::Draw,
                ProvenValue::Loss => ProvenValue::Win,
            });
            assert_eq!(opposite, first.proven);
        }
    });
}

/// A node of a foreseen outcome has no children when it becomes the root.
#[test]
fn a_reused_root_whose_outcome_was_foreseen_is_searched() {
    let game = Connect4::default();
    let config = Config { reuse: true, ..config(Variant::OCP_PRODIGAL, 2, 4) };
    let games = |engine: &Engine| {
        let mut games = RandomGames::new(&game, 8);
        let mut search = search_on(engine, game.clone(), config);
        let mut found = Vec::new();
        for plies in 6..14 {
            let mut position = games.before_a_draw(plies);
            while position.outcome().is_none() {
                let report = search.steps(&position, 12);
                let best = report.best.as_ref().unwrap_or_else(|| panic!("no move: {report}"));
                position.play(best.index).expect("it is legal");
                found.push((best.index, report.fingerprint.clone()));
            }
        }
        found
    };
    let expected = games(&Engine::cpu());
    each_engine(|engine| assert_eq!(games(engine), expected));
}

#[test]
fn draws_count_half_or_nothing() {
    let game = Connect4::default();
    let drawn = RandomGames::new(&game, 5).forced_draw(4);
    each_engine(|engine| {
        for (draws, q) in [(DrawValue::Half, 0.5), (DrawValue::None, 0.0)] {
            let config = Config { draw_value: draws, solver: false, ..config(Variant::OCP_THRIFTY, 2, 4) };
            let report = search_on(engine, game.clone(), config).steps(&drawn, 20);
            for action in report.actions.iter().filter(|action| action.n > 0) {
                assert_eq!((action.q, action.n_wins), (q, q * action.n as f64), "{draws} {report}");
            }
        }
    });
}

// --- tactics ---------------------------------------------------------------------------------------------------

/// The actions by which the player to move wins at once.
fn wins_at_once<G: Game>(position: &Position<G>) -> Vec<u32> {
    let wins = |&action: &u32| {
        let mut next = position.clone();
        next.play(action).expect("the action is legal");
        next.outcome() == Some(position.turn().wins())
    };
    position.legal_actions().into_iter().filter(wins).collect()
}

/// The actions after which the opponent can't win at once.
fn safe_actions<G: Game>(position: &Position<G>) -> Vec<u32> {
    let is_safe = |&action: &u32| {
        let mut next = position.clone();
        next.play(action).expect("the action is legal");
        next.outcome().is_some() || wins_at_once(&next).is_empty()
    };
    position.legal_actions().into_iter().filter(is_safe).collect()
}

/// Random positions with a win at once, or with a threat of the opponent's that can be met; with the actions that solve
/// them.
fn tactical<G: Game>(game: &G, seed: u64, count: usize) -> Vec<(Position<G>, Vec<u32>)> {
    let mut games = RandomGames::new(game, seed);
    let positions = (1..).map(|number| games.before_a_win(1 + number % 2));
    let solved = positions.filter(|position| position.outcome().is_none()).filter_map(|position| {
        let wins = wins_at_once(&position);
        let solutions = if wins.is_empty() { safe_actions(&position) } else { wins };
        let all = position.legal_actions().len();
        (!solutions.is_empty() && solutions.len() < all).then_some((position, solutions))
    });
    solved.take(count).collect()
}

#[test]
fn wins_at_once_are_taken_and_threats_are_met() {
    let solve = |reports: &[Report], solutions: &[Vec<u32>], what: &str| {
        for (report, solutions) in reports.iter().zip(solutions) {
            let best = report.best.as_ref().expect("there is a best action");
            assert!(solutions.contains(&best.index), "{what} {solutions:?} {report}");
        }
    };
    let (positions, solutions): (Vec<_>, Vec<_>) = tactical(&Connect4::default(), 6, 200).into_iter().unzip();
    for variant in [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL] {
        let reports = batch(&Engine::cpu(), config(variant, 2, 8), &positions, 100);
        solve(&reports, &solutions, &format!("{variant} Connect 4"));
    }
    let nine = gomoku_of(9);
    let (positions, solutions): (Vec<_>, Vec<_>) = tactical(&nine, 7, 200).into_iter().unzip();
    let reports = batch(&Engine::cpu(), config(Variant::OCP_THRIFTY, 2, 8), &positions, 100);
    solve(&reports, &solutions, "Gomoku");
}
