//! Names that many tests use.

#[cfg(target_os = "linux")]
pub use crate::support::program::without_adapters;
pub use crate::support::{
    adapters::{
        Devices, SCHEDULES, cases, compiles_slowly, device, devices, each_adapter, each_engine,
        each_fast_adapter, each_schedule, every_adapter, in_turn, on_the_first_adapter, opened, own_device,
        scheduled,
    },
    compute::{Adapters, Kernel},
    corrupted::{corrupted, is_thorough, sides, tried},
    files::{
        files_in, fresh, fresh_file, fresh_folder, lines_of, name_in_crate, of_crate, texts_below, write_file,
    },
    networks::network,
    own::{Own, blind_connect4},
    play::{integers, legal_actions, random_position},
    positions::{connect4_of, go_of, gomoku_of, position_after, position_of},
    program::{Done, assert_bad, assert_has, command, fields, finish, run, run_with_input, start},
    search::{MakeSteps, assert_mistakes_show, engine_of, search_by, search_on, searched},
    shape::{Semantics, shape},
};
pub use mcts_wgpu::{
    Budget, Config, Engine, Error, ErrorKind, Game, GameFile, Network, Outcome, Player, Position, Report,
    Schedule, Search, Settings, Variant,
    conformance::Part,
    contest::{Contestant, GameSchedule, LoggedGame, Stop},
    engine::{Adapter, Device},
    games::{Connect4, Go, Gomoku, Othello},
    internals::{
        exact::{
            rng::{Jumps, Stream},
            ucb,
        },
        forest::{
            layout::{ROOT, TREE_FULL},
            shape::Shape,
        },
        gpu::shaders::{Widths, staged_module},
        reference::Forest,
    },
    net::{NetKernel, Sizes, Trunk},
    patterns::{PatternShape, PatternTable},
    perft,
    pvsplit::SplitLimit,
    rollout::{RolloutConfig, RolloutReport, Rollouts},
};
pub use pollster::block_on;
pub use rand_pcg::{
    Pcg64, Pcg64Mcg,
    rand_core::{Rng, SeedableRng},
};
pub use serde_json::{Value, json};
pub use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fs,
    io::BufReader,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
