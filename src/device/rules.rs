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
        let first = Source::new(&self.file, &self.source);
        let parts = parts.iter().map(|(file, source)| Source::new(file, source));
        std::iter::once(first).chain(parts).collect()
    }

    /// What every composition declares for the rules: their constants, the memory of their playouts, their tables at a
    /// binding.
    pub(crate) fn declarations(&self, memory: PlayoutMemory, tables_binding: u32) -> String {
        let mut text = constants(self.constants.iter().copied());
        text += &flags([("WEIGHTED_PLAYOUTS", self.weighted)]);
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

/// Where `sh_playout` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlayoutMemory {
    /// In workgroup memory, for so many lanes that play.
    Workgroup { lanes: u32 },
    /// In a storage buffer at this binding.
    Storage { binding: u32 },
}
