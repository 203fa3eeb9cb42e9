//! How players end games that are decided: passes and resignations.

use super::{match_of, played, replay};
use crate::support::prelude::*;
use mcts_wgpu::contest::{
    Choice, RandomPlayer, Resigned, Searcher, Standings,
    ending::{Resignation, settling_pass, winning_pass},
    play_game,
};

fn go(komi: f32) -> Go {
    go_of(5, komi)
}

/// Ten points each, and five between them that belong to nobody.
const NEUTRAL: [&str; 5] = [".X.O.", "XX.OO", ".X.O.", "XX.OO", ".X.O."];

fn neutral(komi: f32, turn: Player) -> Position<Go> {
    position_of(&go(komi), &NEUTRAL, turn)
}

fn config() -> Config {
    Config { trees: 1, playouts: 64, ucb_c: 0.7, ..Config::paper() }
}

fn searched(position: &Position<Go>) -> Report {
    search_on(&Engine::cpu(), position.game().clone(), config()).steps(position, 60)
}

fn searcher(game: &Go) -> Searcher<Go> {
    let stop = Stop::default();
    Searcher::new((Engine::cpu(), game.clone()), config().into(), Budget::steps(60), stop).expect("a player")
}

#[test]
fn a_pass_that_wins_at_once_is_seen() {
    let after = |komi, moves: &[&str]| position_after(&go(komi), moves);
    let pass = Some(go(0.5).pass());
    for (komi, moves, expected) in [
        (0.5, &["C3", "pass"][..], pass),
        (25.5, &["C3", "pass"], None),
        (25.0, &["C3", "pass"], None),
        (7.5, &["pass"], pass),
        (-7.5, &["pass"], None),
        // The opponent has not passed, or not with the last move.
        (0.5, &["C3"], None),
        (7.5, &["pass", "C3"], None),
        (7.5, &[], None),
        (7.5, &["pass", "pass"], None),
    ] {
        assert_eq!(winning_pass(&after(komi, moves)), expected, "{komi} {moves:?}");
    }
    // The last of all moves ends a game without a second pass.
    let short = |komi| go(komi).with_max_moves(3).expect("a limit");
    let last = |komi| position_after(&short(komi), &["C3", "D3"]);
    assert_eq!([-0.5, 0.5].map(|komi| winning_pass(&last(komi))), [pass, None]);
}

#[test]
fn games_without_an_ending_pass_have_none() {
    assert_eq!(winning_pass(&Position::start(&Connect4::default())), None);
    assert_eq!(Othello.ending_pass(), None);
    // Black can't move here, and passes because it must.
    let rows =
        ["OX......", "........", "........", "...XX...", "...XX...", "........", "........", "........"];
    let forced = position_of(&Othello, &rows, Player::First);
    assert_eq!((forced.legal_actions(), winning_pass(&forced)), (vec![64], None));
}

/// Passing here gives away points, which only matters in a close game.
#[test]
fn a_pass_settles_a_game_where_it_loses_nothing() {
    let won = neutral(-7.5, Player::First);
    let report = searched(&won);
    let pass = go(0.5).pass();
    assert_eq!(settling_pass(&won, &report).map(|found| found.index), Some(pass));
    // White is ahead by the komi as the board stands, and Black would take the points in between.
    let close = neutral(0.5, Player::Second);
    assert_eq!(settling_pass(&close, &searched(&close)), None);
    // Behind, as the board stands.
    let lost = neutral(7.5, Player::First);
    assert_eq!(settling_pass(&lost, &searched(&lost)), None);

    let place = report.actions.iter().position(|action| action.index == pass).expect("a pass");
    let settles = |change: &dyn Fn(&mut Report)| {
        let mut changed = report.clone();
        changed.actions[place].q = 0.95;
        changed.best.as_mut().expect("a move").q = 0.955;
        change(&mut changed);
        settling_pass(&won, &changed).is_some()
    };
    assert!(settles(&|_| {}));
    assert!(!settles(&|report| report.best.as_mut().expect("a move").q = 0.97));
    assert!(settles(&|report| report.best.as_mut().expect("a move").q = 0.5));
    assert!(!settles(&|report| report.actions[place].q = 0.89));
    assert!(!settles(&|report| report.actions[place].n = 99));
    assert!(!settles(&|report| report.best.as_mut().expect("a move").win_flag = true));
    assert!(!settles(&|report| report.best = None));
    assert!(!settles(&|report| report.actions.retain(|action| action.index != pass)));
    // The same numbers, with the opponent ahead.
    assert!(settling_pass(&neutral(7.5, Player::First), &report).is_none());
}

#[test]
fn searches_pass_where_that_wins() {
    let game = go(-7.5);
    let mut player = searcher(&game);
    let won = neutral(-7.5, Player::First);
    player.begin(&won).expect("it begins");
    let choice = player.choose(&won).expect("a choice");
    assert_eq!((choice.action, choice.resigns, choice.report.is_some()), (game.pass(), false, true));
    let passed = position_after(&game, &["C3", "pass"]);
    let choice = player.choose(&passed).expect("a choice");
    assert_eq!((choice.action, choice.resigns, choice.report), (game.pass(), false, None));
}

#[test]
fn hopeless_moves_in_a_row_make_a_player_give_up() {
    let report = searched(&neutral(7.5, Player::First));
    let best = |q: f64, n: u64| {
        let mut best = report.best.clone().expect("a move");
        (best.q, best.n) = (q, n);
        best
    };
    let said = |resignation: &mut Resignation, found: &[(Player, f64, u64)]| -> Vec<bool> {
        found.iter().map(|&(side, q, n)| resignation.gives_up(side, &best(q, n))).collect()
    };
    let (x, o) = (Player::First, Player::Second);
    let mut usual = Resignation::usual(&go(7.5));
    assert_eq!(said(&mut usual, &[(x, 0.029, 100), (x, 0.03, 100), (x, 0.0, 100)]), [false; 3]);
    assert_eq!(said(&mut usual, &[(o, 0.0, 100), (x, 0.01, 100)]), [false, true]);
    usual.restart();
    assert_eq!(said(&mut usual, &[(x, 0.0, 100), (x, 0.0, 99), (x, 0.0, 100)]), [false; 3]);
    assert_eq!(said(&mut Resignation::below(0.0), &[(x, 0.0, 100), (x, 0.0, 100)]), [false; 2]);
    assert_eq!(Resignation::usual(&Connect4::default()), Resignation::below(0.0));
    let mut wins = best(0.0, 100);
    wins.win_flag = true;
    let mut low = Resignation::below(0.3);
    assert!(!low.gives_up(x, &wins) && !low.gives_up(x, &wins));
}

/// A komi beyond the points of the board.
fn hopeless() -> Go {
    go(30.5)
}

const PLAYER: &str = "acp-prodigal:steps=30,trees=2,playouts=16,resign=0.4";

fn resigned() -> LoggedGame {
    let game = hopeless();
    played(&match_of(&game, [PLAYER, "random"], 1), Default::default(), None).remove(0)
}

#[test]
fn a_resignation_is_a_loss_and_no_fault() {
    let logged = resigned();
    assert_eq!((logged.result, &logged.fault, logged.moves.len()), (Outcome::SecondWins, &None, 2));
    assert_eq!((logged.reports.len(), logged.seconds.len()), (2, 2));
    let Resigned { by, report, .. } = logged.resigned.clone().expect("a resignation");
    assert_eq!(by, Player::First);
    assert!(report.expect("a report")["best"]["q"].as_f64() < Some(0.4));
    let text = serde_json::to_string(&logged).expect("JSON");
    assert_eq!(serde_json::from_str::<LoggedGame>(&text).expect("a game"), logged);
    let mut standings = Standings::default();
    standings.add(&logged);
    let pair = standings.pair(0, 1);
    assert_eq!((pair.a_wins, pair.b_wins, standings.faults()), (0, 1, 0));
    // A player that never resigns plays to the end, and its log has no trace of resignation.
    let stubborn = PLAYER.replace("resign=0.4", "resign=0");
    let played = played(&match_of(&hopeless(), [&stubborn, "random"], 1), Default::default(), None).remove(0);
    assert!(played.resigned.is_none() && played.moves.len() > 2);
    assert!(!serde_json::to_string(&played).expect("JSON").contains("resigned"));
}

#[test]
fn the_search_before_a_resignation_is_replayed() {
    let replayed = |logged: &LoggedGame| replay(&hopeless(), logged, &Engine::cpu()).expect("a replay");
    let logged = resigned();
    let found = replayed(&logged);
    // Its move, and the resignation.
    assert_eq!((found.moves, found.difference), (2, None));
    let mut changed = logged.clone();
    let report = changed.resigned.as_mut().and_then(|resigned| resigned.report.as_mut()).expect("a report");
    report["actions"][3]["n_wins"] = json!(1);
    let message = replayed(&changed).difference.expect("a difference").to_string();
    assert!(message.starts_with("game 0, move 3 by") && message.contains("n_wins of action"), "{message}");
}

/// A program that resigns by its protocol loses in the same way.
#[test]
fn programs_that_resign_have_lost_as_well() {
    struct Resigns;
    impl Contestant<Go> for Resigns {
        fn begin(&mut self, _: &Position<Go>) -> mcts_wgpu::Result<()> {
            Ok(())
        }
        fn choose(&mut self, position: &Position<Go>) -> mcts_wgpu::Result<Choice> {
            // Not a legal action.
            Ok(Choice { resigns: position.moves().len() > 2, ..Choice::new(position.moves().len() as u32) })
        }
    }
    let start = Position::start(&go(7.5));
    let played = play_game(&start, [&mut Resigns, &mut RandomPlayer::new(1)], None, &Stop::default());
    let played = played.expect("a game").expect("an end");
    let resigned = played.resigned.expect("a resignation");
    assert_eq!((played.result, played.fault, resigned.by), (Outcome::SecondWins, None, Player::First));
    assert_eq!(played.moves.len(), played.reports.len());
}
