//! Vanilla MCTS, random play, alpha-beta, and searches as players.

use super::{OneEngine, match_of, played};
use crate::support::prelude::*;
use mcts_wgpu::contest::{MoveReport, RandomPlayer, Spec, Vanilla, VanillaConfig, VanillaReport, play_game};

fn vanilla<G: Game>(game: &G, steps: u64, seed: u64) -> Vanilla<G> {
    let config = VanillaConfig { seed, budget: Budget::steps(steps), ..VanillaConfig::default() };
    Vanilla::new(game.clone(), config, Stop::default()).expect("a player")
}

/// Its report, without times.
fn found<G: Game>(game: &G, moves: &[&str], steps: u64, seed: u64) -> VanillaReport {
    let position = position_after(game, moves);
    let mut report = vanilla(game, steps, seed).search(&position, Budget::steps(steps)).expect("a report");
    let done = &mut report.performance;
    (done.seconds, done.steps_per_second, done.playouts_per_second) = (0.0, 0.0, 0.0);
    report
}

fn best<G: Game>(game: &G, moves: &[&str], steps: u64) -> String {
    found(game, moves, steps, 0).best.expect("an action").name
}

#[test]
fn vanilla_wins_in_one_and_blocks() {
    let game = Connect4::default();
    for seed in 0..5 {
        let report = found(&game, &["3", "2", "3", "2", "3", "2"], 200, seed);
        let best = report.best.expect("an action");
        assert_eq!((best.name.as_str(), best.win_flag, best.q), ("3", true, 1.0), "seed {seed}");
        let blocks = found(&game, &["3", "2", "3", "2", "3"], 2000, seed).best.expect("an action");
        assert_eq!((blocks.name.as_str(), blocks.win_flag), ("3", false), "seed {seed}");
    }
    let five = gomoku_of(7);
    assert_eq!(best(&five, &["D1", "A7", "D2", "A6", "D3", "A5", "D4", "A4"], 500), "D5");
}

#[test]
fn the_only_move_is_made_without_a_search() {
    let mut rows = ["........"; 8];
    (rows[3], rows[4]) = ("XOOOO...", "...OO...");
    let position = position_of(&Othello, &rows, mcts_wgpu::Player::First);
    let texts = ["default:steps=1000000,trees=1", "vanilla:steps=1000000", "pvsplit:depth=20"];
    for text in texts {
        let spec: Spec = text.parse().expect("a player");
        let mut player = spec.open(&Othello, &OneEngine::cpu()).expect("it opens");
        player.begin(&position).expect("it begins");
        let choice = player.choose(&position).expect("a move");
        assert_eq!((choice.action, choice.report), (29, None), "{text}");
    }
}

#[test]
fn vanilla_follows_from_its_seed() {
    let game = Connect4::default();
    assert_eq!(found(&game, &["3"], 3000, 7), found(&game, &["3"], 3000, 7));
    assert_ne!(found(&game, &["3"], 3000, 7).actions, found(&game, &["3"], 3000, 8).actions);
    // A game's number determines its seed, whatever was played before.
    let position = Position::start(&game);
    let mut player = vanilla(&game, 500, 7);
    let mut games: Vec<_> = [1, 2, 1]
        .map(|number| {
            player.number(number);
            player.begin(&position).expect("it begins");
            let found = player.search(&position, Budget::steps(500)).expect("a report");
            (found.seed, found.actions)
        })
        .into();
    assert_eq!(games.pop(), Some(games[0].clone()));
    assert_ne!(games[0].1, games[1].1);
    assert_eq!((games[0].0, games[1].0), (8, 9));
}

#[test]
fn vanilla_counts_every_playout_once() {
    fn check<G: Game>(game: &G, steps: u64) {
        let report = found(game, &[], steps, 3);
        assert_eq!(report.n_root, steps);
        assert_eq!(report.actions.iter().map(|action| action.n).sum::<u64>(), steps);
        let start = Position::start(game);
        let indexes: Vec<_> = report.actions.iter().map(|action| action.index).collect();
        assert_eq!(indexes, start.legal_actions());
        for action in &report.actions {
            assert!((0.0..=action.n as f64).contains(&action.n_wins), "{action:?}");
        }
    }
    check(&Connect4::default(), 1);
    check(&Connect4::default(), 5000);
    check(&Gomoku::default(), 700);
    check(&Othello, 500);
    check(&go_of(5, 7.5), 700);
}

/// On a row of four cells every game is drawn.
#[test]
fn draws_count_half_or_nothing() {
    let game = connect4_of(1, 4);
    for (text, q) in [("vanilla:steps=50", 0.5), ("vanilla:steps=50,draws=none", 0.0)] {
        let spec: Spec = text.parse().expect("the text of a player");
        let mut player = spec.open(&game, &OneEngine::cpu()).expect("a player");
        let position = Position::start(&game);
        player.begin(&position).expect("it begins");
        let choice = player.choose(&position).expect("a choice");
        let Some(MoveReport::Vanilla(report)) = choice.report else { panic!("a report") };
        assert!(report.actions.iter().all(|action| action.q == q), "{report:?}");
    }
}

#[test]
fn vanilla_beats_random_play() {
    let games = played(&match_of(&Othello, ["vanilla:steps=60", "random"], 10), Default::default(), None);
    let points: f64 = (0..)
        .zip(&games)
        .map(|(number, game)| {
            game.result.points(if number % 2 == 0 {
                mcts_wgpu::Player::First
            } else {
                mcts_wgpu::Player::Second
            })
        })
        .sum();
    assert!(points >= 8.0, "{points}");
}

#[test]
fn vanilla_keeps_superko() {
    let game = go_of(2, 0.5).with_superko(true);
    for seed in 0..20 {
        let (mut first, mut second) = (vanilla(&game, 30, seed), RandomPlayer::new(seed));
        let start = Position::start(&game);
        let played = play_game(&start, [&mut first, &mut second], None, &Stop::default());
        assert_eq!(played.expect("a game").expect("an end").fault, None);
    }
}

#[test]
fn vanilla_keeps_its_time() {
    let game = Connect4::default();
    let time = Duration::from_millis(200);
    let began = Instant::now();
    let report = vanilla(&game, 1, 0).search(&Position::start(&game), Budget::time(time)).expect("a report");
    assert!(began.elapsed() >= time && report.performance.steps > 0);
}

#[test]
fn stopped_players_end() {
    let (game, stop) = (Connect4::default(), Stop::default());
    stop.set();
    let config = VanillaConfig { budget: Budget::steps(u64::MAX), ..VanillaConfig::default() };
    let mut first = Vanilla::new(game.clone(), config, stop.clone()).expect("a player");
    let mut second = RandomPlayer::new(0);
    let played = play_game(&Position::start(&game), [&mut first, &mut second], None, &stop);
    assert_eq!(played, Ok(None));
}

#[test]
fn alpha_beta_has_boards_for_three_games() {
    fn result<G: Game>(game: &G) -> Option<Outcome> {
        let host = OneEngine::cpu();
        let spec: Spec = "pvsplit:depth=3".parse().expect("the text of a player");
        let mut player = spec.open(game, &host).ok()?;
        let mut other = RandomPlayer::new(1);
        let played = play_game(&Position::start(game), [&mut *player, &mut other], None, &Stop::default());
        let played = played.expect("a game").expect("an end");
        assert_eq!(played.fault, None);
        let reports = played.reports.iter().step_by(2).flatten();
        assert!(reports.clone().count() > 0 && reports.into_iter().all(|report| report["score"].is_i64()));
        Some(played.result)
    }
    assert_eq!(result(&Connect4::default()), Some(Outcome::FirstWins));
    assert!(result(&Othello).is_some() && result(&go_of(4, 0.5)).is_some());
    assert!(result(&gomoku_of(7)).is_none());
}

/// Trees are reused within a game, and a game does not depend on the one before it.
#[test]
fn searches_begin_every_game_anew() {
    let game = Connect4::default();
    let host = OneEngine::new(&Engine::cpu());
    let spec: Spec = "ocp-thrifty:steps=20,trees=2,playouts=8,seed=5,reuse=true".parse().expect("a text");
    let mut player = spec.open(&game, &host).expect("a player");
    let mut game_of = |number: u64| {
        player.number(number);
        let mut position = Position::start(&game);
        player.begin(&position).expect("it begins");
        let mut reports = Vec::new();
        for _ in 0..3 {
            let choice = player.choose(&position).expect("a choice");
            let Some(MoveReport::Search(report)) = choice.report else { panic!("a report") };
            reports.push((report.config.seed, report.fingerprint.clone(), report.trees_info.reused_nodes));
            position.play(choice.action).expect("its choice is legal");
            let answer = position.legal_actions()[0];
            position.play(answer).expect("it is legal");
        }
        player.end();
        reports
    };
    let (first, second, again) = (game_of(1), game_of(2), game_of(1));
    assert_eq!(first, again);
    assert_ne!(first, second);
    assert_eq!((first[0].0, second[0].0), (6, 7));
    assert!(first[0].2 == 0 && first[1].2 > 0 && first[2].2 > 0, "{first:?}");
}
