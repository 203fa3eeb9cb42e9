//! What can be known of the shaders without any adapter: they are valid, translate to every backend's language, stay
//! within the WebGPU default limits, and agree with the Rust side on every layout, binding and constant.

use mcts_wgpu::{
    Game, Outcome, Player, Policy, Variant,
    games::{Connect4, Go, Gomoku},
    gpu::{
        compose::{Composed, Source, compose},
        shaders::{
            DIGEST_SLICES, FRAME, FUSED, FUSED_APART, GROUP_ROW, REUSE, REUSE_BLOCK, STAGED, Widths,
            reuse_module, search_module, sources,
        },
    },
    layout::{self, Best, Params, RootSum, Slab, Tree},
    reference::Shape,
};
use naga::{
    AddressSpace, StorageAccess,
    back::{glsl, hlsl, msl, spv},
    proc::BoundsCheckPolicies,
    valid::GlobalUse,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    mem::offset_of,
};

#[path = "support/shape.rs"]
mod shape;

use shape::shape;

/// A search module as some adapter would get it.
struct Module {
    name: String,
    shape: Shape,
    widths: Widths,
    entries: Vec<&'static str>,
    composed: Composed,
}

/// The limits of every adapter, and those of a wide GPU.
fn limits() -> [wgpu::Limits; 2] {
    let floor = wgpu::Limits::defaults();
    let wide = wgpu::Limits {
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_storage_size: 48 << 10,
        ..floor.clone()
    };
    [floor, wide]
}

fn staged_entries() -> Vec<&'static str> {
    [&FRAME[..], &STAGED].concat()
}

/// The modules of a shape: staged, fused in two dispatches, fused whole where there is such a module, and reuse.
fn modules_of<G: Game>(game: &G, variant: Variant, playouts: u32, limits: &wgpu::Limits) -> Vec<Module> {
    let (shape, shader) = (shape(game, variant, playouts), game.shader());
    let module = |widths, entries| {
        let name =
            format!("{} B {} {} m {playouts} {widths:?}", game.name(), game.max_actions(), variant.name());
        let composed = search_module(&shader, &shape, widths).unwrap_or_else(|e| panic!("{name}: {e}"));
        Module { name, shape: shape.clone(), widths, entries, composed }
    };
    let widths = Widths::staged(&shape, &shader, limits, true);
    let whole = Widths::fused(&shape, &shader, limits).map(|widths| module(widths, FUSED.to_vec()));
    let mut modules = vec![module(widths, staged_entries()), module(widths, FUSED_APART.to_vec())];
    modules.extend(whole);
    let composed = reuse_module(&shader, &shape, widths).unwrap_or_else(|e| panic!("reuse: {e}"));
    let name = format!("reuse of {} B {}", game.name(), game.max_actions());
    modules.push(Module { name, shape: shape.clone(), widths, entries: REUSE.to_vec(), composed });
    modules
}

/// Modules of the games, with these numbers of playouts.
fn modules(playouts: &[u32], limits: &wgpu::Limits) -> Vec<Module> {
    let mut modules = Vec::new();
    let connect4 = [(6, 7), (4, 4), (3, 16)].map(|(rows, columns)| Connect4::new(rows, columns));
    let gomoku = [15, 6, 22].map(Gomoku::new);
    let go = [(9, Policy::Pattern3x3), (19, Policy::M2)]
        .map(|(size, policy)| Go::new(size, 7.5).and_then(|go| go.with_policy(policy)));
    for variant in Variant::ALL {
        for &m in playouts {
            for game in connect4.iter().flatten() {
                modules.extend(modules_of(game, variant, m, limits));
            }
            for game in gomoku.iter().flatten() {
                modules.extend(modules_of(game, variant, m, limits));
            }
            for game in go.iter().flatten() {
                modules.extend(modules_of(game, variant, m, limits));
            }
        }
    }
    assert!(modules.len() > 4 * playouts.len() * 6 * 2);
    modules
}

#[test]
fn every_module_is_valid_and_within_its_limits() {
    for limits in limits() {
        for module in modules(&[1, 128, 512], &limits) {
            assert_within(&module, &limits);
        }
    }
}

/// A game that forbids positions to come back has a history to keep, in buffers that are there already.
#[test]
fn modules_with_a_history_are_within_the_floor() {
    let [floor, _] = limits();
    for variant in Variant::ALL {
        let game = Go::new(19, 7.5).expect("a board").with_superko(true);
        for module in modules_of(&game, variant, 128, &floor) {
            assert_within(&module, &floor);
        }
    }
}

fn assert_within(module: &Module, limits: &wgpu::Limits) {
    for entry in &module.entries {
        let (lanes, bytes) = module.composed.workgroup(entry);
        let storage = module.composed.bindings(entry).iter().filter(|b| b.name != "params").count();
        let what = format!("{entry} of {}", module.name);
        assert!(lanes >= 1 && lanes <= limits.max_compute_invocations_per_workgroup, "{what}");
        assert!(bytes <= limits.max_compute_workgroup_storage_size, "{what}: {bytes} bytes");
        assert!((1..=8).contains(&storage), "{what}: {storage} storage buffers");
    }
}

#[test]
fn workgroups_have_the_widths_the_host_counts_on() {
    let [floor, _] = limits();
    for module in modules(&[64], &floor) {
        for entry in &module.entries {
            let playout = *entry == "playout";
            let lanes = if playout { module.widths.playout } else { module.widths.tree };
            assert_eq!(module.composed.workgroup(entry).0, lanes, "{entry} of {}", module.name);
        }
    }
}

#[test]
fn every_entry_point_is_listed() {
    let [floor, _] = limits();
    let modules = modules_of(&Connect4::default(), Variant::ACP_THRIFTY, 128, &floor);
    let listed: BTreeSet<_> = staged_entries().into_iter().chain(FUSED).chain(FUSED_APART).collect();
    let found = modules[0].composed.module.entry_points.iter().map(|entry| entry.name.as_str());
    assert_eq!(found.collect::<BTreeSet<_>>(), listed);
}

#[test]
fn every_module_translates_to_spirv_msl_and_hlsl() {
    let [floor, _] = limits();
    for Module { name, entries, composed: Composed { module, info, .. }, .. } in modules(&[128], &floor) {
        let listed = |text: &str| entries.iter().all(|entry| text.contains(&format!("void {entry}")));
        let words = spv::write_vec(&module, &info, &spv::Options::default(), None);
        assert!(words.unwrap_or_else(|e| panic!("{name}: {e}")).len() > 1000);
        // Metal has reverse_bits from 2.1 on.
        let options = msl::Options { lang_version: (2, 1), ..Default::default() };
        let text = msl::write_string(&module, &info, &options, &Default::default());
        assert!(listed(&text.unwrap_or_else(|e| panic!("{name}: {e}")).0), "{name}");
        let (mut text, options) = (String::new(), hlsl::Options::default());
        let pipeline = Default::default();
        let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(&module, &info, None);
        written.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(listed(&text), "{name}");
    }
}

#[test]
fn every_kernel_translates_to_glsl_es() {
    let [floor, _] = limits();
    let version = glsl::Version::Embedded { version: 310, is_webgl: false };
    let options = glsl::Options { version, ..Default::default() };
    for Module { name, entries, composed: Composed { module, info, .. }, .. } in modules(&[128], &floor) {
        for entry in entries {
            let pipeline = glsl::PipelineOptions {
                shader_stage: naga::ShaderStage::Compute,
                entry_point: entry.into(),
                multiview: None,
            };
            let mut text = String::new();
            let policies = BoundsCheckPolicies::default();
            glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies)
                .and_then(|mut writer| writer.write())
                .unwrap_or_else(|error| panic!("{entry} of {name}: {error}"));
            assert!(text.starts_with("#version 310 es") && text.contains("void main()"), "{entry} of {name}");
        }
    }
}

/// `workgroupUniformLoad` of a word and of an array: every backend puts a barrier before the load and one behind it.
#[test]
fn uniform_loads_stand_between_barriers() {
    let [floor, _] = limits();
    let game = Gomoku::default();
    let Some(Module { composed: Composed { module, info, .. }, .. }) =
        modules_of(&game, Variant::ACP_PRODIGAL, 128, &floor).into_iter().next()
    else {
        panic!("there is a staged module");
    };
    let msl_options = msl::Options { lang_version: (2, 1), ..Default::default() };
    let (msl, _) = msl::write_string(&module, &info, &msl_options, &Default::default()).expect("MSL");
    assert_loads_between(&msl, "threadgroup_barrier(metal::mem_flags::mem_threadgroup);");

    let (mut hlsl, options, pipeline) = (String::new(), hlsl::Options::default(), Default::default());
    hlsl::Writer::new(&mut hlsl, &options, &pipeline).write(&module, &info, None).expect("HLSL");
    assert_loads_between(&hlsl, "GroupMemoryBarrierWithGroupSync();");

    let version = glsl::Version::Embedded { version: 310, is_webgl: false };
    let options = glsl::Options { version, ..Default::default() };
    let pipeline = glsl::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: "backup_2".into(),
        multiview: None,
    };
    let (mut glsl, policies) = (String::new(), BoundsCheckPolicies::default());
    glsl::Writer::new(&mut glsl, &module, &info, &options, &pipeline, policies)
        .and_then(|mut writer| writer.write())
        .expect("GLSL");
    assert_loads_between(&glsl, "barrier();");
}

/// Both variables are loaded whole, each time between two lines with this barrier.
fn assert_loads_between(text: &str, barrier: &str) {
    let lines: Vec<_> = text.lines().collect();
    for load in ["= sh_length;", "= sh_close;"] {
        let mut loads = lines.windows(4).filter(|lines| lines[1].ends_with(load)).peekable();
        assert!(loads.peek().is_some(), "no '{load}' in {text}");
        for lines in loads {
            // In GLSL a line for the memory stands before the barrier.
            let behind = lines[2..].iter().any(|line| line.contains(barrier));
            assert!(lines[0].contains(barrier) && behind, "{lines:?}");
        }
    }
}

#[test]
fn errors_name_the_line_of_the_file_where_they_are() {
    let games = [Connect4::default().shader(), Gomoku::default().shader()];
    let shapes = [
        shape(&Connect4::default(), Variant::ACP_THRIFTY, 128),
        shape(&Gomoku::default(), Variant::OCP_PRODIGAL, 128),
    ];
    let [floor, _] = limits();
    for (game, shape) in games.iter().zip(&shapes) {
        let pieces = sources(game, shape, Widths::staged(shape, game, &floor, true));
        assert!(pieces.iter().any(|piece| piece.file == game.file && piece.file.starts_with("games/")));
        for index in 0..pieces.len() {
            for (at, broken) in
                [(0, "const BROKEN: u32 = 1.5;"), (1, "fn broken() -> u32 { return missing; }")]
            {
                let mut pieces = pieces.clone();
                let line = break_piece(&mut pieces[index], at, broken);
                let error = compose(&pieces).expect_err("the piece is broken");
                let place = format!("{}:{line}:", pieces[index].file);
                assert!(error.is_shader() && error.to_string().starts_with(&place), "{place} {error}");
            }
        }
    }
}

/// Puts a line at the start (0) or the end (1) of a piece; the number of that line.
fn break_piece(piece: &mut Source, at: usize, line: &str) -> usize {
    let mut lines: Vec<_> = piece.text.lines().collect();
    let index = at * lines.len();
    lines.insert(index, line);
    piece.text = lines.join("\n");
    index + 1
}

// --- both sides of src/layout.rs ---------------------------------------------------------------------------

fn any_module() -> Module {
    let [floor, _] = limits();
    modules_of(&Gomoku::default(), Variant::ACP_THRIFTY, 128, &floor).swap_remove(0)
}

fn reuse() -> Module {
    let [floor, _] = limits();
    let mut modules = modules_of(&Gomoku::default(), Variant::ACP_THRIFTY, 128, &floor);
    modules.pop().expect("the last one is that of tree reuse")
}

/// Names and offsets of a structure's members, and its size.
fn structure(module: &naga::Module, name: &str) -> (Vec<(String, u32)>, u32) {
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let (_, ty) = found.unwrap_or_else(|| panic!("there is no struct {name}"));
    let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    let member = |m: &naga::StructMember| (m.name.clone().expect("members have names"), m.offset);
    (members.iter().map(member).collect(), *span)
}

macro_rules! assert_layout {
    ($module:expr, $type:ident { $($field:ident),* }) => {
        let fields = vec![$((stringify!($field).to_owned(), offset_of!($type, $field) as u32)),*];
        assert_eq!(structure($module, stringify!($type)), (fields, size_of::<$type>() as u32));
    };
}

#[test]
fn structures_lie_the_same_way() {
    let composed = any_module().composed;
    let module = &composed.module;
    assert_layout!(
        module,
        Params {
            n_trees,
            first_tree,
            capacity,
            trees_per_position,
            stream_zero,
            ucb_c,
            steps,
            first_group,
            padding
        }
    );
    assert_layout!(
        module,
        Tree {
            size,
            flags,
            selected,
            path_length,
            first_child,
            expanded,
            drawn,
            max_depth,
            depth_sum,
            tally,
            expansion_stream
        }
    );
    let reuse = reuse().composed.module;
    assert_layout!(
        &reuse,
        Slab { first_tree, trees, first_block, blocks, moves, spans, root_words, first_marked }
    );
    assert_layout!(module, RootSum { stats, info, present, padding });
    assert_layout!(module, Best { ordinal, action });
}

/// The bytes of a buffer's element.
fn element_bytes(module: &naga::Module, variable: &naga::GlobalVariable) -> u32 {
    match &module.types[variable.ty].inner {
        naga::TypeInner::Array { stride, .. } => *stride,
        other => other.size(module.to_ctx()),
    }
}

#[test]
fn elements_have_the_sizes_of_their_rust_types() {
    let expected = vec![
        ("params", size_of::<Params>()),
        ("roots", 4),
        ("trees", size_of::<Tree>()),
        ("paths", 4),
        ("stats", size_of::<layout::Stats>()),
        ("links", size_of::<layout::Link>()),
        ("states", 4),
        ("streams", 16),
        ("tallies", 8),
        ("jobs", 4),
        ("dispatches", 4),
        ("root_sums", size_of::<RootSum>()),
        ("best", size_of::<Best>()),
        ("digests", 8),
        ("jumps", 16),
    ];
    let of_searches = [&expected[..], &[("kept_trees", size_of::<Tree>())]].concat();
    assert_eq!(elements(&any_module()), named(&of_searches));
    let reuse_alone = [
        ("slab", size_of::<Slab>()),
        ("moves", 4),
        ("spans", 16),
        ("slab_stats", 16),
        ("slab_links", 8),
        ("marks", 8),
    ];
    assert_eq!(elements(&reuse()), named(&[&expected[..], &reuse_alone].concat()));
}

fn named(elements: &[(&str, usize)]) -> Vec<(String, usize)> {
    elements.iter().map(|&(name, bytes)| (name.to_owned(), bytes)).collect()
}

/// Names of the buffers and bytes of their elements.
fn elements(module: &Module) -> Vec<(String, usize)> {
    let module = &module.composed.module;
    let variables = module.global_variables.iter().filter(|(_, v)| v.binding.is_some());
    variables.map(|(_, v)| (v.name.clone().unwrap_or_default(), element_bytes(module, v) as usize)).collect()
}

/// The value of a `const NAME: u32`.
fn constant(module: &naga::Module, name: &str) -> u32 {
    let found = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(name));
    let (_, constant) = found.unwrap_or_else(|| panic!("there is no constant {name}"));
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => value,
        ref other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn constants_have_the_same_values() {
    let Module { composed, shape, widths, .. } = any_module();
    let expected = [
        ("ROOT", layout::ROOT),
        ("NO_CHILDREN", layout::NO_CHILDREN),
        ("ACTION_BITS", layout::ACTION_BITS),
        ("COUNT_BITS", layout::COUNT_BITS),
        ("OUTCOME_SHIFT", layout::OUTCOME_SHIFT),
        ("TREE_FULL", layout::TREE_FULL),
        ("TREE_SECOND_MOVES", layout::TREE_SECOND_MOVES),
        ("FAULT_TOO_LONG", layout::FAULT_TOO_LONG),
        ("FAULT_LOOP_ENDED", layout::FAULT_LOOP_ENDED),
        ("FAULT_OUTCOME", layout::FAULT_OUTCOME),
        ("FAULT_LEFT", layout::FAULT_LEFT),
        ("ROOT_HEADER", layout::ROOT_HEADER),
        ("NO_ACTION", layout::NO_ACTION),
        ("NO_ORDINAL", layout::NO_ACTION),
        ("GROUP_ROW", GROUP_ROW),
        ("DIGEST_SLICES", DIGEST_SLICES),
        ("MAX_ACTIONS", shape.max_actions),
        ("STATE_WORDS", shape.state_words),
        ("HISTORY_WORDS", shape.history_words),
        ("PLAYOUTS", shape.playouts),
        ("STREAM_SETS", shape.stream_sets()),
        ("PATH_CAPACITY", shape.path_capacity),
        ("MAX_PLIES", shape.max_plies()),
        ("EXPANSION_STRIDE", shape.expansion_stride),
        ("TREE_LANES", widths.tree),
        ("PLAYOUT_LANES", widths.playout),
        ("GROUP_GAMES", widths.games),
        ("PARTS", widths.parts(shape.playouts)),
        ("FIRST", Player::First as u32),
        ("SECOND", Player::Second as u32),
        ("ONGOING", Outcome::code(None)),
        ("SECOND_WINS", Outcome::SecondWins as u32),
        ("DRAW", Outcome::Draw as u32),
        ("FIRST_WINS", Outcome::FirstWins as u32),
    ];
    for (name, value) in expected {
        assert_eq!(constant(&composed.module, name), value, "{name}");
    }
    assert_eq!(constant(&reuse().composed.module, "REUSE_BLOCK"), REUSE_BLOCK);
    assert_eq!(REUSE_BLOCK % widths.tree, 0);
    // What the fields of a link's info word have to hold.
    const { assert!(512 < 1 << layout::COUNT_BITS && 512 <= 1 << layout::ACTION_BITS) };
}

// --- shaders/README.md -------------------------------------------------------------------------------------

/// A buffer and the kernels that use it.
#[derive(Debug, PartialEq)]
struct Row {
    binding: u32,
    name: String,
    written_by: BTreeSet<String>,
    read_by: BTreeSet<String>,
}

/// The rows of the buffer table: binding, name, shape, bytes, written by, read by, what.
fn documented() -> Vec<Row> {
    let names = |cell: &str| {
        let kernels = cell.split(',').map(|name| name.trim().trim_matches('`').to_owned());
        kernels.filter(|name| !name.is_empty() && !name.starts_with("host")).collect()
    };
    let rows = include_str!("../shaders/README.md").lines().filter_map(|line| {
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

/// What naga finds in the kernels around the loop, of the staged schedule and of tree reuse, in any variant.
fn used() -> Vec<Row> {
    let [floor, _] = limits();
    let mut rows = BTreeMap::new();
    for variant in Variant::ALL {
        let mut modules = modules_of(&Connect4::default(), variant, 128, &floor);
        let reuse = modules.pop().expect("the last one is that of tree reuse");
        for module in [modules.swap_remove(0), reuse] {
            module
                .composed
                .module
                .global_variables
                .iter()
                .for_each(|bound| add_uses(&mut rows, &module, bound));
        }
    }
    for (row, writable) in rows.values() {
        assert_eq!(*writable, !row.written_by.is_empty(), "{}", row.name);
    }
    rows.into_values().map(|(row, _)| row).collect()
}

/// Adds who uses a buffer in a module to its row, which also tells whether it may be written.
fn add_uses(
    rows: &mut BTreeMap<u32, (Row, bool)>,
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
    let row = Row { binding: binding.binding, name, written_by: BTreeSet::new(), read_by: BTreeSet::new() };
    let (row, _) = rows.entry(binding.binding).or_insert((row, writable));
    for (index, entry) in module.composed.module.entry_points.iter().enumerate() {
        let uses = module.composed.info.get_entry_point(index)[handle];
        if module.entries.contains(&entry.name.as_str()) {
            row.written_by.extend(uses.contains(GlobalUse::WRITE).then(|| entry.name.clone()));
            row.read_by.extend(uses.contains(GlobalUse::READ).then(|| entry.name.clone()));
        }
    }
}

#[test]
fn the_buffer_table_says_who_writes_and_who_reads() {
    let (documented, used) = (documented(), used());
    assert_eq!(documented.len(), used.len());
    for (documented, used) in documented.iter().zip(&used) {
        assert_eq!(documented, used);
    }
}
