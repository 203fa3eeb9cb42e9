//! The CPU reference: the default search of each game, then each stage of the paper's search in one step of 64 grown
//! trees; and steps of few trees with several leaves on 1, 2, 4, ... cores. `playouts.rs` has games without trees.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use mcts_wgpu::{
    Budget, Config, Engine, Game, Position, Search, Settings, Variant,
    games::{Connect4, Go, Gomoku, Othello},
    internals::{
        exact::ucb,
        forest::{layout::ROOT_HEADER, shape::Shape},
        reference::{
            Forest, TreeView, backup_1::backup_1, backup_2::backup_2, expand_1::expand_1, expand_2::expand_2,
            playout::playout, reset::reset, seed::seed, select::select, step,
        },
    },
    search::shape_of,
};
use rayon::ThreadPoolBuilder;
use std::{hint::black_box, iter::successors, thread, time::Duration};

const TREES: u32 = 64;
const PLAYOUTS: u32 = 8;

fn shape<G: Game>(game: &G, variant: Variant, steps: u32) -> Shape {
    let config = Config { variant, playouts: PLAYOUTS, ..Config::paper() };
    let capacity = 1 + (steps + 2) * game.max_actions();
    Shape { n_trees: TREES, trees_per_position: TREES, capacity, ..shape_of(game, &config) }
}

/// Trees from the start of the game after some steps.
fn grown<G: Game>(game: &G, shape: &Shape, steps: u32) -> Forest {
    let mut forest = Forest::new(shape.clone()).expect("there is memory");
    for root in forest.roots.chunks_mut(shape.root_words()) {
        root[..ROOT_HEADER as usize].fill(0);
        game.pack(&game.start(), &mut root[ROOT_HEADER as usize..]);
    }
    seed(&mut forest);
    forest.for_each_tree(|mut tree| {
        reset(&mut tree);
        (0..steps).for_each(|_| step(game, shape, &mut tree));
    });
    forest
}

/// A stage, and the stages before it in a step, which are not measured.
struct Stage<'a> {
    name: &'static str,
    before: &'a (dyn Fn(&mut TreeView<'_>) + Sync),
    run: &'a (dyn Fn(&mut TreeView<'_>) + Sync),
}

fn stages<G: Game>(criterion: &mut Criterion, name: &str, game: &G, steps: u32) {
    for variant in [Variant::OCP_PRODIGAL, Variant::ACP_PRODIGAL] {
        let shape = shape(game, variant, steps);
        let forest = grown(game, &shape, steps);
        let select = |tree: &mut TreeView<'_>| select(game, &shape, tree);
        let expand = |tree: &mut TreeView<'_>| {
            expand_1(game, &shape, tree);
            expand_2(game, &shape, tree);
        };
        let playout = |tree: &mut TreeView<'_>| playout(game, &shape, tree);
        let backup = |tree: &mut TreeView<'_>| {
            backup_1(&shape, tree);
            backup_2(&shape, tree);
        };
        let until_expand = |tree: &mut TreeView<'_>| {
            select(tree);
            expand(tree);
        };
        let until_playout = |tree: &mut TreeView<'_>| {
            until_expand(tree);
            playout(tree);
        };
        let stages = [
            Stage { name: "select", before: &|_| (), run: &select },
            Stage { name: "expand", before: &select, run: &expand },
            Stage { name: "playout", before: &until_expand, run: &playout },
            Stage { name: "backup", before: &until_playout, run: &backup },
        ];
        measure(criterion, &format!("{name} {}", variant.name()), &forest, &stages);
    }
}

fn measure(criterion: &mut Criterion, name: &str, forest: &Forest, stages: &[Stage<'_>]) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(u64::from(TREES)));
    for stage in stages {
        let mut ready = forest.clone();
        ready.for_each_tree(|mut tree| (stage.before)(&mut tree));
        group.bench_function(stage.name, |bencher| {
            bencher.iter_batched_ref(
                || ready.clone(),
                |forest| forest.for_each_tree(|mut tree| (stage.run)(&mut tree)),
                BatchSize::LargeInput,
            )
        });
    }
    group.finish();
}

/// Steps of the default search from the start of a game.
fn default_search<G: Game>(criterion: &mut Criterion, name: &str, game: G) {
    const STEPS: u64 = 200;
    let position = Position::start(&game);
    let mut search =
        Search::new(&Engine::cpu(), game, Settings::default()).expect("the settings suit the game");
    let mut group = criterion.benchmark_group("default");
    group.sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(STEPS));
    group.bench_function(name, |bencher| {
        bencher.iter(|| search.run(&position, Budget::steps(STEPS)).expect("the search runs"))
    });
    group.finish();
}

/// Seeding of random streams, and the exact bound of one child.
fn exactness(criterion: &mut Criterion) {
    let game = Connect4::default();
    let shape = shape(&game, Variant::ACP_PRODIGAL, 0);
    let shape = shape.with(Config { playouts: 128, ..shape.config });
    let mut forest = Forest::new(shape.clone()).expect("there is memory");
    let mut group = criterion.benchmark_group("exactness");
    group.throughput(Throughput::Elements(u64::from(TREES) * shape.streams_per_tree() as u64));
    group.bench_function("seed", |bencher| bencher.iter(|| seed(&mut forest)));
    group.throughput(Throughput::Elements(1));
    let ln = ucb::ln(1_000_000);
    group.bench_function("ucb", |bencher| {
        bencher.iter(|| ucb::ucb(black_box(ln), black_box(12_345), black_box(6_789), black_box(2.0)))
    });
    group.finish();
}

/// Steps at a time: about as many as a search submits between two reads of the clock.
const STEPS: u32 = 20;

/// Leaves per second of few trees, on one core and on more, up to all.
fn cores<G: Game>(criterion: &mut Criterion, game: G) {
    let settings = Settings::default();
    let game = settings.with_policy(game).expect("the game has its policy");
    let all = thread::available_parallelism().map_or(1, usize::from);
    for (trees, leaves) in [(1, 32), (4, 8), (4, 16), (8, 8)] {
        let config = Config { trees, leaf_batch: leaves, ..settings.resolve(&game, &Engine::cpu()) };
        let grows = 4000 / leaves;
        let capacity = 1 + (grows + STEPS) * leaves * game.max_actions();
        let shape = Shape { n_trees: trees, trees_per_position: trees, capacity, ..shape_of(&game, &config) };
        let forest = grown(&game, &shape, grows);
        let mut group = criterion.benchmark_group(format!("{} {trees} x {leaves}", game.name()));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements(u64::from(trees * leaves * STEPS)));
        let counts = successors(Some(1), |&cores| (cores < all).then_some((2 * cores).min(all)));
        for cores in counts {
            let pool = ThreadPoolBuilder::new().num_threads(cores).build().expect("threads start");
            let steps = |forest: &mut Forest| {
                forest.for_each_tree(|mut tree| {
                    (0..STEPS).for_each(|_| step(&game, &shape, &mut tree));
                });
            };
            group.bench_function(format!("{cores} cores"), |bencher| {
                let on_pool = |forest: &mut Forest| pool.install(|| steps(forest));
                bencher.iter_batched_ref(|| forest.clone(), on_pool, BatchSize::LargeInput)
            });
        }
        group.finish();
    }
}

fn all(criterion: &mut Criterion) {
    default_search(criterion, "connect4", Connect4::default());
    default_search(criterion, "gomoku", Gomoku::default());
    default_search(criterion, "othello", Othello);
    default_search(criterion, "go 9", Go::new(9, 7.5).expect("a board"));
    stages(criterion, "connect4", &Connect4::default(), 500);
    stages(criterion, "gomoku", &Gomoku::default(), 100);
    cores(criterion, Connect4::default());
    cores(criterion, Gomoku::default());
    cores(criterion, Othello);
    cores(criterion, Go::new(9, 7.5).expect("the board exists"));
    exactness(criterion);
}

criterion_group!(benches, all);
criterion_main!(benches);
