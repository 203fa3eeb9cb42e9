//! Steps cut into slices: the results of whole steps; and an abandoned step has no effect.

use super::{leaves::check_withdraw, *};
use mcts_wgpu::Progress;

fn config(variant: Variant) -> Config {
    Config { variant, trees: 3, playouts: 32, seed: 31, node_limit: Some(600), ..Config::paper() }
}

/// A report without what depends on the engine.
fn found(reports: &[Report]) -> impl PartialEq + std::fmt::Debug + use<> {
    let of = |report: &Report| {
        let counts = (report.n_root, report.performance.steps, report.performance.playouts);
        (report.best.clone(), report.actions.clone(), counts, report.fingerprint.clone())
    };
    reports.iter().map(of).collect::<Vec<_>>()
}

fn new<G: Game>(engine: &Engine, game: &G, config: &Config, units: Option<u32>) -> Search<G> {
    let mut search = search_on(engine, game.clone(), *config);
    search.cut_steps(units);
    // More than one chunk from the start.
    search.grow_from(u32::MAX, u64::MAX);
    search
}

fn run<G: Game>(search: &mut Search<G>, positions: &[Position<G>], steps: u64) -> Vec<Report> {
    search.batch(positions, steps)
}

/// Runs until `progress` has been called so often; 0 if a run ends before that.
fn run_until<G: Game>(
    search: &mut Search<G>,
    positions: &[Position<G>],
    calls: u32,
    steps: u64,
) -> Vec<Report> {
    let mut left = calls;
    let printed = |_| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    search.run_batch_with(positions, Budget::steps(steps), printed).expect("the search runs")
}

fn positions<G: Game>(game: &G) -> Vec<Position<G>> {
    let mut player = RandomGames::new(game, 5);
    vec![Position::start(game), player.midgame(), player.finished(), player.before_a_win(1)]
}

/// A search whose steps are cut, and the twins' search with whole steps: both on streams that continue from run to run.
struct Pair {
    cut: Search<Connect4>,
    whole: Search<Connect4>,
    name: String,
}

impl Pair {
    fn new(engine: &Engine, config: &Config, name: &str) -> Self {
        let game = Connect4::default();
        let name = format!("{name} {}", config.variant.name());
        Self { cut: new(engine, &game, config, None), whole: new(&Engine::cpu(), &game, config, None), name }
    }

    fn run_both(&mut self, positions: &[Position<Connect4>], steps: u64, what: &str) {
        let [cut, whole] =
            [&mut self.cut, &mut self.whole].map(|search| found(&run(search, positions, steps)));
        assert_eq!(cut, whole, "{}: {what}", self.name);
    }

    fn check_slices(&mut self, positions: &[Position<Connect4>]) {
        for units in [1, 5, 1000] {
            self.cut.cut_steps(Some(units));
            self.run_both(positions, 12, &format!("a batch in slices of {units}"));
            self.run_both(&positions[..1], 12, &format!("slices of {units}"));
        }
    }

    /// A run that is ended at any point has the effect of its whole steps.
    fn check_a_break(&mut self, positions: &[Position<Connect4>], calls: u32) {
        let what = format!("{} positions, {calls} calls", positions.len());
        self.cut.cut_steps(Some(4));
        let left = run_until(&mut self.cut, positions, calls, 5);
        let steps = left[0].performance.steps;
        if steps > 0 {
            assert_eq!(found(&left), found(&run(&mut self.whole, positions, steps)), "{}: {what}", self.name);
        }
        self.cut.cut_steps(None);
        self.run_both(positions, 4, &what);
    }
}

#[test]
fn cut_steps_are_whole_ones_or_none() {
    let game = Connect4::default();
    let positions = positions(&game);
    let mut answered = positions[0].clone();
    answered.play(3).expect("a legal move");
    for variant in Variant::ALL {
        let fused = variant == Variant::ACP_PRODIGAL;
        let schedules = if fused { &[Schedule::Staged, Schedule::Fused][..] } else { &[Schedule::Staged] };
        each_schedule(schedules, |engine, schedule, name| {
            let config = Config { schedule, reuse: true, ..config(variant) };
            let mut pair = Pair::new(engine, &config, name);
            pair.check_slices(&positions);
            for calls in [1, 2, 3, 5, 8, 9, 10, 13, 21, 34] {
                pair.check_a_break(&positions, calls);
                pair.check_a_break(&positions[..1], calls);
                // The tree of the last run, below a move.
                pair.check_a_break(std::slice::from_ref(&answered), calls);
            }
        });
    }
}

#[test]
fn devices_leave_a_step_together() {
    let game = Connect4::default();
    each_adapter(|adapter| {
        let config = Config { schedule: Schedule::Staged, ..config(Variant::ACP_THRIFTY) };
        let mut pair = Pair::new(&Engine::devices_of(devices(adapter, 2)), &config, "two devices");
        pair.check_slices(&positions(&game));
        (1..12).for_each(|calls| pair.check_a_break(&positions(&game)[..1], calls));
    });
}

/// Several parts of a node's playouts, histories, several chunks, and more games than a fused kernel takes on a
/// software adapter.
#[test]
fn slices_of_other_searches_make_the_same_trees() {
    fn check<G: Game>(game: &G, config: &Config, schedule: Schedule, steps: u64) {
        let start = [Position::start(game)];
        let expected = found(&run(&mut new(&Engine::cpu(), game, config, None), &start, steps));
        each_schedule(&[schedule], |engine, schedule, name| {
            let config = Config { schedule, ..*config };
            let cut = run(&mut new(engine, game, &config, Some(7)), &start, steps);
            assert_eq!(found(&cut), expected, "{name} {}", game.name());
        });
    }
    let gomoku = gomoku_of(6);
    check(&gomoku, &Config { playouts: 256, ..config(Variant::ACP_THRIFTY) }, Schedule::Staged, 3);
    let superko = go_of(4, 7.5).with_superko(true);
    check(&superko, &config(Variant::ACP_PRODIGAL), Schedule::Staged, 8);
    let chunks = Config { memory: Some(300 << 20), node_limit: None, ..config(Variant::ACP_THRIFTY) };
    check(&Connect4::default(), &chunks, Schedule::Staged, 3);
    let wide = Config { trees: 13, playouts: 512, ..config(Variant::OCP_PRODIGAL) };
    check(&Connect4::default(), &wide, Schedule::Fused, 3);
}

/// Steps of so many games take two cores a minute.
#[test]
fn a_wide_step_is_left_at_once() {
    fn check<G: Game>(engine: &Engine, game: &G, config: &Config, batch: usize, name: &str) -> String {
        let mut search = search_on(engine, game.clone(), *config);
        let positions = vec![Position::start(game); batch];
        let report = run_until(&mut search, &positions, 2, u64::MAX).remove(0);
        let done = &report.performance;
        assert_eq!((done.steps, done.playouts, report.n_root), (0, 0, 0), "{name} {}", game.name());
        assert!(done.few_steps && report.best.is_none(), "{name}");
        assert_eq!(report.trees_info.max_size, 1, "{name}");
        report.fingerprint
    }
    let config = Config { memory: Some(256 << 20), ..Config::paper() };
    let gomoku = Gomoku::default();
    let expected = check(&Engine::cpu(), &gomoku, &config, 1, "CPU");
    check(&Engine::cpu(), &go_of(19, 7.5), &config, 1, "CPU");
    let small = Config { node_limit: Some(100), ..Config::paper() };
    check(&Engine::cpu(), &Connect4::default(), &small, 2000, "CPU");
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let config = Config { schedule: Schedule::Staged, ..config };
        assert_eq!(check(&engine, &gomoku, &config, 1, adapter.info().backend.name()), expected);
    });
}

/// With cut steps, progress is reported within a step, and only whole steps count.
#[test]
fn progress_is_reported_within_a_step() {
    let game = Connect4::default();
    each_schedule(&[Schedule::Staged], |engine, schedule, name| {
        let mut search = new(engine, &game, &Config { schedule, ..config(Variant::ACP_PRODIGAL) }, Some(4));
        let mut seen: Vec<Progress> = Vec::new();
        let report = search.run_with(&Position::start(&game), Budget::steps(3), |progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        });
        assert_eq!(report.expect("the search runs").performance.steps, 3, "{name}");
        assert!(seen.len() > 9 && seen.is_sorted_by_key(|progress| progress.steps), "{name}: {seen:?}");
        assert_eq!((seen[0].steps, seen[seen.len() - 1].steps), (0, 3), "{name}");
    });
}

/// The kernel and its twin, after all stages before the backup, and where only some trees have reached a stage.
#[test]
fn the_kernel_undoes_steps_as_its_twin() {
    each_adapter(|adapter| {
        let (device, game) = (device(adapter), Connect4::default());
        // Memory for some expansions: then trees are full.
        let setting = Setting { trees_per_position: 2, first_tree: 0, capacity: 40, ucb_c: 2.0, seed: 3 };
        for variant in [Variant::ACP_THRIFTY, Variant::OCP_PRODIGAL] {
            let kind = (variant, Semantics::Stronger);
            let rig = Rig::new(&device, &game, kind, 32, Schedule::Staged);
            for plan in [(0, 6, 1.0), (3, 5, 1.0), (5, 1, 0.4), (7, 2, 0.4), (9, 5, 0.6), (30, 6, 1.0)] {
                check_withdraw(&rig, setting, &positions(&game), plan);
            }
        }
    });
}
