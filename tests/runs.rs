//! A game of one's own that plays many plies a call (`run_playout`): searches and rollouts against its twin in Rust.

#[path = "support/adapters.rs"]
mod adapters;

use adapters::each_adapter;
use mcts_wgpu::{
    Budget, Config, Engine, Game, Outcome, Player, Position, Result, Schedule, Search, Variant,
    game::GameShader,
    games::{Connect4, Connect4Playout, Connect4State},
    rollout::{RolloutConfig, Rollouts},
};

/// Connect 4 with other rules in WGSL: runs of plies.
#[derive(Debug, Clone)]
struct InRuns {
    rules: Connect4,
    run: &'static str,
}

/// Plies one by one.
const RUN: &str = "
    fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
        var run = PlayoutRun(ONGOING, 0u);
        while run.outcome == ONGOING && run.plies < most {
            let count = legal_actions_playout(playout, lane);
            run.outcome = take_action_playout(playout, rng_pick(rng, count), lane);
            run.plies++;
        }
        return run;
    }
";

/// One ply of those that it is told to play, which only rollouts and lanes with several games put up with, and a draw too
/// many, which nobody does.
const WRONG_RUN: &str = "
    fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
        let count = legal_actions_playout(playout, lane);
        let outcome = take_action_playout(playout, rng_pick(rng, count), lane);
        _ = rng_next(rng);
        return PlayoutRun(outcome, 1u);
    }
";

impl InRuns {
    fn new(run: &'static str) -> Self {
        Self { rules: Connect4::default(), run }
    }
}

impl Game for InRuns {
    type State = Connect4State;
    type Playout = Connect4Playout;

    fn shader(&self) -> GameShader {
        let rules = self.rules.shader();
        // In the place of those that Connect 4 has itself.
        let source = rules.source.replace("fn run_playout(", "fn own_run_playout(") + self.run;
        GameShader::new("runs.wgsl", source, rules.constants, rules.playout_words).with_run_playout(6)
    }

    fn name(&self) -> &'static str {
        "connect4-in-runs"
    }
    fn max_actions(&self) -> u32 {
        self.rules.max_actions()
    }
    fn max_plies(&self) -> u32 {
        self.rules.max_plies()
    }
    fn state_words(&self) -> u32 {
        self.rules.state_words()
    }
    fn expansion_stride(&self) -> u32 {
        self.rules.expansion_stride()
    }
    fn start(&self) -> Connect4State {
        self.rules.start()
    }
    fn pack(&self, state: &Connect4State, words: &mut [u32]) {
        self.rules.pack(state, words);
    }
    fn unpack(&self, words: &[u32]) -> Connect4State {
        self.rules.unpack(words)
    }
    fn is_action_legal(&self, state: &Connect4State, turn: Player, action: u32) -> bool {
        self.rules.is_action_legal(state, turn, action)
    }
    fn take_action(&self, state: &mut Connect4State, turn: Player, action: u32) {
        self.rules.take_action(state, turn, action);
    }
    fn compute_outcome(&self, state: &Connect4State, turn: Player, last: Option<u32>) -> Option<Outcome> {
        self.rules.compute_outcome(state, turn, last)
    }
    fn playout_begin(&self, state: &Connect4State, turn: Player) -> Connect4Playout {
        self.rules.playout_begin(state, turn)
    }
    fn legal_actions_playout(&self, playout: &mut Connect4Playout) -> u32 {
        self.rules.legal_actions_playout(playout)
    }
    fn take_action_playout(&self, playout: &mut Connect4Playout, ordinal: u32) -> Option<Outcome> {
        self.rules.take_action_playout(playout, ordinal)
    }
    fn action_name(&self, action: u32) -> String {
        self.rules.action_name(action)
    }
    fn parse_action(&self, name: &str) -> Option<u32> {
        self.rules.parse_action(name)
    }
    fn board_rows(&self, state: &Connect4State) -> Vec<String> {
        self.rules.board_rows(state)
    }
    fn parse_board(&self, rows: &[&str]) -> Result<Connect4State> {
        self.rules.parse_board(rows)
    }
}

/// The trees of a search from the start; on software adapters the games of a step are enough for several a lane.
fn searched(engine: &Engine, game: &InRuns, variant: Variant, schedule: Schedule) -> Result<[String; 2]> {
    let config = Config { variant, schedule, trees: 3, playouts: 256, memory: 1 << 24, ..Config::default() };
    let mut search = Search::new(engine, game.clone(), config)?;
    let report = search.run(&Position::start(game), Budget::steps(20))?;
    // Two runs: streams go on where the first one left them.
    let again = search.run(&Position::start(game), Budget::steps(10))?;
    Ok([report.fingerprint, again.fingerprint])
}

fn fingerprint(engine: &Engine, game: &InRuns, variant: Variant, schedule: Schedule) -> [String; 2] {
    searched(engine, game, variant, schedule).expect("the search runs")
}

/// Wins and plies of rollouts that are begun together every 5 plies and cut off.
fn tally(engine: &Engine, game: &InRuns, max_moves: Option<u32>) -> (u64, u64, u64, f64) {
    let config = RolloutConfig { seed: 5, max_moves, round: Some(5), ..RolloutConfig::default() };
    let mut rollouts = Rollouts::new(engine, game.clone(), config).expect("the rollouts start");
    let report = rollouts.run(&Position::start(game), 5000).expect("the games are played");
    (report.first_wins, report.second_wins, report.unfinished, report.mean_length)
}

const VARIANTS: [Variant; 3] = [Variant::ACP_PRODIGAL, Variant::ACP_THRIFTY, Variant::OCP_THRIFTY];

#[test]
fn searches_are_those_of_the_twin() {
    let game = InRuns::new(RUN);
    for variant in VARIANTS {
        let expected = fingerprint(&Engine::cpu(), &game, variant, Schedule::Auto);
        each_adapter(|adapter| {
            let engine = Engine::devices_of(vec![adapter.open().expect("the adapter opens")]);
            for schedule in [Schedule::Staged, Schedule::Fused] {
                let found = fingerprint(&engine, &game, variant, schedule);
                assert_eq!(found, expected, "{} {schedule:?} on {adapter:?}", variant.name());
            }
        });
    }
}

#[test]
fn rollouts_are_those_of_the_twin() {
    let game = InRuns::new(RUN);
    for max_moves in [None, Some(12)] {
        let expected = tally(&Engine::cpu(), &game, max_moves);
        each_adapter(|adapter| {
            let engine = Engine::devices_of(vec![adapter.open().expect("the adapter opens")]);
            assert_eq!(tally(&engine, &game, max_moves), expected, "{adapter:?}");
        });
    }
}

#[test]
fn the_comparisons_can_fail() {
    let (right, wrong) = (InRuns::new(RUN), InRuns::new(WRONG_RUN));
    each_adapter(|adapter| {
        let engine = Engine::devices_of(vec![adapter.open().expect("the adapter opens")]);
        assert_ne!(tally(&engine, &wrong, None), tally(&Engine::cpu(), &right, None));
        for variant in VARIANTS {
            let expected = fingerprint(&Engine::cpu(), &right, variant, Schedule::Auto);
            match searched(&engine, &wrong, variant, Schedule::Staged) {
                Ok(found) => assert_ne!(found, expected),
                Err(error) => {
                    assert!(error.to_string().contains("left a playout before it was over"), "{error}")
                }
            }
        }
    });
}
