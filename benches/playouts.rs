//! Playouts of each game: on one core of the CPU, one by one and as rollouts play them (side by side, if the game can),
//! and rollouts on all cores and on the default adapter.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcts_wgpu::{
    Engine, Game, Player, Position,
    games::{Connect4, Go, Gomoku, Othello},
    internals::reference::rollout::{Rules, play, rollout},
    rollout::{RolloutConfig, Rollouts},
};
use rayon::ThreadPoolBuilder;
use std::time::Duration;

/// A game, its name in the results, and a number of rollouts that takes the CPU some tens of milliseconds.
fn playouts<G: Game>(criterion: &mut Criterion, name: &str, game: &G, games: u64) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(2));

    let rules = Rules {
        game: game.clone(),
        state: game.start(),
        turn: Player::First,
        seed: 0,
        max_moves: u32::MAX,
        owners: false,
    };
    let mut number = 0;
    group.throughput(Throughput::Elements(1));
    group.bench_function("one core, one by one", |bencher| {
        bencher.iter(|| {
            number += 1;
            play(&rules, number)
        })
    });

    group.throughput(Throughput::Elements(games));
    let one_core = ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    group.bench_function("one core", |bencher| {
        bencher.iter(|| one_core.install(|| rollout(&rules, 0..games)))
    });

    let auto = Engine::auto();
    for (engine, label) in [(&Engine::cpu(), "all cores".to_owned()), (&auto, auto.info().adapter)] {
        let config = RolloutConfig::default();
        let mut rollouts = Rollouts::new(engine, game.clone(), config).expect("the rollouts start");
        let start = Position::start(game);
        group.bench_function(label, |bencher| {
            bencher.iter(|| rollouts.run(&start, games).expect("the games are played"))
        });
    }
    group.finish();
}

fn all_games(criterion: &mut Criterion) {
    let go = |size| Go::new(size, 7.5).expect("a board");
    playouts(criterion, "connect4", &Connect4::default(), 100_000);
    playouts(criterion, "gomoku 15", &Gomoku::default(), 10_000);
    playouts(criterion, "othello", &Othello, 10_000);
    playouts(criterion, "go 9", &go(9), 5_000);
    playouts(criterion, "go 19", &go(19), 500);
}

criterion_group!(benches, all_games);
criterion_main!(benches);
