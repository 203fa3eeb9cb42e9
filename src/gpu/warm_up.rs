//! The first run of kernels.

use super::{forest::Forest, program::Program, schedule::Grid, withdraw};
use crate::{
    error::Result,
    forest::{shape::Shape, variant::Schedule},
    rules::Outcome,
};
use std::sync::Arc;

impl Program {
    /// Runs every kernel once, in memory of its own, on a tree whose game is over: many drivers compile a kernel at its
    /// first dispatch, which is thus outside the search's steps.
    ///
    /// # Errors
    /// Out of memory; device lost.
    pub async fn warm_up(self: &Arc<Self>, shape: &Shape, schedule: Schedule) -> Result<()> {
        let smallest = Shape {
            n_trees: 1,
            first_tree: 0,
            trees_per_position: 1,
            capacity: shape.max_actions + 1,
            parts: self.parts(shape.config.playouts),
            ..shape.clone()
        };
        let mut root = vec![0; smallest.root_words()];
        let forest = Forest::new(self, smallest).await?;
        // Some streams suffice: seeding all of them takes a software adapter long.
        forest.run("seed", Grid::Groups(1)).await?;
        root[1] = Outcome::code(Some(Outcome::Draw));
        forest.reset(&root).await?;
        let checkpoint = withdraw::Checkpoint::new(&forest).await?;
        let mut encoder = forest.device().encoder();
        checkpoint.save(&forest, &mut encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        // Two steps: the fused schedule has a kernel between one and the next.
        match schedule {
            Schedule::Fused => forest.record_fused(&mut pass, 2),
            _ => forest.record_staged(&mut pass, 2),
        }
        drop(pass);
        forest.device().submit(encoder);
        checkpoint.withdraw(&forest).await?;
        forest.reduce_over_trees(1).await?;
        forest.reduce_over_actions().await?;
        forest.fingerprint().await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::{
            Device,
            compose::{Source, compose},
            segments::Segments,
        },
        forest::variant::Variant,
        games::{Connect4, Go, Gomoku},
        gpu::{reuse::Reuse, shaders::staged_module},
        host::block_on,
        net::{LeafEvaluation, NetKernel, Network, Sizes, Trunk},
        rules::Game,
        search::{Config, shape_of},
    };

    /// wgpu accepts every kernel with its nodes in segments, their buffers, and a step.
    fn runs_in_segments<G: Game>(device: &Device, game: &G, config: &Config, schedule: Schedule) {
        let shape = Shape { trees_per_position: config.trees, ..shape_of(game, config) };
        shape_runs_in_segments(device, game, shape, schedule);
    }

    fn shape_runs_in_segments<G: Game>(device: &Device, game: &G, shape: Shape, schedule: Schedule) {
        let shader = game.shader();
        let program = Program::compile(device, &shader, &shape, schedule);
        let program = block_on(program).expect("the kernels compile");
        block_on(program.warm_up(&shape, schedule)).expect("a step can be made");
        let reuse = Reuse::compile(device, &shader, &shape);
        let parts = program.parts(shape.config.playouts);
        let forest = Forest::new(
            &program,
            Shape { n_trees: 3, capacity: 5000, trees_per_position: 3, parts, ..shape.clone() },
        );
        let forest = block_on(forest).expect("the buffers are made");
        let roots = vec![0; 3 * forest.shape.root_words()];
        block_on(block_on(reuse).expect("reuse compiles").run(&forest, &roots, &[0]))
            .expect("trees are reused");
    }

    /// As the Vulkan backend translates, with run-time checks and without.
    #[test]
    fn modules_in_segments_translate_to_spirv() {
        use naga::{
            back::spv,
            proc::BoundsCheckPolicy::{Restrict, Unchecked},
        };
        let segments = Segments { count: 5, shift: 12 };
        for leaves in [1, 4] {
            let config = Config { leaf_batch: leaves, ..Config::paper() };
            let game = Connect4::default();
            let shape = shape_of(&game, &config);
            let module = staged_module(
                &game.shader(),
                &shape,
                crate::device::Machine {
                    limits: &wgpu::Limits::defaults(),
                    software: true,
                    subgroup: 0,
                    matrices: false,
                },
            );
            let (_, module) = module.expect("it fits");
            let text = segments.cut(module.text()).expect("it has nodes");
            let module = compose(&[Source::new("(in segments)", text)]).expect("it is valid");
            for policy in [Restrict, Unchecked] {
                let options = spv::Options {
                    bounds_check_policies: naga::proc::BoundsCheckPolicies {
                        index: policy,
                        buffer: policy,
                        binding_array: policy,
                        ..Default::default()
                    },
                    ..Default::default()
                };
                let words = spv::write_vec(module.module(), module.info(), &options, None);
                assert!(words.expect("naga translates it").len() > 1000);
            }
        }
    }

    #[test]
    fn kernels_run_in_segments() {
        let idle = Device::idle();
        assert!(idle.array_bindings() > 100 && idle.segments().is_none());
        let device = idle.with_segments(Segments { count: 5, shift: 12 });
        for variant in [Variant::OCP_PRODIGAL, Variant::ACP_PRODIGAL] {
            for leaves in [1, 4] {
                let config =
                    Config { variant, leaf_batch: leaves, trees: 3, playouts: 32, ..Config::paper() };
                for schedule in [Schedule::Staged, Schedule::Fused] {
                    runs_in_segments(&device, &Connect4::default(), &config, schedule);
                    runs_in_segments(&device, &Gomoku::new(9).expect("a board"), &config, schedule);
                }
            }
        }
        let packed = Config { trees: 2048, playouts: 1, ..Config::paper() };
        runs_in_segments(&device, &Connect4::default(), &packed, Schedule::Fused);
        let go = Go::new(9, 7.5).expect("a board").with_superko(true);
        let rapid = Config { prior_visits: 16, rave: 100, variant: Variant::OCP_THRIFTY, ..packed };
        runs_in_segments(&device, &go, &rapid, Schedule::Staged);
        runs_in_segments(&device, &go, &Config { rave: 0, ..rapid }, Schedule::Staged);
        let evaluated =
            Config { playouts: 1, leaf_batch: 4, variant: Variant::OCP_PRODIGAL, ..Config::paper() };
        let sizes = Sizes::of_game(&Connect4::default(), Trunk::Conv, 1, 16);
        let net = sizes.and_then(|sizes| Network::random(sizes, 1)).expect("the game has planes");
        let evaluation = Some(LeafEvaluation::Network(Arc::new(net), NetKernel::Auto));
        let shape = Shape { evaluation, ..shape_of(&Connect4::default(), &evaluated) };
        shape_runs_in_segments(&device, &Connect4::default(), shape, Schedule::Staged);
    }
}
