//! The kernels of a game and a variant on one device, to be compared with their twins.

use super::*;
use mcts_wgpu::{
    internals::gpu::{forest::Forest, schedule::Grid, withdraw::Checkpoint},
    net::LeafEvaluation,
};

/// Sizes of a chunk that need no other compilation.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub trees_per_position: u32,
    pub first_tree: u32,
    pub capacity: u32,
    pub ucb_c: f32,
    pub seed: u64,
}

impl Setting {
    /// The shape with these sizes, for so many positions.
    pub fn of(self, shape: Shape, positions: usize) -> Shape {
        Shape {
            config: Config { ucb_c: self.ucb_c, seed: self.seed, ..shape.config },
            n_trees: self.trees_per_position * positions as u32,
            trees_per_position: self.trees_per_position,
            first_tree: self.first_tree,
            capacity: self.capacity,
            ..shape
        }
    }
}

/// Compiled kernels of a schedule, or of both.
pub struct Rig<G: Game> {
    pub name: String,
    game: G,
    base: Shape,
    program: Arc<Program>,
}

pub type Kind = (Variant, Semantics);

/// The exploration at the root of a search by a network, and whether it has playouts.
pub type Exploring = fn(Config) -> Config;

impl<G: Game> Rig<G> {
    /// Compiles what a schedule needs; `Auto` compiles both.
    pub fn new(device: &Device, game: &G, kind: Kind, playouts: u32, schedule: Schedule) -> Self {
        Self::compile(device, game, kind, Self::base(game, kind, (playouts, 1)), schedule)
    }

    /// The same for staged steps with so many playouts a leaf and leaves a tree.
    pub fn with_leaves(device: &Device, game: &G, kind: Kind, sizes: (u32, u32)) -> Self {
        Self::compile(device, game, kind, Self::base(game, kind, sizes), Schedule::Staged)
    }

    /// The same for steps whose leaves a network evaluates, by a kernel.
    pub fn with_network(
        device: &Device,
        game: &G,
        kind: Kind,
        (net, net_kernel, leaves): (&Arc<Network>, NetKernel, u32),
        exploring: Exploring,
    ) -> Self {
        let base = Self::base(game, kind, (1, leaves));
        let evaluation = Some(LeafEvaluation::Network(net.clone(), net_kernel));
        let base = Shape { evaluation, config: exploring(base.config), ..base };
        Self::compile(device, game, kind, base, Schedule::Staged)
    }

    fn base(game: &G, (variant, semantics): Kind, (playouts, leaf_batch): (u32, u32)) -> Shape {
        let shape = semantics.of(shape(game, variant, playouts));
        Shape { config: Config { leaf_batch, ..shape.config }, ..shape }
    }

    fn compile(device: &Device, game: &G, kind: Kind, base: Shape, schedule: Schedule) -> Self {
        let (variant, semantics) = kind;
        let info = device.info();
        let Config { playouts, leaf_batch, .. } = base.config;
        let evaluation = match &base.evaluation {
            Some(LeafEvaluation::Network(net, kernel)) => format!("{kernel} {:?}", net.sizes()),
            _ => String::new(),
        };
        let name = format!(
            "{} {} B {} {} m {playouts} x {leaf_batch} {semantics:?} {evaluation}",
            info.backend.name(),
            game.name(),
            game.max_actions(),
            variant.name()
        );
        let program = block_on(Program::compile(device, &game.shader(), &base, schedule))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, game: game.clone(), base, program }
    }

    pub fn game(&self) -> &G {
        &self.game
    }

    /// Kernels of a schedule for trees of a shape, with a mistake in them.
    pub fn planted(&self, shape: &Shape, schedule: Schedule, mistake: Mistake) -> Planted {
        Planted::new(self.program.device(), &self.game.shader(), shape, schedule, mistake)
    }

    /// [`start`](Self::start), and the trees on the host are ready for their first step.
    pub fn begin(&self, setting: Setting, positions: &[Position<G>]) -> (Snapshot<G>, OnDevice) {
        let (mut trees, device) = self.start(setting, positions);
        trees.begin();
        (trees, device)
    }

    /// Trees of the positions on the host, and the same memory on the device.
    pub fn start(&self, setting: Setting, positions: &[Position<G>]) -> (Snapshot<G>, OnDevice) {
        let (base, device) = (&self.base, self.program.device());
        let (widths, _) =
            staged_module(&self.game.shader(), base, device.machine()).expect("the shaders are valid");
        let base = Shape { parts: self.program.parts(base.config.playouts), ..base.clone() };
        let shape = setting.of(base, positions.len());
        let forest = block_on(Forest::new(&self.program, shape.clone())).expect("the device has room");
        (Snapshot::new(&self.game, shape, widths, positions), OnDevice { forest })
    }
}

pub struct OnDevice {
    pub forest: Forest,
}

impl OnDevice {
    pub fn put<G: Game>(&self, snapshot: &Snapshot<G>) {
        upload(&self.forest, &snapshot.forest);
        self.forest.write("dispatches", &snapshot.dispatches);
        self.forest.write("root_sums", &snapshot.root_sums);
        self.forest.write("best", &snapshot.best);
        self.forest.write("digests", &vec![UNWRITTEN; 2 * self.slices()]);
    }

    pub fn get<G: Game>(&self, like: &Snapshot<G>) -> Snapshot<G> {
        let lost = "the device goes on";
        let mut got = like.clone();
        got.forest = download(&self.forest);
        got.dispatches =
            block_on(self.forest.read("dispatches", 6)).expect(lost).try_into().expect("six words");
        got.root_sums = block_on(self.forest.root_sums()).expect(lost);
        got.best = block_on(self.forest.read("best", like.best.len())).expect(lost);
        let slices: Vec<UVec2> = block_on(self.forest.read("digests", self.slices())).expect(lost);
        got.digests = slices.chunks(DIGEST_SLICES as usize).map(sum).collect();
        got
    }

    fn slices(&self) -> usize {
        (self.forest.shape.n_trees * DIGEST_SLICES) as usize
    }

    /// Runs one kernel as a search launches it.
    pub fn run<G: Game>(&self, kernel: &str, input: &Snapshot<G>) {
        let forest = &self.forest;
        let run = async || match kernel {
            "seed" => forest.seed().await,
            "reset" => forest.reset(&input.forest.roots).await,
            "reduce_over_trees" => forest.reduce_over_trees(forest.shape.max_actions).await,
            "reduce_over_actions" => forest.reduce_over_actions().await.map(drop),
            "fingerprint" => forest.fingerprint().await.map(drop),
            stage => forest.run(stage, self.grid(stage)).await,
        };
        block_on(run()).expect("the device goes on");
    }

    /// Prodigal variants ignore the plan, which is one workgroup.
    fn grid(&self, stage: &str) -> Grid {
        let launch = self.forest.staged_step().iter().find(|launch| launch.kernel == stage);
        launch.map_or(Grid::Groups(1), |launch| launch.grid)
    }

    /// Saves the state that a step is undone to.
    pub fn save(&self) -> Checkpoint {
        let device = self.forest.device();
        let checkpoint = block_on(Checkpoint::new(&self.forest)).expect("the device has room");
        let mut encoder = device.encoder();
        checkpoint.save(&self.forest, &mut encoder);
        device.submit(encoder);
        checkpoint
    }

    /// Makes steps in one submission.
    pub fn step(&self, schedule: Schedule, steps: u32) {
        let device = self.forest.device();
        let mut encoder = device.encoder();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        match schedule {
            Schedule::Fused => self.forest.record_fused(&mut pass, steps),
            _ => self.forest.record_staged(&mut pass, steps),
        }
        drop(pass);
        block_on(device.wait(device.submit(encoder))).expect("the device goes on");
    }
}

/// A tree's digest: the sum of its slices, word by word.
fn sum(slices: &[UVec2]) -> u64 {
    let add = |s: UVec2, d: &UVec2| UVec2::new(s.x.wrapping_add(d.x), s.y.wrapping_add(d.y));
    mcts_wgpu::internals::forest::layout::join(slices.iter().fold(UVec2::ZERO, add))
}
