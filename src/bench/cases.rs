//! The cases of the benchmark.

use crate::{
    forest::variant::{Schedule, Variant},
    names::named,
};

/// The version of the set of cases. It rises when a line of `fingerprints.json` changes: figures of different versions
/// may be of different work.
pub const CASE_SET: u32 = 4;

/// A game with its board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchGame {
    /// A built-in game by its name, and its number of rows if this is not the default.
    BuiltIn(&'static str, Option<u32>),
    /// The game of [`BenchSettings::game_file`](super::BenchSettings::game_file).
    File,
}

named! {
    /// A part of the roofline: a bound of the rate of any work on a device.
    pub enum Roof: "roof" {
        /// Products, shifts and sums of 32-bit integers, per second.
        Int32 = "int32",
        /// Products and sums of bytes, four at a time (`dot4I8Packed`), per second: the arithmetic of networks.
        Dot4I8 = "dot4i8",
        /// Bytes read and written per second.
        Memory = "memory",
        /// The time from one dispatch to the next, which reads its result.
        Dispatch = "dispatch",
    }
}

/// The work of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Searches from the start with the default settings for the game and the engine.
    Default {
        /// The game.
        game: BenchGame,
        /// Playouts evaluate the leaves, even if the default is a network.
        by_playouts: bool,
    },
    /// Searches.
    Search {
        /// The game.
        game: BenchGame,
        /// The variant.
        variant: Variant,
        /// T, trees per position.
        trees: u32,
        /// m, playouts per played-out node.
        playouts: u32,
        /// 1: the start of the game; more: this many random positions, searched side by side.
        positions: u32,
        /// The schedule; [`Schedule::Auto`] on the CPU engine, which has none.
        schedule: Schedule,
        /// Greatest number of bytes of the trees; `None` for that of [the settings](super::BenchSettings::memory).
        memory: Option<u64>,
    },
    /// Searches whose leaves a network of random numbers evaluates.
    Network {
        /// The game.
        game: BenchGame,
        /// Residual blocks of the network.
        blocks: u32,
        /// Channels of the network.
        channels: u32,
        /// 1: the start of the game; more: this many random positions, searched side by side.
        positions: u32,
        /// Leaves that a step evaluates in each tree.
        leaf_batch: u32,
    },
    /// Games from the start, without a tree.
    Rollout {
        /// The game.
        game: BenchGame,
        /// The policy of the playouts, by name.
        policy: &'static str,
    },
    /// Seeding of random streams.
    Seeding {
        /// The least number of streams.
        streams: u32,
    },
    /// PV-Split of Go from [`GoBoard::centre`](crate::pvsplit::GoBoard::centre); the sequential search on the CPU
    /// engine.
    PvSplit {
        /// Rows and columns.
        size: u32,
        /// Plies.
        depth: u32,
    },
    /// A bound of an adapter.
    Roofline(Roof),
}

impl Work {
    /// The unit of the work in a case's check.
    pub(super) fn unit(&self) -> &'static str {
        match self {
            Self::Default { .. } | Self::Search { .. } | Self::Network { .. } => "steps",
            Self::Rollout { .. } => "games",
            Self::Seeding { .. } => "streams",
            Self::PvSplit { .. } => "plies",
            Self::Roofline(_) => "rounds",
        }
    }

    /// The key of a rate: work of one kind has similar rates.
    pub(super) fn kind(&self) -> String {
        match self {
            Self::Default { game, .. } | Self::Search { game, .. } | Self::Rollout { game, .. } => {
                game.name()
            }
            Self::Network { game, .. } => format!("{} network", game.name()),
            _ => self.unit().into(),
        }
    }
}

/// A case: its work and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// `connect4 default`, `connect4 playouts`, `connect4 acp 8x128` (trees and playouts), `gomoku rollout`,
    /// `go 19 m2 rollout`, ...
    pub name: String,
    /// The work.
    pub work: Work,
}

impl Case {
    fn default(game: BenchGame, by_playouts: bool) -> Self {
        let kind = if by_playouts { "playouts" } else { "default" };
        Self { name: format!("{} {kind}", game.name()), work: Work::Default { game, by_playouts } }
    }

    fn search(game: BenchGame, variant: Variant, (trees, playouts): (u32, u32), positions: u32) -> [Self; 2] {
        let kind = if variant.all_children { "acp" } else { "ocp" };
        let batch = if positions > 1 { format!(" batch {positions}") } else { String::new() };
        let name = format!("{}{batch} {kind} {trees}x{playouts}", game.name());
        [Schedule::Staged, Schedule::Fused].map(|schedule| {
            let work = Work::Search { game, variant, trees, playouts, positions, schedule, memory: None };
            Self { name: name.clone(), work }
        })
    }

    /// A search by the fused schedule only.
    fn fused(game: BenchGame, variant: Variant, sizes: (u32, u32)) -> Self {
        let [_, fused] = Self::search(game, variant, sizes, 1);
        fused
    }

    /// The case with a memory limit of its own.
    fn in_memory(mut self, gib: u64) -> Self {
        self.name += &format!(" {gib} GiB");
        if let Work::Search { memory, .. } = &mut self.work {
            *memory = Some(gib << 30);
        }
        self
    }

    /// A search with a network of 6 blocks of 64 channels.
    fn network(game: BenchGame, positions: u32, leaf_batch: u32) -> Self {
        let (blocks, channels) = (6, 64);
        let name = match positions {
            1 => format!("{} net {blocks}x{channels} leaves {leaf_batch}", game.name()),
            _ => format!("{} batch {positions} net {blocks}x{channels}", game.name()),
        };
        Self { name, work: Work::Network { game, blocks, channels, positions, leaf_batch } }
    }

    fn pvsplit(size: u32, depth: u32) -> Self {
        Self { name: format!("go {size} pvsplit {depth}"), work: Work::PvSplit { size, depth } }
    }

    fn rollout(game: BenchGame, policy: &'static str) -> Self {
        let by = if policy == "random" { String::new() } else { format!("{policy} ") };
        Self { name: format!("{} {by}rollout", game.name()), work: Work::Rollout { game, policy } }
    }

    /// Rollouts of Go by each policy.
    fn go_rollouts(size: u32) -> [Self; 4] {
        ["random", "pattern3x3", "m2", "tactical"]
            .map(|policy| Self::rollout(BenchGame::BuiltIn("go", Some(size)), policy))
    }

    fn seeding(streams: u32) -> Self {
        Self { name: format!("seeding {streams}"), work: Work::Seeding { streams } }
    }

    fn roofline() -> [Self; 4] {
        Roof::ALL.map(|roof| Self { name: format!("roofline {roof}"), work: Work::Roofline(roof) })
    }

    /// `staged` or `fused`; `-` where there is no choice.
    pub fn schedule(&self) -> &'static str {
        match self.work {
            Work::Search { schedule, .. } if schedule != Schedule::Auto => schedule.name(),
            _ => "-",
        }
    }

    /// Name and schedule, which the filter applies to.
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.schedule())
    }

    /// Removes the schedule, for the CPU engine.
    pub(super) fn remove_schedule(&mut self) {
        if let Work::Search { schedule, .. } = &mut self.work {
            *schedule = Schedule::Auto;
        }
    }
}

impl BenchGame {
    fn name(self) -> String {
        match self {
            Self::BuiltIn(name, None) => name.into(),
            Self::BuiltIn(name, Some(size)) => format!("{name} {size}"),
            Self::File => "file".into(),
        }
    }
}

pub(super) const CONNECT4: BenchGame = BenchGame::BuiltIn("connect4", None);
pub(super) const GOMOKU: BenchGame = BenchGame::BuiltIn("gomoku", None);
const OTHELLO: BenchGame = BenchGame::BuiltIn("othello", None);
const GO: BenchGame = BenchGame::BuiltIn("go", Some(9));

/// The cases of a game file.
pub(super) fn of_file() -> Vec<Case> {
    let search = |variant| Case::search(BenchGame::File, variant, (8, 128), 1);
    let searches = [Variant::OCP_PRODIGAL, Variant::ACP_PRODIGAL].into_iter().flat_map(search);
    let default = [Case::default(BenchGame::File, false)];
    default.into_iter().chain(searches).chain([Case::rollout(BenchGame::File, "random")]).collect()
}

/// All cases, or the quick ones. A step of a quick case takes well under a second on a software adapter; cases of large
/// kernels have only the schedule that such adapters choose. A quick case has the name and the size of the full one.
pub(super) fn all(quick: bool) -> Vec<Case> {
    const OCP: Variant = Variant::OCP_PRODIGAL;
    const ACP: Variant = Variant::ACP_PRODIGAL;
    let mut cases = Vec::new();
    for by_playouts in [false, true] {
        cases.extend([CONNECT4, GOMOKU, OTHELLO, GO].map(|game| Case::default(game, by_playouts)));
    }
    cases.extend(Case::search(CONNECT4, OCP, (8, 128), 1));
    cases.extend(Case::search(CONNECT4, ACP, (8, 128), 1));
    if quick {
        cases.extend(Case::search(GOMOKU, OCP, (8, 128), 1).into_iter().take(1));
        cases.extend(Case::search(CONNECT4, ACP, (1, 32), 1000).into_iter().take(1));
        cases.push(Case::network(CONNECT4, 1, 8));
        cases.push(Case::seeding(100_000));
        cases.push(Case::pvsplit(19, 5));
        cases.extend([CONNECT4, GOMOKU, OTHELLO].map(|game| Case::rollout(game, "random")));
        cases.extend(Case::go_rollouts(9));
        cases.extend(Case::roofline());
        return cases;
    }
    cases.extend(Case::search(CONNECT4, ACP, (64, 256), 1));
    cases.extend(Case::search(CONNECT4, ACP, (512, 512), 1));
    cases.extend(Case::search(GOMOKU, OCP, (8, 128), 1));
    cases.extend(Case::search(GOMOKU, ACP, (8, 128), 1));
    cases.extend(Case::search(GOMOKU, ACP, (64, 512), 1));
    cases.extend(Case::search(CONNECT4, ACP, (1, 32), 1000));
    cases.extend([1024, 8192].into_iter().flat_map(|roots| Case::search(CONNECT4, OCP, (1, 1), roots)));
    cases.push(Case::network(CONNECT4, 1, 8));
    cases.extend([CONNECT4, OTHELLO, GO].map(|game| Case::network(game, 1024, 1)));
    cases.push(Case::network(CONNECT4, 8192, 1));
    cases.extend([OTHELLO, GO].map(|game| Case::network(game, 4096, 1)));
    cases.push(Case::network(GO, 1, 256));
    cases.extend([32, 132, 512].map(|trees| Case::fused(CONNECT4, OCP, (trees, 128))));
    // The last one takes most of a large GPU's memory.
    cases.extend([2, 8, 32, 64].map(|gib| Case::fused(CONNECT4, ACP, (8, 128)).in_memory(gib)));
    cases.push(Case::seeding(10_000_000));
    cases.extend([(5, 10), (19, 5), (19, 6)].map(|(size, depth)| Case::pvsplit(size, depth)));
    cases.extend([CONNECT4, GOMOKU, OTHELLO].map(|game| Case::rollout(game, "random")));
    cases.extend([9, 19].into_iter().flat_map(Case::go_rollouts));
    cases.extend(Case::roofline());
    cases
}
