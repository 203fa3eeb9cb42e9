//! Every game of the crate keeps the contract, in Rust and on every adapter; and the suite finds violations.

use super::{
    go::{self, ko_mark, wide},
    gomoku::{RECTANGLES, threats},
};
use crate::support::{own::Mistake, prelude::*};
use mcts_wgpu::conformance::{Conformance, Finding};

/// The games and sizes of the suite and of the comparison with the device.
pub fn connect4_games() -> Vec<Connect4> {
    let sizes =
        [(6, 7), (4, 4), (1, 16), (3, 16), (31, 2), (4, 1), (6, 9), (7, 8), (8, 7), (5, 10), (9, 6), (2, 4)];
    sizes.map(|(rows, columns)| connect4_of(rows, columns)).into()
}

pub fn gomoku_games() -> Vec<Gomoku> {
    let exactly_five = [15, 5, 9, 14, 16, 19, 22].map(|size| gomoku_of(size));
    let freestyle = [15, 7, 20].map(|size| gomoku_of(size).with_freestyle(true));
    let rectangles =
        RECTANGLES.map(|(rows, columns)| Gomoku::rectangular(rows, columns).expect("legal sizes"));
    [&exactly_five[..], &freestyle, &rectangles].concat()
}

/// In Rust, and on the best adapter.
fn assert_kept<G: Game>(suite: &Conformance<G>) {
    let findings = suite.run_on(&Devices::open().engines[0]).expect("the suite runs");
    assert!(findings.is_empty(), "{findings:#?}");
}

fn assert_kept_by<G: Game>(game: &G, games: u32) {
    assert_kept(&Conformance::of(game).with_games(games));
}

#[test]
fn every_adapter_keeps_the_rules_of_every_game() {
    fn assert_kept_by<G: Game>(devices: &Devices, game: &G, games: u32) {
        let suite = Conformance::of(game).with_games(games).with_seed(1 << 40);
        let findings = suite.run_on(&devices.together()).expect("the suite runs");
        assert!(findings.is_empty(), "{findings:#?}");
    }
    let devices = Devices::open_every();
    assert_kept_by(&devices, &Connect4::default(), 200);
    assert_kept_by(&devices, &Gomoku::default(), 20);
    assert_kept_by(&devices, &Othello, 20);
    assert_kept_by(&devices, &go_of(9, 7.5).with_superko(true), 5);
}

#[test]
fn connect4_keeps_its_contract() {
    assert_kept_by(&Connect4::default(), 2000);
    connect4_games()[1..].iter().for_each(|game| assert_kept_by(game, 200));
}

#[test]
fn tactical_connect4_keeps_its_contract() {
    for game in connect4_games() {
        assert_kept_by(&game.with_policy("tactical").expect("a policy of Connect 4"), 200);
    }
}

#[test]
fn gomoku_keeps_its_contract() {
    assert_kept_by(&Gomoku::default(), 200);
    gomoku_games()[1..].iter().for_each(|game| assert_kept_by(game, 20));
}

/// An action that completes a run of 4 to 7 stones, in every place and direction: by the rules, and first in a playout.
#[test]
fn gomoku_keeps_its_contract_on_all_lines() {
    let squares = [(5, false), (15, false), (16, false), (15, true), (16, true)];
    let squares = squares.map(|(size, freestyle)| ((size, size), freestyle));
    for ((rows, columns), freestyle) in squares.into_iter().chain(RECTANGLES.map(|sides| (sides, false))) {
        let game = Gomoku::rectangular(rows, columns).expect("legal sizes").with_freestyle(freestyle);
        let mut suite = Conformance::of(&game).with_games(0);
        for turn in [Player::First, Player::Second] {
            for threat in threats(&game, turn) {
                let place = threat.ordinal(&game, turn);
                let start = Position::from_state(&game, threat.state, turn).expect("a state of the game");
                suite = suite.with_line(start, &[threat.action], &[place]).expect("a legal action");
            }
        }
        assert_kept(&suite);
    }
}

#[test]
fn othello_keeps_its_contract() {
    assert_kept_by(&Othello, 200);
}

#[test]
fn go_keeps_its_contract() {
    for (size, komi, games) in [(1, 0.0, 5), (2, 0.0, 60), (3, 0.5, 100), (5, 24.0, 60), (9, 7.5, 60)] {
        assert_kept_by(&go_of(size, komi), games);
        assert_kept_by(&go_of(size, komi).with_superko(true), games / 4);
    }
    for (size, games) in [(11, 4), (13, 4), (19, 2)] {
        assert_kept_by(&go_of(size, 6.5), games);
    }
    for (rows, columns) in go::RECTANGLES {
        assert_kept_by(&wide(rows, columns, 0.5).with_superko(rows > columns), 200 / (rows * columns));
    }
}

#[test]
fn go_by_patterns_keeps_its_contract() {
    for shape in PatternShape::ALL {
        assert_kept_by(&go_of(9, 7.5).with_patterns(PatternTable::shipped(shape)), 20);
        assert_kept_by(&go_of(5, 0.5).with_patterns(PatternTable::shipped(shape)), 20);
        assert_kept_by(&wide(3, 18, 0.5).with_patterns(PatternTable::shipped(shape)), 5);
    }
}

#[test]
fn tactical_go_keeps_its_contract() {
    for size in [5, 9] {
        assert_kept_by(&go_of(size, 0.5).with_policy("tactical").expect("Go has every policy"), 20);
    }
    for (rows, columns) in [(6, 4), (2, 18)] {
        let game = wide(rows, columns, 0.5).with_policy("tactical");
        assert_kept_by(&game.expect("Go has every policy"), 10);
    }
}

/// Positions of random games with a point that may not be retaken at once.
fn with_a_ko(game: &Go, games: u64) -> Vec<Position<Go>> {
    let mut found = Vec::new();
    for seed in 0..games {
        let (mut position, mut stream) = (Position::start(game), Stream::seeded(seed));
        while position.outcome().is_none() {
            if ko_mark(game, position.state()) != 0 {
                found.push(position.clone());
            }
            let legal = position.legal_actions();
            position.play(legal[stream.pick(legal.len() as u32) as usize]).expect("a legal action");
        }
    }
    found
}

/// Whether a playout from there begins with a pass.
fn must_pass(game: &Go, position: &Position<Go>) -> bool {
    let mut playout = game.playout_begin(position.state(), position.turn());
    let alone = game.legal_actions_playout(&mut playout) == 1;
    game.take_action_playout(&mut playout, 0);
    alone && game.playout_state(&playout).passes() > position.state().passes()
}

/// Passes at kos: those of the tree, and those that a playout has to begin with.
fn passes_at_kos<G: Game<State = <Go as Game>::State>>(size: u32, game: &G) -> Conformance<G> {
    let plain = go_of(size, 0.5);
    let (kos, forced) = (with_a_ko(&plain, 200), with_a_ko(&plain, if size < 5 { 3000 } else { 0 }));
    let forced: Vec<_> = forced.into_iter().filter(|position| must_pass(&plain, position)).collect();
    assert!(kos.len() > 12 && (size > 4 || forced.len() > 12), "{} and {}", kos.len(), forced.len());
    let mut suite = Conformance::of(game).with_games(0);
    for position in kos.iter().take(100).chain(forced.iter().take(100)) {
        let start = Position::from_state(game, *position.state(), position.turn()).expect("its own state");
        suite = suite.with_line(start, &[plain.pass()], &[]).expect("a pass is legal");
    }
    suite
}

#[test]
fn a_pass_lifts_the_ko_everywhere() {
    for size in [3, 4, 5, 9] {
        assert_kept(&passes_at_kos(size, &go_of(size, 0.5)));
    }
}

pub fn found<G: Game>(suite: &Conformance<Own<G>>) -> Vec<Finding> {
    suite.run_on(&Devices::open().engines[0]).expect("the suite runs")
}

#[test]
fn mistakes_in_rust_are_found() {
    fn parts<G: Game>(game: G, mistake: Mistake) -> Vec<Part> {
        let suite = Conformance::of(&Own::new(game).with_mistake(mistake)).with_games(20);
        suite.run().into_iter().map(|finding| finding.part).collect()
    }
    let connect4 = |mistake| parts(Connect4::default(), mistake);
    assert_eq!(connect4(Mistake::Legality), [Part::Playouts]);
    assert_eq!(connect4(Mistake::Packing), [Part::Packing]);
    assert_eq!(connect4(Mistake::Outcome), [Part::Outcome]);
    assert!(connect4(Mistake::NoWins).contains(&Part::Playouts));
    assert_eq!(connect4(Mistake::Names), [Part::Names]);
    assert_eq!(connect4(Mistake::States), [Part::States]);
    assert_eq!(parts(Gomoku::default(), Mistake::Boards), [Part::Boards]);
    assert_eq!(parts(Othello, Mistake::Scores), [Part::Scores]);
    assert_eq!(parts(go_of(5, 0.5).with_superko(true), Mistake::Keys), [Part::Keys]);
    let short = Own::new(Connect4::default()).with_max_plies(12);
    assert_eq!(Conformance::of(&short).with_games(20).run()[0].part, Part::Length);
    let mut wide = Own::new(Connect4::default());
    wide.numbers.max_actions = 600;
    assert_eq!(Conformance::of(&wide).run()[0].part, Part::Numbers);
    let broken = Own::new(Connect4::default()).with("take_action", "fn take_action( {}");
    let findings = Conformance::of(&broken).with_games(1).run();
    assert!(findings[0].part == Part::Shader && findings[0].what.contains("connect4.wgsl:"), "{findings:?}");
}

/// Where Rust is wrong and WGSL is not, in ways that Rust alone does not show.
#[test]
fn differences_from_the_twin_are_found() {
    let places = Conformance::of(&Own::new(Connect4::default()).with_mistake(Mistake::Places)).with_games(10);
    assert_eq!(places.run(), []);
    let parts = |suite: &Conformance<Own<Connect4>>| -> Vec<Part> {
        found(suite).into_iter().map(|finding| finding.part).collect()
    };
    assert_eq!(parts(&places), [Part::Playouts, Part::Runs]);
    let keys = Own::new(go_of(4, 0.5).with_superko(true)).with_mistake(Mistake::Keys);
    assert_eq!(found(&Conformance::of(&keys).with_games(5)).len(), 2, "alone, and against the WGSL");
    // Where the WGSL leaves other actions out, and where it leaves out none.
    let pruning = Own::new(go_of(4, 0.5)).with_mistake(Mistake::Pruning);
    let findings = found(&Conformance::of(&pruning).with_games(5));
    assert_eq!(findings.iter().map(|finding| finding.part).collect::<Vec<_>>(), [Part::Pruning]);
    assert!(findings[0].what.contains("A1 has urgency 1 in WGSL and 0 in Rust"), "{findings:?}");
    let pruning = Own::new(Connect4::default()).with_mistake(Mistake::Pruning);
    assert_eq!(parts(&Conformance::of(&pruning).with_games(5)), [Part::Pruning]);
}

/// A wrong word in the WGSL, and the part of the contract that it breaks.
fn assert_found<G: Game>(own: &Own<G>, parts: &[Part]) {
    let suite = Conformance::of(own).with_games(20);
    assert_eq!(suite.run(), [], "nothing is wrong in Rust");
    let findings = found(&suite);
    let found: Vec<Part> = findings.iter().map(|finding| finding.part).collect();
    assert!(parts.iter().all(|part| found.contains(part)), "{parts:?} not all among {findings:#?}");
    assert!(findings.iter().all(|finding| finding.adapter.is_some()));
}

#[test]
fn mistakes_in_wgsl_are_found() {
    let connect4 = || Own::new(Connect4::default());
    let never_legal = "fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
        return action != 3u && inner_is_action_legal(state, turn, action);
    }";
    assert_found(&connect4().with("is_action_legal", never_legal), &[Part::Legality]);
    let no_draws = "fn compute_outcome(state: ptr<function, State>, turn: u32, last: u32) -> u32 {
        let outcome = inner_compute_outcome(state, turn, last);
        return select(outcome, ONGOING, outcome == FIRST_WINS);
    }";
    assert_found(&connect4().with("compute_outcome", no_draws), &[Part::Outcome]);
    let other_turn = "fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
        inner_take_action(state, 1u - turn, action);
    }";
    assert_found(&connect4().with("take_action", other_turn), &[Part::Actions]);
    let files = ("INNER_FILES: u32 = 0x7e7e7e7eu", "INNER_FILES: u32 = 0x7f7f7f7fu");
    assert_found(&Own::new(Othello).with_words(files.0, files.1), &[Part::Legality, Part::Playouts]);
    let diagonals = ("hemmed && go_any(go_safe", "hemmed && !go_any(go_safe");
    assert_found(&Own::new(go_of(5, 0.5)).with_words(diagonals.0, diagonals.1), &[Part::Pruning]);
    let near = ("go_up(p, 1u), go_down(p, 1u)", "go_up(p, 1u), go_up(p, 1u)");
    assert_found(&Own::new(go_of(5, 0.5)).with_words(near.0, near.1), &[Part::Legality, Part::Playouts]);
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_tactical_connect4_are_found() {
    let lists = &[Part::Playouts][..];
    for (parts, from, to) in [
        (lists, "let safe = chances.open & ~connect4_down(chances.theirs, 1u);", "let safe = chances.open;"),
        (lists, "let saved = safe & ~connect4_down(mine, 1u);", "let saved = safe;"),
        (lists, "connect4_down(mine & connect4_down(mine, 1u), 1u);", "connect4_down(mine, 1u);"),
        (lists, "(quiet, chances.theirs & chances.open)", "(quiet, chances.theirs & safe)"),
        (lists, ", mine & chances.open);", ", mine & safe);"),
        (lists, "i < rank", "i + 1u < rank"),
        (
            &[Part::Runs],
            "chances.theirs, connect4_completions(discs)",
            "connect4_completions(discs), chances.theirs",
        ),
        (&[Part::Runs], "connect4_any(chances.mine & landed)", "connect4_any(chances.theirs & landed)"),
    ] {
        let game = Connect4::default().with_policy("tactical").expect("a policy of Connect 4");
        assert_found(&Own::new(game).with_words(from, to), parts);
    }
}

/// Rows and columns exchanged.
#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_on_rectangles_are_found() {
    let gomoku = |rows, columns| Own::new(Gomoku::rectangular(rows, columns).expect("legal sizes"));
    for (own, from, to, part) in [
        (gomoku(6, 14), "(GOMOKU_COLUMN << 5u)", "(GOMOKU_ROW << 5u)", Part::Pruning),
        (gomoku(20, 6), "select(GOMOKU_ROWS + 1u", "select(GOMOKU_COLUMNS + 1u", Part::Playouts),
        (gomoku(7, 18), "last_action / GOMOKU_COLUMNS", "last_action / GOMOKU_ROWS", Part::Outcome),
    ] {
        assert_found(&own.with_words(from, to), &[part]);
    }
    let tactical = |rows, columns| {
        Own::new(wide(rows, columns, 0.5).with_policy("tactical").expect("Go has every policy"))
    };
    let (bit, wrong_bit) = ("go_bit(action + action / GO_COLUMNS)", "go_bit(action + action / GO_ROWS)");
    for (own, from, to, part) in [
        (tactical(5, 4), bit, wrong_bit, Part::Legality),
        (tactical(4, 6), "row >= i32(GO_ROWS)", "row >= i32(GO_COLUMNS)", Part::Priors),
        (tactical(6, 4), "GO_SPANS: u32 = GO_ROWS", "GO_SPANS: u32 = GO_COLUMNS", Part::Playouts),
    ] {
        assert_found(&own.with_words(from, to), &[part]);
    }
}

/// One draw too many after every ply.
#[test]
fn a_run_that_wastes_draws_is_found() {
    let run =
        "fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) \
               -> PlayoutRun {
        let run = inner_run_playout(playout, rng, most, lane);
        _ = rng_next(rng);
        return run;
    }";
    assert_found(&Own::new(Gomoku::default()).with_run(run), &[Part::Runs]);
}

/// A pass that keeps the ko, in the rules and in playouts.
#[test]
fn passes_that_keep_the_ko_are_found() {
    let parts = |from, to| {
        let suite = passes_at_kos(4, &Own::new(go_of(4, 0.5)).with_words(from, to));
        found(&suite).into_iter().map(|finding| finding.part).collect::<Vec<_>>()
    };
    let (from, to) = (
        "((go_passes(word) + 1u) << 9u) | moves;",
        "((go_passes(word) + 1u) << 9u) | moves | go_ko_mark(word);",
    );
    assert!(parts(from, to).contains(&Part::Actions));
    assert!(parts("board.ko = GoPlane();", "").contains(&Part::Playouts));
}

/// A finding occurs again in a suite of one game and its seed, and has its place.
#[test]
fn a_finding_shows_again_by_its_seed() {
    let own = Own::new(gomoku_of(5)).with_mistake(Mistake::NoWins);
    let all = Conformance::of(&own).with_games(50).with_seed(7).run();
    let finding = all.first().expect("a finding");
    let again = Conformance::of(&own).with_games(1).with_seed(finding.seed.expect("a game")).run();
    assert!(again.contains(finding), "{finding} among {again:?}");
    let text = serde_json::to_string(finding).expect("JSON");
    assert_eq!(&serde_json::from_str::<Finding>(&text).expect("a finding"), finding);
    assert!(finding.to_string().contains(&finding.moves.join(" ")));
    assert_eq!(Conformance::of(&Othello).run_on(&Engine::cpu()).expect("it runs"), []);
}
