//! Connect 4 as a game file has the trees of the built-in Connect 4: written plainly, and with the built-in's own
//! playouts.

use super::{all_kinds, changed, small};
use crate::support::prelude::*;

const PLAIN: &str = include_str!("connect4.wgsl");
const MOVES: [&str; 5] = ["3", "2", "3", "3", "5"];

fn with_own_playout() -> String {
    Connect4::default().shader().source
}

/// Without runs, playouts are the same games.
fn ply_by_ply() -> String {
    changed(&with_own_playout(), "fn run_playout(", "fn unused_playout(")
}

fn fingerprints<G: Game>(engine: &Engine, game: &G, kinds: &[(Variant, Schedule)]) -> Vec<String> {
    let position = position_after(game, &MOVES);
    // The plain file has no urgencies.
    let search = |&(variant, schedule): &(Variant, Schedule)| {
        let config = Config { pruning: false, ..small(variant, schedule) };
        search_on(engine, game.clone(), config).steps(&position, 60).fingerprint
    };
    kinds.iter().map(search).collect()
}

fn rollouts<G: Game>(engine: &Engine, game: &G) -> [u64; 4] {
    let position = position_after(game, &MOVES);
    let mut rollouts =
        Rollouts::new(engine, game.clone(), RolloutConfig::default()).expect("the rollouts start");
    let found = rollouts.run(&position, 3000).expect("the rollouts run");
    let plies = (found.mean_length * found.games as f64).round() as u64;
    [found.first_wins, found.second_wins, found.draws, plies]
}

#[test]
fn trees_and_rollouts_are_the_built_ins() {
    let (cpu, built_in) = (Engine::cpu(), Connect4::default());
    let expected = rollouts(&cpu, &built_in);
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let all = all_kinds();
        let kinds: Vec<_> = cases(adapter, &all).copied().collect();
        let trees = fingerprints(&cpu, &built_in, &kinds);
        // The plain file solves no outcomes.
        let blind = fingerprints(&cpu, &blind_connect4(6, 7), &kinds);
        assert_ne!(trees, blind);
        let of_playouts = kinds.len().min(SCHEDULES.len());
        for (file, text, trees) in [
            ("plain", PLAIN.to_owned(), &blind[..]),
            ("in runs", with_own_playout(), &trees),
            ("ply by ply", ply_by_ply(), &trees[..of_playouts]),
        ] {
            let game = GameFile::from_wgsl(file, &text, &engine).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(fingerprints(&engine, &game, &kinds[..trees.len()]), trees, "{file}");
            assert_eq!(rollouts(&engine, &game), expected, "{file}");
        }
    });
}

#[test]
fn positions_are_the_built_ins() {
    each_adapter(|adapter| {
        let game = GameFile::from_wgsl("plain", PLAIN, &opened(adapter)).expect("a game");
        let (file, twin) =
            (Position::from_moves(&game, &MOVES), Position::from_moves(&Connect4::default(), &MOVES));
        let (mut file, mut twin) = (file.expect("legal moves"), twin.expect("legal moves"));
        for column in 0..7 {
            assert_eq!(file.legal_actions(), twin.legal_actions());
            assert_eq!(file.to_string(), twin.to_string());
            let played = (file.play(column), twin.play(column));
            assert_eq!((played.0.is_ok(), file.outcome()), (played.1.is_ok(), twin.outcome()));
        }
        assert_eq!((file.undo(), twin.undo()), (Some(6), Some(6)));
        assert_eq!(file.to_string(), twin.to_string());
    });
}

fn glance<G: Game>(engine: &Engine, game: &G) -> (String, [u64; 3]) {
    let start = Position::start(game);
    let mut search = search_on(engine, game.clone(), small(Variant::ALL[0], SCHEDULES[0]));
    let fingerprint = search.run(&start, Budget::steps(5)).expect("it runs").fingerprint;
    let mut rollouts = Rollouts::new(engine, game.clone(), RolloutConfig::default()).expect("they start");
    let found = rollouts.run(&start, 200).expect("they run");
    (fingerprint, [found.first_wins, found.second_wins, found.draws])
}

#[test]
fn files_of_other_built_in_games_are_the_built_ins() {
    fn check<G: Game>(engine: &Engine, built_in: &G) {
        let shader = built_in.shader();
        let file = GameFile::from_wgsl(&shader.file, &shader.source, engine)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(glance(engine, &file), glance(&Engine::cpu(), built_in), "{}", shader.file);
        assert_eq!((file.name(), file.max_plies()), (built_in.name(), built_in.max_plies()));
        assert!(
            (0..file.max_actions()).all(|action| file.action_name(action) == built_in.action_name(action))
        );
        assert_eq!(file.board_rows(&file.start()), built_in.board_rows(&built_in.start()));
    }
    each_fast_adapter(|adapter| {
        let engine = opened(adapter);
        check(&engine, &Gomoku::default());
        check(&engine, &Othello);
    });
}
