//! The referee: runs the rules of a game file on a device for the host, many positions at a time, and caches the
//! results.

use crate::{
    device::{
        Device,
        compose::{self, Composed, Source, constants, files},
        kernels::Kernels,
        rules::{PlayoutMemory, stand_ins},
    },
    error::{Error, Result},
    forest::{
        fault,
        layout::{FAULT_ENDLESS, FAULT_LOOP_ENDED, FAULT_MISREAD},
    },
    host::{block_on, locked},
    rules::{GameShader, Player},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};
use wgpu::BufferUsages;

/// Lanes of a workgroup; for playouts, those that fit the WebGPU default limits.
const LANES: u32 = 64;
const WORKGROUP_WORDS: u32 = 4096;
/// Greatest number of words of a dispatch's results, and of cached results.
const MOST_WORDS: usize = 1 << 21;
const MOST_KEPT_WORDS: usize = 1 << 24;
/// Greatest number of cached outcomes of positions after an action.
const MOST_VERDICTS: usize = 1 << 14;
/// Places of a playout's list that are examined: as many as actions.
const PLACES: &str = "REFEREE_PLACES";
/// Words of a result before those of the position.
const ANSWER_HEAD: usize = 6;
const IS_LEGAL: u32 = 1;
const IS_CHANGED: u32 = 2;
/// Functions that must not change their position, with the bits that report a change.
const CHANGED_BY: [(u32, &str); 4] =
    [(IS_CHANGED, "is_action_legal"), (4, "action_urgency"), (8, "compute_outcome"), (16, "solved_outcome")];
const URGENCY_SHIFT: u32 = 5;
const URGENCY_MASK: u32 = 7;
const FAULTS_SHIFT: u32 = 8;

const EXPAND: &str = "referee_expand";
const ACTIONS: &str = "referee_actions";
const START: &str = "referee_start";
const DRAW: &str = "referee_draw";
const OUTCOME: &str = "referee_outcome";
const PLAYOUT: &str = "referee_playout";
const PLANES: &str = "referee_planes";

/// Optional functions of a file that the referee calls.
const OPTIONAL: &str = "action_urgency solved_outcome may_repeat position_key action_name \
    compute_score start_position cell planes";

/// A legal action, and the position after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Successor {
    pub action: u32,
    /// By `action_urgency`: 7 stands for 7 and more.
    pub urgency: u32,
    pub state: Box<[u32]>,
    /// The result of the rules, valid or not.
    pub outcome: u32,
    pub key: u64,
    /// In half points for the first player; `None` if the file has no `compute_score`.
    pub score: Option<i32>,
    /// As `solved_outcome` gave it.
    pub solved: u32,
}

/// The results of the rules for a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// The legal actions, ascending.
    pub successors: Vec<Successor>,
    /// The function that changed the position and may not.
    pub changed_by: Option<&'static str>,
    pub faults: u32,
}

impl Expansion {
    /// The position after an action; `None` if the action is not legal.
    pub fn after(&self, action: u32) -> Option<&Successor> {
        let at = self.successors.binary_search_by_key(&action, |successor| successor.action);
        at.ok().map(|at| &self.successors[at])
    }
}

/// A playout's view of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlayoutView {
    /// The length of its list.
    pub count: u32,
    /// [place of the list]: the outcome of its action, and the length of the list after it.
    pub places: Vec<(u32, u32)>,
}

/// The planes of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanesView {
    /// The planes at each cell, row by row.
    pub cells: Vec<u32>,
    /// Whether `planes` changed the position.
    pub is_changed: bool,
}

/// A position as a key.
type Key = (Box<[u32]>, Player);

/// The sizes of a game that its results depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub actions: u32,
    pub words: u32,
    pub plies: u32,
    /// Rows and columns of its board; 0 if it is not drawn.
    pub board: (u32, u32),
}

/// The rules on a device.
#[derive(Debug)]
pub(crate) struct Referee {
    device: Device,
    kernels: Kernels,
    sizes: Sizes,
    file: String,
    lanes: u32,
    is_scored: bool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    expansions: HashMap<Key, Arc<Expansion>>,
    boards: HashMap<Box<[u32]>, Vec<u32>>,
    planes: HashMap<Key, Arc<[u32]>>,
    /// The outcome and the key of a position after an action.
    verdicts: HashMap<(Key, u32), (u32, u64)>,
    words: usize,
    /// The last one that was used: one position follows another, action by action.
    last: Option<(Key, Arc<Expansion>)>,
    trouble: Option<Error>,
}

impl Referee {
    /// Compiles the rules.
    ///
    /// # Errors
    /// Shader; out of memory; device lost.
    pub fn new(
        device: &Device,
        shader: &GameShader,
        sizes: Sizes,
        has: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        let lanes = (WORKGROUP_WORDS / shader.playout_words.max(1))
            .checked_ilog2()
            .map_or(1, |log| LANES.min(1 << log));
        let module = module(shader, sizes, lanes, &has)?;
        let is_scored = has("compute_score");
        let mut names = vec![EXPAND, ACTIONS, START, DRAW, OUTCOME];
        let has_own_playout = has("playout_begin") && shader.playout_words <= WORKGROUP_WORDS;
        names.extend(has_own_playout.then_some(PLAYOUT));
        names.extend(shader.has_planes.then_some(PLANES));
        let kernels = block_on(Kernels::compile(device, &module, &names))?;
        let file = shader.parts.first().map_or(String::new(), |(file, _)| file.clone());
        Ok(Self { device: device.clone(), kernels, sizes, file, lanes, is_scored, known: Mutex::default() })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        locked(&self.known)
    }

    /// The module of its kernels.
    ///
    /// # Errors
    /// Shader, naming the author's file and line.
    pub fn module(&self, shader: &GameShader, has: impl Fn(&str) -> bool) -> Result<Composed> {
        module(shader, self.sizes, self.lanes, has)
    }

    /// The first error: results since then are invalid.
    pub fn rules_error(&self) -> Option<Error> {
        self.known().trouble.clone()
    }

    fn answered<T: Default>(&self, answer: Result<T>) -> T {
        answer.unwrap_or_else(|error| {
            self.object(error);
            T::default()
        })
    }

    /// The results of the rules for a position. Endless loops are an error.
    pub fn expansion(&self, state: &[u32], turn: Player) -> Arc<Expansion> {
        if let Some((key, last)) = &self.known().last
            && (&*key.0, key.1) == (state, turn)
        {
            return last.clone();
        }
        let key: Key = (state.into(), turn);
        self.look_ahead(std::slice::from_ref(&key));
        let found = self.known().expansions.get(&key).cloned().unwrap_or_default();
        if let Err(error) = self.check(found.faults) {
            self.object(error);
        }
        self.known().last = Some((key, found.clone()));
        found
    }

    /// Notes an error: later results are invalid.
    pub fn object(&self, error: Error) {
        self.known().trouble.get_or_insert(error);
    }

    /// The error for these faults.
    fn check(&self, faults: u32) -> Result<()> {
        if faults & FAULT_MISREAD != 0 {
            return Err(fault::misread("the adapter"));
        }
        let rules = format!("{}: a function of the rules", self.file);
        if faults & FAULT_ENDLESS != 0 {
            return Err(Error::invalid(format!(
                "{rules} has a loop that does not end within 32,768 iterations: let every loop end"
            )));
        }
        if faults & FAULT_LOOP_ENDED != 0 {
            return Err(Error::cut_short(format!(
                "{rules} makes more iterations of loops than this adapter allows: use another adapter, such as a GPU, \
                 or make loops shorter"
            )));
        }
        Ok(())
    }

    /// Computes the results of positions that are not cached.
    pub fn look_ahead(&self, positions: &[Key]) {
        let mut unknown: Vec<&Key> = {
            let known = self.known();
            positions.iter().filter(|key| !known.expansions.contains_key(*key)).collect()
        };
        unknown.dedup();
        let answer_words = (ANSWER_HEAD + self.sizes.words as usize) * self.sizes.actions as usize;
        for some in unknown.chunks((MOST_WORDS / answer_words).max(1)) {
            let answers = self.answered(block_on(self.expand(some)));
            let mut known = self.known();
            for (key, expansion) in some.iter().zip(answers) {
                let words = (1 + expansion.successors.len()) * (8 + self.sizes.words as usize);
                if known.words + words > MOST_KEPT_WORDS {
                    known.expansions.clear();
                    known.words = 0;
                }
                known.words += words;
                known.expansions.insert((*key).clone(), Arc::new(expansion));
            }
        }
    }

    async fn expand(&self, positions: &[&Key]) -> Result<Vec<Expansion>> {
        let Sizes { actions, words, .. } = self.sizes;
        let answer = ANSWER_HEAD + words as usize;
        let invocations = positions.len() as u32 * actions;
        let found =
            self.ask(EXPAND, positions, invocations.div_ceil(LANES), invocations as usize * answer).await?;
        let expansion = |answers: &[u32]| {
            let mut expansion = Expansion::default();
            for (answer, action) in answers.chunks_exact(answer).zip(0..) {
                let changed = CHANGED_BY.iter().find(|(bit, _)| answer[0] & bit != 0).map(|(_, name)| *name);
                expansion.changed_by = expansion.changed_by.or(changed);
                expansion.faults |= answer[0] >> FAULTS_SHIFT;
                expansion.successors.extend((answer[0] & IS_LEGAL != 0).then(|| Successor {
                    action,
                    urgency: answer[0] >> URGENCY_SHIFT & URGENCY_MASK,
                    outcome: answer[1],
                    key: u64::from(answer[2]) | u64::from(answer[3]) << 32,
                    score: self.is_scored.then_some(answer[4] as i32),
                    solved: answer[5],
                    state: answer[ANSWER_HEAD..].into(),
                }));
            }
            expansion
        };
        Ok(found.chunks_exact(answer * actions as usize).map(expansion).collect())
    }

    /// Caches the position after an action, with `turn` to move, which is used next.
    pub fn took(&self, successor: &Successor, turn: Player) {
        let mut known = self.known();
        if known.verdicts.len() >= MOST_VERDICTS {
            known.verdicts.clear();
        }
        let key = ((successor.state.clone(), turn), successor.action);
        known.verdicts.insert(key, (successor.outcome, successor.key));
    }

    /// The outcome, as the rules return it, and the key of a position in which `turn` is to move after `last_action`.
    pub fn verdict(&self, state: &[u32], turn: Player, last_action: u32) -> (u32, u64) {
        let key: (Key, u32) = ((state.into(), turn), last_action);
        if let Some(&verdict) = self.known().verdicts.get(&key) {
            return verdict;
        }
        let mut words = vec![1, turn as u32];
        words.extend(state);
        words.push(last_action);
        let answer = self.answered(block_on(self.ask_words(OUTCOME, &words, 1, 3)));
        let [outcome, low, high] = answer[..] else { return (0, 0) };
        let verdict = (outcome, u64::from(low) | u64::from(high) << 32);
        self.known().verdicts.insert(key, verdict);
        verdict
    }

    /// The drawing of a position, row by row.
    pub fn cells(&self, state: &[u32]) -> Vec<u32> {
        if let Some(cells) = self.known().boards.get(state) {
            return cells.clone();
        }
        let count = (self.sizes.board.0 * self.sizes.board.1) as usize;
        let key: Key = (state.into(), Player::First);
        let groups = (count as u32).div_ceil(LANES);
        let cells = self.answered(block_on(self.ask(DRAW, &[&key], groups, count)));
        let mut known = self.known();
        if known.boards.len() * count > MOST_WORDS {
            known.boards.clear();
        }
        known.boards.insert(key.0, cells.clone());
        cells
    }

    /// The planes of a position, cell by cell; empty if the file has none.
    pub fn planes(&self, state: &[u32], turn: Player) -> Arc<[u32]> {
        let key: Key = (state.into(), turn);
        if let Some(cells) = self.known().planes.get(&key) {
            return cells.clone();
        }
        let views = self.answered(self.plane_views(std::slice::from_ref(&key)));
        let cells: Arc<[u32]> = views.into_iter().flat_map(|view| view.cells).collect();
        let mut known = self.known();
        if known.planes.len() * cells.len() > MOST_WORDS {
            known.planes.clear();
        }
        known.planes.insert(key, cells.clone());
        cells
    }

    /// The planes of positions; empty if the file has none.
    ///
    /// # Errors
    /// Cut short, for endless loops; out of memory; device lost.
    pub fn plane_views(&self, positions: &[Key]) -> Result<Vec<PlanesView>> {
        if !self.kernels.has(PLANES) {
            return Ok(Vec::new());
        }
        let cells = (self.sizes.board.0 * self.sizes.board.1) as usize;
        self.views(PLANES, positions, (cells, 2, LANES), |words| PlanesView {
            cells: words.iter().step_by(2).copied().collect(),
            is_changed: words.iter().skip(1).step_by(2).any(|&what| what & IS_CHANGED != 0),
        })
    }

    /// Views of positions by a kernel, with so many invocations a position, words of each, and lanes of a workgroup.
    fn views<T>(
        &self,
        kernel: &str,
        positions: &[Key],
        (invocations, words, lanes): (usize, usize, u32),
        view: impl Fn(&[u32]) -> T,
    ) -> Result<Vec<T>> {
        let mut views = Vec::new();
        for some in positions.chunks((MOST_WORDS / (words * invocations)).max(1)) {
            let some: Vec<&Key> = some.iter().collect();
            let all = some.len() * invocations;
            let found = block_on(self.ask(kernel, &some, (all as u32).div_ceil(lanes), words * all))?;
            views.extend(found.chunks_exact(words * invocations).map(&view));
        }
        Ok(views)
    }

    /// [action]: four words of its name, and whether it may repeat a position.
    ///
    /// # Errors
    /// Cut short, for endless loops; out of memory; device lost.
    pub fn actions(&self) -> Result<Vec<([u32; 4], bool)>> {
        let actions = self.sizes.actions;
        let words = block_on(self.ask_words(ACTIONS, &[1], actions.div_ceil(LANES), 5 * actions as usize))?;
        let read = words.chunks_exact(5).map(|five| ([five[0], five[1], five[2], five[3]], five[4] != 0));
        Ok(read.collect())
    }

    /// The first position.
    ///
    /// # Errors
    /// Cut short, for endless loops; out of memory; device lost.
    pub fn start(&self) -> Result<Box<[u32]>> {
        let zeros: Key = (vec![0; self.sizes.words as usize].into(), Player::First);
        Ok(block_on(self.ask(START, &[&zeros], 1, self.sizes.words as usize))?.into())
    }

    /// The playouts' view of positions; none if playouts are made by the rules, or need more memory than a workgroup
    /// has.
    ///
    /// # Errors
    /// Cut short, for endless loops; out of memory; device lost.
    pub fn playouts(&self, positions: &[Key]) -> Result<Option<Vec<PlayoutView>>> {
        if !self.kernels.has(PLAYOUT) {
            return Ok(None);
        }
        let views = self.views(PLAYOUT, positions, (self.sizes.actions as usize, 3, self.lanes), |places| {
            let count = places[0];
            let listed = places.chunks_exact(3).take(count as usize);
            PlayoutView { count, places: listed.map(|place| (place[1], place[2])).collect() }
        });
        views.map(Some)
    }

    async fn ask(&self, kernel: &str, positions: &[&Key], groups: u32, count: usize) -> Result<Vec<u32>> {
        let mut words = vec![positions.len() as u32];
        for (state, turn) in positions {
            words.push(*turn as u32);
            words.extend(state.iter());
        }
        self.ask_words(kernel, &words, groups, count).await
    }

    /// The first `count` words of the results.
    async fn ask_words(&self, kernel: &str, words: &[u32], groups: u32, count: usize) -> Result<Vec<u32>> {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let tasks = self.device.upload("tasks", storage, words).await?;
        // The last word collects faults.
        let answers = self.device.zeros("answers", 4 * (count as u64 + 1), storage).await?;
        let buffers = HashMap::from([("tasks", tasks), ("answers", answers.clone())]);
        let bound = self.kernels.bind(&self.device, kernel, &buffers)?;
        self.device.submit_pass(|pass| bound.dispatch(pass, [groups, 1, 1]));
        // The buffer may be larger than requested.
        let mut found: Vec<u32> = self.device.read(&answers, self.device.room(&answers) as usize / 4).await?;
        self.check(found.last().copied().unwrap_or(0))?;
        found.truncate(count);
        Ok(found)
    }
}

/// The referee's module.
///
/// # Errors
/// Shader, naming the author's file and line.
fn module(shader: &GameShader, sizes: Sizes, lanes: u32, has: impl Fn(&str) -> bool) -> Result<Composed> {
    let numbers = [
        ("MAX_ACTIONS", sizes.actions),
        ("STATE_WORDS", sizes.words),
        ("MAX_PLIES", sizes.plies),
        ("PLAYOUT_LANES", lanes),
        ("REFEREE_LANES", LANES),
        (PLACES, sizes.actions),
        ("BOARD_ROWS", sizes.board.0),
        ("BOARD_COLUMNS", sizes.board.1.max(1)),
    ];
    let memory = PlayoutMemory::Workgroup { lanes };
    let text = constants(numbers) + &shader.declarations(memory, 2, false);
    // Rules with a key have `may_repeat`, too.
    let has = |name: &str| has(name) || name == "may_repeat" && has("position_key");
    let sources = [
        vec![Source::new("(generated constants)", text)],
        files!["lib/game.wgsl", "lib/faults.wgsl", "lib/u64.wgsl", "lib/rng.wgsl", "lib/draw.wgsl"],
        shader.sources(),
        stand_ins(|name| OPTIONAL.split(' ').any(|optional| optional == name) && !has(name)),
        files!["referee.wgsl"],
    ];
    compose::compose(&sources.concat())
}
