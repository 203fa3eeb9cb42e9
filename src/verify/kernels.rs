//! Comparison of every kernel of a search with its twin, stage by stage, from the same trees; then of whole steps by
//! both schedules.

use super::{
    checker::{Checker, Compared, Stop, Weight},
    searches::network,
    words,
};
use crate::{
    any_game::AnyGame,
    device::Device,
    error::Result,
    exact::rng::Stream,
    forest::{
        Schedule, Shape, Variant,
        layout::{Best, RootSum},
        root::root_record,
    },
    games::{Connect4, Go, Gomoku, Othello},
    gpu::{forest::Forest, program::Program, schedule, withdraw::Checkpoint},
    net::{LeafEvaluation, NetKernel, Trunk},
    reference::{
        self,
        count_jobs::count_jobs,
        fingerprint::fingerprint,
        reduce_over_actions::reduce_over_actions,
        reduce_over_trees::reduce_over_trees,
        reset::reset,
        seed::seed,
        stages::{ALL_TREES, Stage},
        take_back,
    },
    rules::{Game, GameShader, Player, Position},
    search::{Config, shape_of},
};
use bytemuck::cast_slice_mut;

/// Steps made kernel by kernel, and steps made in one submission.
const SINGLE: u32 = 2;
const WHOLE: u32 = 5;
const TREES_PER_POSITION: u32 = 2;
/// The memory before anything is written: not 0, so that "wrote 0" differs from "never wrote".
const UNWRITTEN: u32 = 0xa5a5_a5a5;

/// Checks all games, in an order in which adapters that compile slowly have at least one.
pub(super) async fn check(checker: &mut Checker<'_>, device: &Device) -> Result<(), Stop> {
    let light = |variant, playouts| Case { variant, playouts, leaves: 1, net: None, weight: Weight::Light };
    let heavy = |variant, playouts| Case { weight: Weight::Heavy, ..light(variant, playouts) };
    let evaluated = |leaves, trunk| Case { leaves, net: Some(trunk), ..heavy(Variant::OCP_PRODIGAL, 1) };
    let connect4 = [
        light(Variant::OCP_THRIFTY, 32),
        heavy(Variant::ACP_PRODIGAL, 32),
        heavy(Variant::OCP_PRODIGAL, 32),
        heavy(Variant::ACP_THRIFTY, 32),
        Case { leaves: 9, ..heavy(Variant::ACP_THRIFTY, 8) },
        evaluated(9, Trunk::Conv),
        evaluated(2, Trunk::Dense),
    ];
    of_game(checker, device, Ok(Connect4::default()), &connect4).await?;
    let both = [heavy(Variant::OCP_THRIFTY, 32), heavy(Variant::ACP_PRODIGAL, 32)];
    of_game(checker, device, Ok(Gomoku::default()), &both).await?;
    let of_othello =
        [heavy(Variant::OCP_PRODIGAL, 32), heavy(Variant::ACP_THRIFTY, 8), evaluated(20, Trunk::Conv)];
    of_game(checker, device, Ok(Othello), &of_othello).await?;
    let go = Go::new(5, 2.5).map(|go| go.with_superko(true));
    let leaves = Case { leaves: 20, ..heavy(Variant::OCP_PRODIGAL, 4) };
    of_game(checker, device, go, &[heavy(Variant::ACP_PRODIGAL, 4), leaves]).await?;
    let go = Go::new(9, 7.5).and_then(|go| go.with_policy("tactical"));
    of_game(checker, device, go, &[heavy(Variant::OCP_THRIFTY, 8)]).await
}

/// A search whose kernels are checked.
#[derive(Debug, Clone, Copy)]
struct Case {
    variant: Variant,
    playouts: u32,
    leaves: u32,
    /// The trunk of the network that evaluates the leaves, if any.
    net: Option<Trunk>,
    weight: Weight,
}

async fn of_game(
    checker: &mut Checker<'_>,
    device: &Device,
    game: Result<impl Into<AnyGame>>,
    cases: &[Case],
) -> Result<(), Stop> {
    let game = game.map(Into::<AnyGame>::into);
    for &case in cases {
        let Case { variant, playouts, leaves, net, weight } = case;
        let game = game.clone();
        let name = game.as_ref().map_or("", |game| game.name());
        let several = if leaves > 1 { format!(" x {leaves} leaves") } else { String::new() };
        let by = net.map_or(String::new(), |trunk| format!(" by a {trunk} network"));
        checker
            .run_case(&format!("{name} {variant} {playouts}{several}{by}"), weight, async move || {
                let mut rig = Rig::new(device, &game?, case).await?;
                rig.run().await
            })
            .await?;
    }
    Ok(())
}

/// The same trees on a device and on the host.
struct Rig {
    game: AnyGame,
    device: Forest,
    host: reference::Forest,
    roots: Vec<u32>,
    found: Compared,
}

impl Rig {
    async fn new(device: &Device, game: &AnyGame, case: Case) -> Result<Self> {
        let Case { variant, playouts, leaves, .. } = case;
        let net = case.net.map(|trunk| network(game, trunk)).transpose()?;
        // Priors and rapid action values wherever a search can have them.
        let prior_visits = if leaves > 1 && net.is_none() { 16 } else { 0 };
        let rave = if prior_visits > 0 && !variant.all_children { 32 } else { 0 };
        let config =
            Config { variant, playouts, leaf_batch: leaves, prior_visits, rave, seed: 11, ..Config::paper() };
        let positions = [Position::start(game), midgame(game)];
        let n_trees = positions.len() as u32 * TREES_PER_POSITION;
        let steps = SINGLE + WHOLE + 1;
        let shape = Shape {
            n_trees,
            trees_per_position: TREES_PER_POSITION,
            capacity: 1 + steps * leaves * game.max_actions(),
            evaluation: net.map(|net| LeafEvaluation::Network(net, NetKernel::Auto)),
            ..shape_of(game, &config)
        };
        let program = Program::compile(device, &GameShader::of(game), &shape, Schedule::Auto).await?;
        let shape = Shape { parts: program.parts(playouts), ..shape };
        let host = reference::Forest::new(shape.clone())?;
        let of_tree = |position| std::iter::repeat_n(root_record(position), TREES_PER_POSITION as usize);
        let roots = positions.iter().flat_map(of_tree).flatten().collect();
        let found = Compared::default();
        let mut rig =
            Self { game: game.clone(), device: Forest::new(&program, shape).await?, host, roots, found };
        rig.unwrite();
        rig.upload();
        Ok(rig)
    }

    /// Ends with the first kernel that differs, as later ones would differ because of it.
    async fn run(&mut self) -> Result<Compared> {
        self.device.seed().await?;
        seed(&mut self.host);
        let mut same = self.compare("seed").await?;
        if same {
            let roots = self.roots.clone();
            self.device.reset(&roots).await?;
            self.host.roots = roots;
            self.host.for_each_tree(|mut tree| reset(&mut tree));
            same = self.compare("reset").await?;
        }
        for step in 1..=SINGLE {
            same = same && self.single_step(step).await?;
        }
        same = same && self.abandoned_step().await?;
        let fused = (!self.host.shape.has_leaves()).then_some(Schedule::Fused);
        for schedule in [Schedule::Staged].into_iter().chain(fused) {
            same = same && self.whole_steps(schedule).await?;
        }
        if same {
            self.reductions().await?;
        }
        self.device.device().check_guards().await?;
        Ok(std::mem::take(&mut self.found))
    }

    /// One kernel after the other.
    async fn single_step(&mut self, step: u32) -> Result<bool> {
        for launch in self.device.staged_step().to_vec() {
            self.device.run(launch.kernel, launch.grid).await?;
            self.twin(launch.kernel);
            if !self.compare(&format!("{} of step {step}", launch.kernel)).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A step that is undone before its backup.
    async fn abandoned_step(&mut self) -> Result<bool> {
        let checkpoint = Checkpoint::new(&self.device).await?;
        let mut encoder = self.device.device().encoder();
        checkpoint.save(&self.device, &mut encoder);
        let device = self.device.device();
        device.wait(device.submit(encoder)).await?;
        let (trees, streams) = (self.host.trees.clone(), self.host.streams.clone());
        for launch in self.device.staged_step().to_vec() {
            if launch.stage != schedule::Stage::Backup {
                self.device.run(launch.kernel, launch.grid).await?;
                self.twin(launch.kernel);
            }
        }
        checkpoint.withdraw(&self.device).await?;
        let shape = self.host.shape.clone();
        self.host.for_each_tree(|mut tree| take_back(&shape, &mut tree, &trees));
        self.host.streams = streams;
        self.compare("withdraw").await
    }

    /// Steps in one submission, from the same trees, by a schedule.
    async fn whole_steps(&mut self, schedule: Schedule) -> Result<bool> {
        let before = self.host.clone();
        let device = self.device.device().clone();
        let submission = device.submit_pass(|pass| match schedule {
            Schedule::Fused => self.device.record_fused(pass, WHOLE),
            _ => self.device.record_staged(pass, WHOLE),
        });
        device.wait(submission).await?;
        Stage::Steps(WHOLE).make(&self.game, &mut self.host, ALL_TREES);
        let same = self.compare_lasting(&format!("{WHOLE} {schedule} steps")).await?;
        if schedule != Schedule::Fused {
            self.host = before;
            self.upload();
        }
        Ok(same)
    }

    async fn reductions(&mut self) -> Result<()> {
        let shape = self.host.shape.clone();
        let sums = reduce_over_trees(&self.host);
        self.device.reduce_over_trees(shape.max_actions).await?;
        let found = self.device.root_sums().await?;
        self.compare_one("reduce_over_trees", words::of_sums(&shape, &sums), words::of_sums(&shape, &found));
        let best = self.best_actions(&sums);
        let found = self.device.reduce_over_actions().await?;
        self.compare_one("reduce_over_actions", words::of_best(&best), words::of_best(&found));
        let digests = fingerprint(&self.host);
        let found = self.device.fingerprint().await?;
        self.compare_one("fingerprint", words::of_digests(&digests), words::of_digests(&found));
        Ok(())
    }

    fn compare_one(&mut self, what: &str, expected: words::Buffer<'_>, found: words::Buffer<'_>) {
        self.found.and(words::compare(what, &[expected], &[found], |_, _| false));
    }

    fn best_actions(&self, sums: &[RootSum]) -> Vec<Best> {
        let shape = &self.host.shape;
        let row = shape.max_actions as usize + 1;
        let first_trees = self.host.headers().iter().step_by(shape.trees_per_position as usize);
        let best = |(sums, tree): (&[RootSum], &crate::forest::layout::Tree)| {
            let turn = if tree.root_turn() == 0 { Player::First } else { Player::Second };
            reduce_over_actions((&shape.config, shape.win_points()), turn, sums)
        };
        sums.chunks(row).zip(first_trees).map(best).collect()
    }

    fn twin(&mut self, kernel: &'static str) {
        match kernel {
            "count_jobs" => count_jobs(&mut self.host),
            _ => Stage::Kernel(kernel).make(&self.game, &mut self.host, ALL_TREES),
        }
    }

    /// Whether everything is the same, to the last word.
    async fn compare(&mut self, what: &str) -> Result<bool> {
        let found = self.download().await?;
        let compared =
            words::compare(what, &words::of_trees(&self.host), &words::of_trees(&found), |_, _| false);
        self.found.and(compared);
        Ok(self.found.differing.is_none())
    }

    /// Whether trees and streams are the same. Schedules differ in the notes of the last step, and in words after a
    /// path.
    async fn compare_lasting(&mut self, what: &str) -> Result<bool> {
        let found = self.download().await?;
        let host = &self.host;
        let levels = host.shape.path_capacity as usize;
        let is_left_over = |buffer: &str, word: usize| match buffer {
            // The host's steps go tree by tree, and write no jobs.
            "jobs" => true,
            _ if host.shape.has_leaves() => false,
            "tallies" => true,
            "paths" => word % levels >= host.trees[word / levels].path_length as usize,
            _ => false,
        };
        let compared = words::compare(what, &words::of_trees(host), &words::of_trees(&found), is_left_over);
        self.found.and(compared);
        Ok(self.found.differing.is_none())
    }

    fn unwrite(&mut self) {
        macro_rules! fill {
            ($($buffer:ident)*) => { $(cast_slice_mut::<_, u32>(&mut self.host.$buffer).fill(UNWRITTEN);)* };
        }
        fill!(trees paths stats links states streams tallies firsts leaf_planes outputs jobs);
    }

    /// Overwrites the trees on the device with those of the host.
    fn upload(&self) {
        macro_rules! write {
            ($($buffer:ident)*) => { $(self.device.write(stringify!($buffer), &self.host.$buffer);)* };
        }
        write!(roots trees paths stats links states streams tallies firsts leaf_planes outputs jobs);
    }

    async fn download(&self) -> Result<reference::Forest> {
        let (device, host) = (&self.device, &self.host);
        macro_rules! read {
            ($($buffer:ident)*) => {
                reference::Forest {
                    shape: host.shape.clone(),
                    roots: host.roots.clone(),
                    evaluations: host.evaluations.clone(),
                    $($buffer: device.read(stringify!($buffer), host.$buffer.len()).await?,)*
                }
            };
        }
        Ok(read!(trees paths stats links states streams tallies firsts leaf_planes outputs jobs))
    }
}

/// A position some random moves into a game, where the second player is to move.
pub(super) fn midgame<G: Game>(game: &G) -> Position<G> {
    let mut stream = Stream::seeded(7);
    let mut position = Position::start(game);
    for _ in 0..9 {
        let next = position.random_action(&mut stream).and_then(|action| position.after(&[action]).ok());
        match next {
            Some(next) if next.outcome().is_none() => position = next,
            _ => break,
        }
    }
    position
}
