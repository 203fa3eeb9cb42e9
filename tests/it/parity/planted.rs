//! Modules of a search with a planted mistake. Their results must differ from the twins', or no comparison would find
//! the mistake.

use super::*;
use mcts_wgpu::{
    GameShader,
    internals::{
        device::compose::{Composed, Source, compose},
        forest::layout::Params,
        gpu::{
            schedule::rows,
            shaders::{
                FUSED, FUSED_APART, PACKED, RELAY, STAGED, packed_module, relay_groups, relay_module,
                whole_module,
            },
        },
    },
};
use wgpu::{BufferUsages, util::DeviceExt};

/// A description of the mistake, and its text in a shader.
pub type Mistake = (&'static str, &'static str);

/// No mistake: the comparisons that find the mistakes must accept it.
pub const NO_MISTAKE: Mistake = ("no mistake", "");

pub fn wrong_module(right: &Composed, (what, mistake): Mistake) -> Composed {
    let [from, to] = sides(mistake);
    let text = corrupted(right.text(), &from, &to);
    compose(&[Source::new(what, text)]).unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// The module of a schedule, with a mistake, and buffers of its own.
pub struct Planted {
    device: Device,
    module: Composed,
    shape: Shape,
    tables: Arc<[u32]>,
    launches: Vec<(&'static str, [u32; 3])>,
    at_once: bool,
}

impl Planted {
    /// Kernels are compiled at their first run.
    pub fn new(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        schedule: Schedule,
        mistake: Mistake,
    ) -> Self {
        let mut shape = shape.clone();
        let fused = schedule == Schedule::Fused;
        shape.config.variant =
            Variant { thrifty: shape.config.variant.thrifty && !fused, ..shape.config.variant };
        let whole =
            whole_module(game, &shape, device.limits()).expect("the shaders are valid").filter(|_| fused);
        let names = match (fused, &whole) {
            (true, Some(_)) => FUSED.to_vec(),
            (true, None) => FUSED_APART.to_vec(),
            (false, _) => STAGED.to_vec(),
        };
        let staged = || staged_module(game, &shape, device.machine()).expect("the shaders are valid");
        let (widths, right) = whole.unwrap_or_else(staged);
        let launches = launches(&names, &shape, widths);
        Self::of(device, game, &shape, (right, mistake), launches)
    }

    fn of(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        (right, mistake): (Composed, Mistake),
        launches: Vec<(&'static str, [u32; 3])>,
    ) -> Self {
        // The device may have compiled the right module before.
        let module = if mistake == NO_MISTAKE { right } else { wrong_module(&right, mistake) };
        let (device, shape, tables) = (device.clone(), shape.clone(), game.tables.clone());
        Self { device, module, shape, tables, launches, at_once: false }
    }

    /// All steps in one dispatch, as in searches: each of them computes lookahead paths for the next one.
    pub fn in_one_dispatch(self) -> Self {
        Self { at_once: true, ..self }
    }

    /// Whole steps of several trees a workgroup, with `team` lanes each.
    fn packed(device: &Device, game: &GameShader, shape: &Shape, team: u32, mistake: Mistake) -> Self {
        let packed = packed_module(game, shape, device.limits(), team).expect("the shaders are valid");
        let (widths, right) = packed.expect("it fits");
        let (x, y) = rows(shape.n_trees.div_ceil(widths.tree / team));
        let launches = vec![(PACKED[0], [x, y, 1])];
        Self::of(device, game, shape, (right, mistake), launches).in_one_dispatch()
    }

    /// A dispatch a step.
    fn relay(device: &Device, game: &GameShader, shape: &Shape, mistake: Mistake) -> Self {
        let relay = relay_module(game, shape, device.limits()).expect("the shaders are valid");
        let (widths, right) = relay.expect("it fits");
        let launch = |name, groups| {
            let (x, y) = rows(groups);
            (name, [x, y, 1])
        };
        let [begin, relay, end] = RELAY;
        let trees = shape.n_trees;
        let groups = relay_groups(shape, widths);
        let launches = vec![launch(begin, trees), launch(relay, groups), launch(end, trees)];
        Self::of(device, game, shape, (right, mistake), launches).in_one_dispatch()
    }

    pub fn step<G: Game>(&self, input: &Snapshot<G>, steps: u32) -> Snapshot<G> {
        if let [begin, relay, end] = self.launches[..]
            && begin.0 == RELAY[0]
        {
            let launches = [&[begin][..], &vec![relay; steps as usize], &[end]].concat();
            return self.run(input, &launches, 1);
        }
        if self.at_once {
            return self.run(input, &self.launches, steps);
        }
        (0..steps).fold(input.clone(), |input, _| self.run(&input, &self.launches, 1))
    }

    pub fn kernel<G: Game>(&self, input: &Snapshot<G>, name: &'static str, groups: [u32; 3]) -> Snapshot<G> {
        self.run(input, &[(name, groups)], 1)
    }

    /// With run-time checks, since a wrong shader may leave its bounds. A kernel of whole steps makes `steps`.
    fn run<G: Game>(
        &self,
        input: &Snapshot<G>,
        launches: &[(&'static str, [u32; 3])],
        steps: u32,
    ) -> Snapshot<G> {
        let names: BTreeSet<_> = launches.iter().map(|&(name, _)| name).collect();
        let names: Vec<_> = names.into_iter().collect();
        let kernels = Kernels::compile(&self.device, &self.module, &names);
        let kernels = block_on(kernels).expect("it compiles");
        let mut buffers = self.buffers(input, steps);
        let notes = [self.notes("notes"), self.notes("notes")];
        buffers.insert("lookahead_paths", self.notes("lookahead_paths"));
        let mut encoder = self.device.encoder();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for (index, &(name, groups)) in launches.iter().enumerate() {
            // The next dispatch of a relay reads the notes of the last one.
            buffers.insert("notes", notes[(index + 1) % 2].clone());
            buffers.insert("next_notes", notes[index % 2].clone());
            let bound = kernels.bind(&self.device, name, &buffers).expect("all buffers are there");
            bound.dispatch(&mut pass, groups);
        }
        drop(pass);
        block_on(self.device.wait(self.device.submit(encoder))).expect("the device goes on");
        let mut output = input.clone();
        for (name, words) in output.buffers_mut() {
            words.copy_from_slice(
                &block_on(self.device.read(&buffers[name], words.len())).expect("the device goes on"),
            );
        }
        output
    }

    fn notes(&self, name: &'static str) -> wgpu::Buffer {
        let bytes = self.module.element_bytes(name) * self.shape.n_trees;
        let words = vec![UNWRITTEN; (bytes as usize / 4).max(1)];
        self.device.wgpu().create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some(name),
            contents: bytemuck::cast_slice(&words),
            usage: BufferUsages::STORAGE,
        })
    }

    fn buffers<G: Game>(&self, input: &Snapshot<G>, steps: u32) -> HashMap<&'static str, wgpu::Buffer> {
        let shape = &self.shape;
        let params = Params {
            n_trees: shape.n_trees,
            first_tree: shape.first_tree,
            capacity: shape.capacity,
            trees_per_position: shape.trees_per_position,
            stream_zero: split(Stream::seeded(shape.config.seed).s0),
            ucb_c: shape.c_word(),
            steps,
            first_group: 0,
            padding: 0,
        };
        let jumps = bytemuck::cast_slice(Jumps::words());
        let mut words = input.buffers();
        words.extend([("params", bytemuck::cast_slice(std::slice::from_ref(&params))), ("jumps", jumps)]);
        if !self.tables.is_empty() {
            words.push(("game_tables", &self.tables));
        }
        let buffer = |(name, words): (&'static str, &[u32])| {
            let usage = if name == "params" { BufferUsages::UNIFORM } else { BufferUsages::STORAGE };
            let descriptor = wgpu::util::BufferInitDescriptor {
                label: Some(name),
                contents: bytemuck::cast_slice(words),
                usage: usage | BufferUsages::COPY_SRC,
            };
            (name, self.device.wgpu().create_buffer_init(&descriptor))
        };
        words.into_iter().map(buffer).collect()
    }
}

/// A kind of whole steps: variant and meaning of the trees, playouts, and the lanes of a tree where several trees share
/// a workgroup; `None` for a dispatch a step.
#[derive(Clone, Copy)]
pub struct WholeSteps(pub Variant, pub Semantics, pub u32, pub Option<u32>);

impl WholeSteps {
    pub fn trees<G: Game>(self, game: &G, setting: Setting, positions: &[Position<G>]) -> Snapshot<G> {
        let Self(variant, semantics, playouts, _) = self;
        seeded_trees(game, semantics.of(shape(game, variant, playouts)), setting, positions)
    }

    fn planted<G: Game>(self, device: &Device, before: &Snapshot<G>, mistake: Mistake) -> Planted {
        let (game, shape) = (before.game.shader(), &before.forest.shape);
        match self.3 {
            Some(team) => Planted::packed(device, &game, shape, team, mistake),
            None => Planted::relay(device, &game, shape, mistake),
        }
    }

    /// Submissions of some steps each leave the trees of the twins, which it returns. Too many steps in one would be
    /// loops that software adapters end.
    pub fn check<G: Game>(self, device: &Device, before: &Snapshot<G>, steps: &[u32]) -> Snapshot<G> {
        let right = self.planted(device, before, NO_MISTAKE);
        let (mut host, mut got) = (before.clone(), before.clone());
        for &steps in steps {
            host.step(steps);
            got = right.step(&got, steps);
            let (game, Self(_, _, playouts, team)) = (before.game.name(), self);
            compare(&host, &got, &format!("{game} m {playouts} {team:?} {steps} steps"));
        }
        host
    }

    /// Each of the mistakes changes the trees; without a mistake they are equal.
    pub fn find<G: Game>(self, device: &Device, before: &Snapshot<G>, steps: &[u32], mistakes: &[Mistake]) {
        let after = self.check(device, before, steps);
        for &mistake in tried(mistakes) {
            let wrong = self.planted(device, before, mistake);
            let got = steps.iter().fold(before.clone(), |trees, &steps| wrong.step(&trees, steps));
            assert!(!differing_words(&after, &got).is_empty(), "not found: {}", mistake.0);
        }
    }

    /// On boards so small that trees become full.
    pub fn check_full(self, device: &Device) {
        let game = connect4_of(4, 4);
        let full = Setting { trees_per_position: 1, first_tree: 0, capacity: 40, ucb_c: 1.5, seed: 5 };
        let after = self.check(device, &self.trees(&game, full, &of_all_stages(&game)), &[50, 20]);
        assert!(after.forest.trees.iter().any(|tree| tree.flags & TREE_FULL != 0));
    }

    /// With paths of more levels than `levels`.
    pub fn check_deep(self, device: &Device, steps: &[u32], levels: u32) {
        let tower = connect4_of(30, 2);
        let deep = Setting { trees_per_position: 9, first_tree: 0, capacity: 2000, ucb_c: 0.0, seed: 5 };
        let after = self.check(device, &self.trees(&tower, deep, &[Position::start(&tower)]), steps);
        assert!(after.forest.trees.iter().any(|tree| tree.max_depth > levels));
    }
}

/// Trees of the positions before their first step.
pub fn seeded_trees<G: Game>(
    game: &G,
    base: Shape,
    setting: Setting,
    positions: &[Position<G>],
) -> Snapshot<G> {
    let shape = setting.of(base, positions.len());
    let limits = wgpu::Limits::defaults();
    let machine = Machine { limits: &limits, software: true, subgroup: 0, matrices: false };
    let (widths, _) = staged_module(&game.shader(), &shape, machine).expect("the shaders are valid");

    Snapshot::begun(game, shape, widths, positions)
}

/// The dispatches of a step with these kernels. Workgroups beyond the plan of thrifty variants do nothing.
fn launches(names: &[&'static str], shape: &Shape, widths: Widths) -> Vec<(&'static str, [u32; 3])> {
    let children = shape.n_trees * shape.max_actions;
    let games = shape.n_trees * shape.stream_sets() * shape.config.playouts;
    let groups = |name| match name {
        "count_jobs" => 1,
        "expand_2" => children.div_ceil(widths.tree),
        "playout" => games.div_ceil(widths.games),
        _ => shape.n_trees,
    };
    let in_a_step = names.iter().filter(|name| **name != "advance");
    let launch = |&name| {
        let (x, y) = rows(groups(name));
        (name, [x, y, 1])
    };
    in_a_step.map(launch).collect()
}

/// A kernel has the results of its twin, but not with one of the mistakes. Returns the twin's results.
pub fn check_mistakes<G: Game>(
    rig: &Rig<G>,
    input: &Snapshot<G>,
    (kernel, groups): (&'static str, [u32; 3]),
    mistakes: &[Mistake],
) -> Snapshot<G> {
    let mut expected = input.clone();
    expected.twin(kernel);
    let differs = |mistake| {
        let planted = rig.planted(&input.forest.shape, Schedule::Staged, mistake);
        !expected.differences(&planted.kernel(input, kernel, groups)).is_empty()
    };
    assert!(!differs(NO_MISTAKE), "{} {kernel}", rig.name);
    for &mistake in tried(mistakes) {
        assert!(differs(mistake), "not found: {}, {kernel}", mistake.0);
    }
    expected
}

/// Trees before some steps, and as the twins leave them after these.
pub struct Steps<G: Game> {
    pub before: Snapshot<G>,
    pub after: Snapshot<G>,
    steps: u32,
}

impl<G: Game> Steps<G> {
    pub fn of(before: Snapshot<G>, steps: u32) -> Self {
        let mut after = before.clone();
        after.step(steps);
        Self { before, after, steps }
    }

    pub fn assert_same(&self, rig: &Rig<G>, device: &OnDevice, schedule: Schedule) {
        device.put(&self.before);
        device.step(schedule, self.steps);
        compare(&self.after, &device.get(&self.after), &format!("{} {}", rig.name, schedule.name()));
    }

    /// With any of the mistakes they differ, and without a mistake they are the same.
    pub fn assert_found(&self, rig: &Rig<G>, schedule: Schedule, mistakes: &[Mistake]) {
        let differs = |mistake| {
            let planted = rig.planted(&self.before.forest.shape, schedule, mistake);
            !differing_words(&self.after, &planted.step(&self.before, self.steps)).is_empty()
        };
        let mistakes = tried(mistakes);
        assert!(mistakes.is_empty() || !differs(NO_MISTAKE), "{} {}", rig.name, schedule.name());
        for &mistake in mistakes {
            assert!(differs(mistake), "{} {}: not found: {}", rig.name, schedule.name(), mistake.0);
        }
    }
}
