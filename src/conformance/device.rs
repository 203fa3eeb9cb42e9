//! Comparison of the rules in WGSL with those in Rust.

use super::{Finding, Part, walk::Walk};
use crate::{
    device::{
        Device,
        compose::{self, Composed, Source, constants, files, flags},
        kernels::{Bound, Kernels},
        rules::{PlayoutMemory, stand_ins},
    },
    error::Result,
    exact::rng::Stream,
    forest::fault::SOFTWARE_ITERATIONS,
    rules::{Game, GameShader, Outcome, is_scored, packed},
};
use std::collections::HashMap;
use wgpu::BufferUsages;

/// Playouts that begin at positions of one game.
const PLAYOUTS_A_GAME: usize = 4;
/// Plies of a playout whose lengths of lists are compared one by one; later lengths are compared by a hash.
const LOGGED_PLIES: u32 = 512;
/// Lanes of a workgroup, and its memory, which every adapter has.
const MOST_LANES: u32 = 64;
const WORKGROUP_WORDS: u32 = 4096;
/// Bits of an action's urgency, and of its urgency and prior together.
const URGENCY_BITS: usize = 3;
const SAID_BITS: usize = URGENCY_BITS + 7;
/// Tasks of a dispatch, and words of its tasks or results.
const MOST_TASKS: usize = 4096;
const MOST_WORDS: usize = 1 << 21;
/// The bindings of `game_tables`, and of `sh_playout` where it exceeds workgroup memory.
const TABLES_BINDING: u32 = 3;
const MEMORY_BINDING: u32 = 4;

const RULES: &str = "conform_rules";
const PLAYOUT: &str = "conform_playout";
const RUN: &str = "conform_run";
const PLANES: &str = "conform_planes";

/// Optional functions of a game that the kernels call.
const OF_KEYS: [&str; 2] = ["position_key", "may_repeat"];
const OF_PRUNING: [&str; 1] = ["action_urgency"];
const OF_PRIORS: [&str; 1] = ["action_prior"];
const OF_FORESIGHT: [&str; 1] = ["solved_outcome"];
const OF_PLANES: [&str; 1] = ["planes"];
const OF_SCORES: [&str; 3] = ["advance_playout", "playout_score", "playout_cut_off"];
const OF_RUNS: [&str; 1] = ["run_playout"];

/// The module that calls a game's functions.
///
/// # Errors
/// Shader, naming the author's file and line.
pub(crate) fn compose<G: Game>(game: &G) -> Result<Composed> {
    let shader = game.shader();
    let (lanes, memory) = playout_memory(&shader);
    let numbers = [
        ("MAX_ACTIONS", game.max_actions()),
        ("STATE_WORDS", game.state_words()),
        ("MAX_PLIES", game.max_plies()),
        ("PLAYOUT_LANES", lanes),
        ("LOGGED_PLIES", logged(game)),
        ("PLANE_CELLS", cells(game)),
    ];
    let flags = flags([("SCORED", is_scored(game)), ("KEYED", game.forbids_repetition())]);
    let text = constants(numbers) + &flags + &shader.declarations(memory, TABLES_BINDING, false);
    let sources = [
        vec![Source::new("(generated constants)", text)],
        files!["lib/game.wgsl", "lib/faults.wgsl", "lib/u64.wgsl", "lib/rng.wgsl", "lib/draw.wgsl"],
        shader.sources(),
        missing(game, &shader),
        files!["conformance.wgsl"],
    ];
    compose::compose(&sources.concat())
}

/// Definitions of the optional functions that the game's text lacks.
fn missing<G: Game>(game: &G, shader: &GameShader) -> Vec<Source> {
    let optional = [
        (game.forbids_repetition(), &OF_KEYS[..]),
        (shader.has_urgency, &OF_PRUNING),
        (shader.has_priors, &OF_PRIORS),
        (shader.solves, &OF_FORESIGHT),
        (shader.has_planes, &OF_PLANES),
        (is_scored(game), &OF_SCORES),
        (shader.playout_run.is_some(), &OF_RUNS),
    ];
    let defines = |name: &str| {
        let head = format!("fn {name}(");
        shader.sources().iter().any(|source| source.text().contains(&head))
    };
    stand_ins(|name| optional.iter().any(|(has, names)| !has && names.contains(&name)) && !defines(name))
}

/// Lanes of a workgroup, and the memory of their playouts.
fn playout_memory(shader: &GameShader) -> (u32, PlayoutMemory) {
    match (WORKGROUP_WORDS / shader.playout_words.max(1)).checked_ilog2() {
        Some(lanes) => {
            let lanes = MOST_LANES.min(1 << lanes);
            (lanes, PlayoutMemory::Workgroup { lanes })
        }
        None => (1, PlayoutMemory::Storage { binding: MEMORY_BINDING }),
    }
}

fn cells<G: Game>(game: &G) -> u32 {
    game.planes().map_or(1, |planes| planes.cells())
}

fn logged<G: Game>(game: &G) -> u32 {
    game.max_plies().min(LOGGED_PLIES)
}

/// A task at a position of a game, and the twin's result.
struct Task<'a, G: Game> {
    walk: &'a Walk<G>,
    ply: usize,
    numbers: Vec<u32>,
    expected: Vec<u32>,
}

/// Describes the difference between a device's results and the expected ones of a task.
type Difference<G> = fn(&G, &Task<'_, G>, &[u32]) -> (Part, String);

/// The differences between a device and the twin.
pub(super) async fn compare<G: Game>(game: &G, walks: &[Walk<G>], device: &Device) -> Result<Vec<Finding>> {
    let bench = Bench::new(game, device).await?;
    let mut findings = bench.compare(RULES, rules_tasks(game, walks), rules_difference).await?;
    if game.planes().is_some() {
        findings.extend(bench.compare(PLANES, planes_tasks(game, walks), planes_difference).await?);
    }
    let most = bench.most_plies();
    let playouts = playout_tasks(walks, |numbers, walk, ply| play(game, walk, ply, numbers), most, true);
    findings.extend(bench.compare(PLAYOUT, playouts, playout_difference).await?);
    if game.shader().playout_run.is_some() {
        let runs = playout_tasks(walks, |numbers, walk, ply| run(game, walk, ply, numbers), most, false);
        findings.extend(bench.compare(RUN, runs, run_difference).await?);
    }
    Ok(findings)
}

/// The kernels, with the game's tables.
struct Bench<'a, G: Game> {
    game: &'a G,
    device: &'a Device,
    shader: GameShader,
    kernels: Kernels,
    tables: Option<wgpu::Buffer>,
}

impl<'a, G: Game> Bench<'a, G> {
    async fn new(game: &'a G, device: &'a Device) -> Result<Self> {
        let shader = game.shader();
        let mut names = vec![RULES, PLAYOUT];
        names.extend(shader.playout_run.map(|_| RUN));
        names.extend(shader.has_planes.then_some(PLANES));
        let kernels = Kernels::compile(device, &compose(game)?, &names).await?;
        let tables = device.tables(&shader.tables).await?;
        Ok(Self { game, device, shader, kernels, tables })
    }

    /// Plies that an invocation can play before a software adapter ends its loops.
    fn most_plies(&self) -> u32 {
        self.game.max_plies().min((SOFTWARE_ITERATIONS / 2 / self.shader.ply_iterations).max(1))
    }

    async fn compare(
        &self,
        kernel: &str,
        tasks: Vec<Task<'_, G>>,
        difference: Difference<G>,
    ) -> Result<Vec<Finding>> {
        let Some(first) = tasks.first() else { return Ok(Vec::new()) };
        let (result_words, words) = (first.expected.len(), first.expected.len().max(self.task_words(first)));
        let mut findings = Vec::new();
        for some in tasks.chunks((MOST_WORDS / words).clamp(1, MOST_TASKS)) {
            let found = self.dispatch(kernel, some).await?;
            let pairs = some.iter().zip(found.chunks_exact(result_words));
            findings.extend(pairs.filter(|(task, found)| task.expected != *found).map(|(task, found)| {
                let (part, what) = difference(self.game, task, found);
                let adapter = Some(self.device.info().name.clone());
                Finding { adapter, ..task.walk.finding(self.game, task.ply, part, what) }
            }));
        }
        Ok(findings)
    }

    fn task_words(&self, task: &Task<'_, G>) -> usize {
        1 + self.game.state_words() as usize + task.numbers.len()
    }

    /// The results of the tasks, which have equal numbers of parameters and results.
    async fn dispatch(&self, kernel: &str, tasks: &[Task<'_, G>]) -> Result<Vec<u32>> {
        let mut words = vec![tasks.len() as u32, tasks[0].numbers.len() as u32];
        for task in tasks {
            let (state, turn) = &task.walk.states[task.ply];
            words.push(*turn as u32);
            words.extend(packed(self.game, state));
            words.extend(&task.numbers);
        }
        let count = tasks.len() * tasks[0].expected.len();
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let input = self.device.upload("tasks", storage, &words).await?;
        let results = self.device.zeros("results", 4 * count as u64, storage).await?;
        let (invocations, lanes) = match (kernel, playout_memory(&self.shader).0) {
            (RULES, lanes) => (legal_words(self.game), lanes),
            (PLANES, _) => (cells(self.game), MOST_LANES),
            (_, lanes) => (1, lanes),
        };
        let groups = (tasks.len() as u32 * invocations).div_ceil(lanes);
        let bound = self.bind(kernel, input, results.clone(), groups).await?;
        self.device.submit_pass(|pass| bound.dispatch(pass, [groups, 1, 1]));
        self.device.read(&results, count).await
    }

    async fn bind(
        &self,
        kernel: &str,
        tasks: wgpu::Buffer,
        results: wgpu::Buffer,
        groups: u32,
    ) -> Result<Bound> {
        let mut buffers = HashMap::from([("tasks", tasks), ("results", results)]);
        if let (lanes, PlayoutMemory::Storage { .. }) = playout_memory(&self.shader) {
            let bytes = 4 * u64::from(lanes * groups) * u64::from(self.shader.playout_words);
            buffers
                .insert("sh_playout", self.device.buffer("sh_playout", bytes, BufferUsages::STORAGE).await?);
        }
        buffers.extend(self.tables.clone().map(|tables| ("game_tables", tables)));
        self.kernels.bind(self.device, kernel, &buffers)
    }
}

fn legal_words<G: Game>(game: &G) -> u32 {
    game.max_actions().div_ceil(32)
}

/// The tasks for every action of every game.
fn rules_tasks<'a, G: Game>(game: &G, walks: &'a [Walk<G>]) -> Vec<Task<'a, G>> {
    let of = |walk: &'a Walk<G>| {
        walk.actions.iter().enumerate().map(move |(ply, &action)| {
            let expected = by_the_rules(game, walk, ply, action);
            Task { walk, ply, numbers: vec![action], expected }
        })
    };
    walks.iter().flat_map(of).collect()
}

/// The twin of `conform_rules`.
fn by_the_rules<G: Game>(game: &G, walk: &Walk<G>, ply: usize, action: u32) -> Vec<u32> {
    let (state, turn) = &walk.states[ply];
    let lists = legal_words(game) as usize;
    let mut words = vec![0; (1 + SAID_BITS) * lists];
    for legal in (0..game.max_actions()).filter(|&action| game.is_action_legal(state, *turn, action)) {
        let prior = game.action_prior(state, *turn, legal, Some(action));
        let said = game.action_urgency(state, *turn, legal) | prior << URGENCY_BITS;
        let (word, bit) = (legal as usize / 32, legal % 32);
        words[word] |= 1 << bit;
        (0..SAID_BITS).for_each(|i| words[(1 + i) * lists + word] |= (said >> i & 1) << bit);
    }
    let mut next = state.clone();
    game.take_action(&mut next, *turn, action);
    let outcome = game.compute_outcome(&next, turn.opponent(), Some(action));
    words.push(Outcome::code(outcome));
    words.extend(packed(game, &next));
    let (key, repeats) = match game.forbids_repetition() {
        true => (game.position_key(&next), game.may_repeat(action)),
        false => (0, false),
    };
    words.extend([key as u32, (key >> 32) as u32, repeats.into()]);
    let solved = outcome.is_none().then(|| game.solved_outcome(&next, turn.opponent())).flatten();
    words.push(solved.map_or(0, |(outcome, plies)| Outcome::code(Some(outcome)) | plies << 2));
    words
}

fn rules_difference<G: Game>(game: &G, task: &Task<'_, G>, found: &[u32]) -> (Part, String) {
    let lists = legal_words(game) as usize;
    let at = (0..found.len()).find(|&at| found[at] != task.expected[at]).unwrap_or(0);
    let action = game.action_name(task.numbers[0]);
    if at < (1 + SAID_BITS) * lists {
        let bit = (found[at] ^ task.expected[at]).trailing_zeros();
        let action = game.action_name(32 * (at % lists) as u32 + bit);
        let both = [found, &task.expected];
        if at < lists {
            let [wgsl, rust] =
                both.map(|words| if words[at] >> bit & 1 == 1 { "legal" } else { "not legal" });
            return (Part::Legality, format!("{action} is {wgsl} in WGSL and {rust} in Rust"));
        }
        let [wgsl, rust] = both.map(|words| {
            (0..SAID_BITS).map(|i| (words[(1 + i) * lists + at % lists] >> bit & 1) << i).sum::<u32>()
        });
        if at >= (1 + URGENCY_BITS) * lists {
            let [wgsl, rust] = [wgsl, rust].map(|said| said >> URGENCY_BITS);
            let what = format!("action_prior of {action} is {wgsl} in WGSL and {rust} in Rust");
            return (Part::Priors, what);
        }
        let [wgsl, rust] = [wgsl, rust].map(|said| said & ((1 << URGENCY_BITS) - 1));
        return (Part::Pruning, format!("{action} has urgency {wgsl} in WGSL and {rust} in Rust"));
    }
    let (wgsl, rust) = (found[at], task.expected[at]);
    let said = (1 + SAID_BITS) * lists;
    let last = found.len() - said - 1;
    let (part, what) = match at - said {
        0 => (Part::Outcome, "the outcome".to_owned()),
        word if word <= game.state_words() as usize => {
            (Part::Actions, format!("word {} of the state", word - 1))
        }
        word if word == last => (Part::Foresight, "solved_outcome".into()),
        word if word + 1 == last => (Part::Keys, "may_repeat".into()),
        _ => (Part::Keys, "a word of position_key".into()),
    };
    (part, format!("with {action} {what} becomes {wgsl:#x} in WGSL and {rust:#x} in Rust"))
}

/// The tasks for every position of every game, including the last one.
fn planes_tasks<'a, G: Game>(game: &G, walks: &'a [Walk<G>]) -> Vec<Task<'a, G>> {
    let of = |walk: &'a Walk<G>| {
        walk.states.iter().enumerate().map(move |(ply, (state, turn))| {
            let seen = |cell| game.cell_planes(state, *turn, cell);
            Task { walk, ply, numbers: Vec::new(), expected: (0..cells(game)).map(seen).collect() }
        })
    };
    walks.iter().flat_map(of).collect()
}

fn planes_difference<G: Game>(game: &G, task: &Task<'_, G>, found: &[u32]) -> (Part, String) {
    let cell = (0..found.len()).find(|&cell| found[cell] != task.expected[cell]).unwrap_or(0);
    let columns = game.planes().map_or(1, |planes| planes.columns as usize);
    let [row, column] = [cell / columns, cell % columns];
    let (wgsl, rust) = (found[cell], task.expected[cell]);
    let what = format!("planes at row {row}, column {column} are {wgsl:#x} in WGSL and {rust:#x} in Rust");
    (Part::Planes, what)
}

/// Playouts from some positions of every game: from the first one with the line's places, from the others with draws of
/// a stream.
fn playout_tasks<'a, G: Game>(
    walks: &'a [Walk<G>],
    twin: impl Fn(&[u32], &Walk<G>, usize) -> Vec<u32>,
    most: u32,
    with_places: bool,
) -> Vec<Task<'a, G>> {
    let most_places = walks.iter().map(|walk| walk.places.len()).max().unwrap_or(0);
    let mut tasks = Vec::new();
    for (walk, number) in walks.iter().zip(0..) {
        let stride = (walk.actions.len() / PLAYOUTS_A_GAME).max(1);
        for ply in (0..walk.actions.len()).step_by(stride) {
            let mut numbers = Stream::seeded(walk.seed ^ number << 32 ^ (ply as u64) << 16).words().to_vec();
            numbers.push(most);
            if with_places {
                let places = if ply == 0 { &walk.places[..] } else { &[] };
                numbers.push(places.len() as u32);
                numbers.extend(places);
                numbers.resize(6 + most_places, 0);
            }
            let expected = twin(&numbers, walk, ply);
            tasks.push(Task { walk, ply, numbers, expected });
        }
    }
    tasks
}

fn stream_of(numbers: &[u32]) -> Stream {
    Stream::from_words([numbers[0], numbers[1], numbers[2], numbers[3]])
}

/// The hash in Rust and in WGSL.
fn mixed(hash: u32, word: u32) -> u32 {
    (hash ^ word).wrapping_mul(0x0100_0193).rotate_left(5)
}

/// The twin of `conform_playout`.
fn play<G: Game>(game: &G, walk: &Walk<G>, ply: usize, numbers: &[u32]) -> Vec<u32> {
    let (state, turn) = &walk.states[ply];
    let mut stream = stream_of(numbers);
    let mut places = numbers[6..][..numbers[5] as usize].iter().copied();
    let mut playout = game.playout_begin(state, *turn);
    let (mut outcome, mut plies, mut hash, mut lengths) = (None, 0, 0, Vec::new());
    while outcome.is_none() && plies < numbers[4] {
        let count = game.legal_actions_playout(&mut playout);
        lengths.push(count);
        let draw = stream.next_u64() as u32;
        let ordinal = places.next().unwrap_or(draw) % count.max(1);
        hash = mixed(mixed(hash, count), ordinal);
        outcome = game.take_action_playout(&mut playout, ordinal);
        plies += 1;
    }
    let score = game.playout_score(&playout).unwrap_or(0);
    let cut_off = outcome.is_some() && game.is_playout_cut_off(&playout);
    lengths.resize(logged(game) as usize, 0);
    let mut words = vec![Outcome::code(outcome), plies, score as u32, cut_off.into(), hash];
    words.extend(lengths);
    words
}

fn playout_difference<G: Game>(_: &G, task: &Task<'_, G>, found: &[u32]) -> (Part, String) {
    let ([wgsl, rust], [wgsl_lists, rust_lists]) =
        ([found, &task.expected].map(|words| &words[..5]), [found, &task.expected].map(|words| &words[5..]));
    if let Some(ply) = (0..rust_lists.len()).find(|&ply| wgsl_lists[ply] != rust_lists[ply]) {
        let [wgsl, rust] = [wgsl_lists[ply], rust_lists[ply]];
        let what = format!("ply {} of a playout has a list of {wgsl} in WGSL and of {rust} in Rust", ply + 1);
        return (Part::Playouts, what);
    }
    let (part, what, at) = match (0..5).find(|&at| wgsl[at] != rust[at]) {
        Some(0) => (Part::Playouts, "the outcome", 0),
        Some(1) => (Part::Playouts, "the number of plies", 1),
        Some(2) => (Part::Scores, "the score", 2),
        Some(3) => (Part::Scores, "whether it was cut off", 3),
        _ => (Part::Playouts, "the hash of all lists", 4),
    };
    let [wgsl, rust] = [wgsl[at] as i32, rust[at] as i32];
    (part, format!("a playout differs in {what}: {wgsl} in WGSL and {rust} in Rust"))
}

/// The twin of `conform_run`: ply by ply.
fn run<G: Game>(game: &G, walk: &Walk<G>, ply: usize, numbers: &[u32]) -> Vec<u32> {
    let (state, turn) = &walk.states[ply];
    let mut stream = stream_of(numbers);
    let mut playout = game.playout_begin(state, *turn);
    let (mut outcome, mut plies, mut hash) = (None, 0, 0);
    for most in (1..=8).cycle() {
        let mut made = 0;
        while outcome.is_none() && made < most {
            let count = game.legal_actions_playout(&mut playout);
            outcome = game.take_action_playout(&mut playout, stream.pick(count));
            made += 1;
        }
        plies += made;
        hash = mixed(mixed(hash, Outcome::code(outcome)), made);
        if outcome.is_some() || plies >= numbers[4] {
            break;
        }
    }
    let mut words = vec![Outcome::code(outcome), plies, hash];
    words.extend(stream.words());
    words
}

fn run_difference<G: Game>(_: &G, task: &Task<'_, G>, found: &[u32]) -> (Part, String) {
    let what = match (0..7).find(|&at| found[at] != task.expected[at]) {
        Some(0) => "its outcome",
        Some(1) => "its number of plies",
        Some(2) => "the plies of its runs",
        _ => "its random stream afterwards",
    };
    (Part::Runs, format!("run_playout differs from the same playout ply by ply in Rust, in {what}"))
}
