//! The table of buffers in shaders/README.md.

use super::portability::*;
use crate::support::prelude::*;
use mcts_wgpu::internals::gpu::shaders::RELAY;
use naga::{AddressSpace, StorageAccess, valid::GlobalUse};

/// A buffer and the kernels that use it.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    binding: u32,
    pub(super) name: String,
    pub(super) written_by: BTreeSet<String>,
    pub(super) read_by: BTreeSet<String>,
}

/// The rows of the buffer table: binding, name, shape, bytes, written by, read by, what.
fn documented() -> Vec<Row> {
    let names = |cell: &str| {
        let kernels = cell.split(',').map(|name| name.trim().trim_matches('`').to_owned());
        kernels.filter(|name| !name.is_empty() && !name.starts_with("host")).collect()
    };
    let rows = include_str!("../../../shaders/README.md").lines().filter_map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        Some(Row {
            binding: cells[0].parse().ok()?,
            name: cells[1].trim_matches('`').to_owned(),
            written_by: names(cells[4]),
            read_by: names(cells[5]),
        })
    });
    rows.collect()
}

/// The buffers of a relay alone.
const NOTES: [&str; 3] = ["notes", "next_notes", "lookahead_paths"];

/// The uses that naga finds: in all kernels but the fused ones, of the staged schedule, of tree reuse and of networks,
/// in any variant; of a relay, in its notes alone.
pub(super) fn used() -> Vec<Row> {
    let [floor, _] = limits();
    let mut rows = BTreeMap::new();
    let networks = network_modules(&Connect4::default(), &floor);
    for module in networks.into_iter().chain([matrices_of(&Connect4::default())]) {
        module
            .composed
            .module()
            .global_variables
            .iter()
            .for_each(|bound| add_uses(&mut rows, &module, bound));
    }
    for variant in Variant::ALL {
        let mut modules = modules_of(&Connect4::default(), variant, 128, &floor);
        let reuse = modules.pop().expect("the last one is that of tree reuse");
        let several = modules.pop().expect("before it comes that of several leaves");
        let relay = modules.iter().position(|module| module.entries == RELAY);
        let relay = relay.map(|index| modules.swap_remove(index));
        let go = go_of(9, 7.5);
        let of = [
            (Some(modules.swap_remove(0)), false),
            (Some(several), false),
            (rapid_module(&go, variant, 8, &floor), false),
            (Some(reuse), false),
            (relay, true),
        ];
        for (module, is_relay) in of.into_iter().filter_map(|(module, is_relay)| Some((module?, is_relay))) {
            let variables = module.composed.module().global_variables.iter();
            let are_notes = |name: Option<&str>| name.is_some_and(|name| NOTES.contains(&name));
            variables
                .filter(|(_, variable)| are_notes(variable.name.as_deref()) == is_relay)
                .filter(|(_, variable)| variable.name.as_deref() != Some("game_tables"))
                .for_each(|bound| add_uses(&mut rows, &module, bound));
        }
    }
    for (row, writable) in rows.values() {
        assert_eq!(*writable, !row.written_by.is_empty(), "{}", row.name);
    }
    rows.into_values().map(|(row, _)| row).collect()
}

/// Adds a module's users of a buffer to its row, and whether a module may write it.
fn add_uses(
    rows: &mut BTreeMap<(u32, String), (Row, bool)>,
    module: &Module,
    (handle, variable): (naga::Handle<naga::GlobalVariable>, &naga::GlobalVariable),
) {
    let Some(binding) = &variable.binding else { return };
    assert_eq!(binding.group, 0);
    let writable = match variable.space {
        AddressSpace::Storage { access } => access.contains(StorageAccess::STORE),
        _ => false,
    };
    let name = variable.name.clone().unwrap_or_default();
    let key = (binding.binding, name.clone());
    let row = Row { binding: binding.binding, name, written_by: BTreeSet::new(), read_by: BTreeSet::new() };
    let (row, is_writable) = rows.entry(key).or_insert((row, writable));
    *is_writable |= writable;
    for (index, entry) in module.composed.module().entry_points.iter().enumerate() {
        let uses = module.composed.info().get_entry_point(index)[handle];
        if module.entries.contains(&entry.name.as_str()) {
            row.written_by.extend(uses.contains(GlobalUse::WRITE).then(|| entry.name.clone()));
            row.read_by.extend(uses.contains(GlobalUse::READ).then(|| entry.name.clone()));
        }
    }
}

#[test]
fn the_buffer_table_says_who_writes_and_who_reads() {
    let (mut documented, used) = (documented(), used());
    // One binding has two names: `stats`, and the same words as atomics.
    documented.sort_by(|a, b| (a.binding, &a.name).cmp(&(b.binding, &b.name)));
    assert_eq!(documented.len(), used.len());
    for (documented, used) in documented.iter().zip(&used) {
        assert_eq!(documented, used);
    }
}
