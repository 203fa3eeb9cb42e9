//! The rules of a game as part of a module: their files, their constants, the memory of their playouts.

use super::compose::{Source, constants, flags};
use crate::rules::GameShader;

impl GameShader {
    /// The files of the rules, in the order of composition.
    pub(crate) fn sources(&self) -> Vec<Source> {
        self.sources_with(&self.parts)
    }

    /// The first file and the others.
    pub(crate) fn sources_with(&self, parts: &[(String, String)]) -> Vec<Source> {
        let first = Source::of(self, &self.file, &self.source);
        let parts = parts.iter().map(|(file, source)| Source::of(self, file, source));
        std::iter::once(first).chain(parts).collect()
    }

    /// The declarations that rules need in every composition: their constants, the memory of their playouts, their
    /// tables at a binding, and whether playouts record the first player at each place.
    pub(crate) fn declarations(
        &self,
        memory: PlayoutMemory,
        tables_binding: u32,
        notes_firsts: bool,
    ) -> String {
        let mut text = constants(self.constants.iter().copied());
        text += &flags([("WEIGHTED_PLAYOUTS", self.weighted), ("NOTES_FIRSTS", notes_firsts)]);
        let storage = |binding, access, name| {
            format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<u32>;\n")
        };
        if self.playout_words > 0 || self.playout_run.is_some() {
            text += &match memory {
                PlayoutMemory::Workgroup { lanes } => {
                    let words = (self.playout_words * lanes).max(1);
                    format!("var<workgroup> sh_playout: array<u32, {words}>;\n")
                }
                PlayoutMemory::Storage { binding } => storage(binding, "read_write", "sh_playout"),
            };
        }
        if !self.tables.is_empty() {
            text += &storage(tables_binding, "read", "game_tables");
        }
        text
    }
}

/// Optional functions of rules, each with a default definition. The results of most defaults are never used; without
/// `action_urgency` all actions are equally urgent, without `action_prior` all are even, and without `solved_outcome`
/// no position is solved.
const STAND_INS: [(&str, &str); 14] = [
    (
        "action_urgency",
        "fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 { return 1u; }\n",
    ),
    (
        "action_prior",
        "fn action_prior(state: ptr<function, State>, turn: u32, action: u32, last_action: u32) -> u32 {
    return MAX_PRIOR / 2u;
}
",
    ),
    (
        "solved_outcome",
        "fn solved_outcome(state: ptr<function, State>, turn: u32) -> u32 { return ONGOING; }\n",
    ),
    ("planes", "fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 { return 0u; }\n"),
    ("may_repeat", "fn may_repeat(action: u32) -> bool { return false; }\n"),
    ("position_key", "fn position_key(state: ptr<function, State>) -> vec2<u32> { return vec2<u32>(); }\n"),
    ("action_name", "fn action_name(action: u32) -> vec4<u32> { return vec4<u32>(); }\n"),
    ("compute_score", "fn compute_score(state: ptr<function, State>) -> i32 { return 0; }\n"),
    ("start_position", "fn start_position(state: ptr<function, State>) {}\n"),
    ("cell", "fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 { return 0u; }\n"),
    (
        "advance_playout",
        "fn advance_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> bool { return true; }\n",
    ),
    ("playout_score", "fn playout_score(playout: ptr<function, Playout>, lane: u32) -> i32 { return 0; }\n"),
    ("playout_cut_off", "fn playout_cut_off(playout: ptr<function, Playout>, lane: u32) -> bool { return false; }\n"),
    (
        "run_playout",
        "fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    return PlayoutRun();
}
",
    ),
];

/// The defaults of the functions that rules lack, according to `is_missing`.
pub(crate) fn stand_ins(is_missing: impl Fn(&str) -> bool) -> Vec<Source> {
    let missing = STAND_INS.iter().filter(|(name, _)| is_missing(name));
    missing.map(|(_, text)| Source::own("(missing optional functions)", text)).collect()
}

/// The memory of `sh_playout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlayoutMemory {
    /// In workgroup memory, for this many lanes that play.
    Workgroup { lanes: u32 },
    /// In a storage buffer at this binding.
    Storage { binding: u32 },
}
