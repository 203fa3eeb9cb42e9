//! Networks on one core of the CPU: evaluations of random positions, residual networks of 6 blocks x 64 channels.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcts_wgpu::{
    internals::exact::rng::Stream,
    net::{Network, Sizes, Trunk},
};
use std::hint::black_box;

const BOARDS: u32 = 64;

fn evaluations(criterion: &mut Criterion) {
    for (game, size, planes, actions) in
        [("connect4", (6, 7), 4, 7), ("othello", (8, 8), 4, 65), ("go", (9, 9), 12, 82)]
    {
        let sizes = Sizes {
            game: game.into(),
            rows: size.0,
            columns: size.1,
            planes,
            actions,
            trunk: Trunk::Conv,
            blocks: 6,
            channels: 64,
            policy_channels: 2,
            value_channels: 1,
            value_hidden: 64,
        };
        let mut stream = Stream::seeded(1);
        let mut bits = || (stream.next_u64() >> (64 - planes)) as u32;
        let boards: Vec<u32> = (0..BOARDS * sizes.cells()).map(|_| bits() & bits()).collect();
        let network = Network::random(sizes, 1).expect("the sizes are within their ranges");
        let mut outputs = vec![0; (BOARDS * (actions + 3)) as usize];
        let mut group = criterion.benchmark_group("evaluations");
        group.throughput(Throughput::Elements(BOARDS.into()));
        group.bench_function(game, |bencher| {
            bencher.iter(|| network.evaluate(black_box(&boards), black_box(&mut outputs)));
        });
        group.finish();
    }
}

criterion_group! {
    name = networks;
    config = Criterion::default().sample_size(20);
    targets = evaluations
}
criterion_main!(networks);
