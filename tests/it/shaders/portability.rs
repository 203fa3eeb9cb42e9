//! Checks of the shaders without an adapter: they are valid, translate to every backend's language, stay within the
//! WebGPU default limits, and agree with Rust on every layout, binding and constant.

use crate::support::prelude::*;
use mcts_wgpu::{
    internals::{
        device::{
            Machine,
            compose::{Composed, Source, compose},
        },
        gpu::{
            network::{EVALUATE, Matrices, dots_module, matrices_module},
            shaders::{
                CREDIT, FRAME, FUSED, FUSED_APART, LEAVES, NET, PACKED, RELAY, REUSE, STAGED, WITHDRAW,
                WITHDRAW_LEAVES, apart_module, can_be_packed, packed_module, relay_module, reuse_module,
                sources, whole_module,
            },
        },
    },
    net::LeafEvaluation,
};
use naga::{
    back::{glsl, hlsl, msl, spv},
    proc::BoundsCheckPolicies,
};

/// A search module for some adapter.
pub(super) struct Module {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) widths: Widths,
    pub(super) entries: Vec<&'static str>,
    pub(super) composed: Composed,
}

/// The limits of every adapter, and those of a wide GPU.
pub(super) fn limits() -> [wgpu::Limits; 2] {
    let floor = wgpu::Limits::defaults();
    let wide = wgpu::Limits {
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_storage_size: 48 << 10,
        ..floor.clone()
    };
    [floor, wide]
}

pub(super) fn staged_entries() -> Vec<&'static str> {
    [&FRAME[..], &[WITHDRAW], &STAGED].concat()
}

/// The most leaves whose lists are in workgroup memory.
const SEVERAL: u32 = 256;

/// The modules of a shape: staged, fused in two dispatches, fused whole, relayed and packed where there are such
/// modules, several leaves a step, and reuse.
pub(super) fn modules_of<G: Game>(
    game: &G,
    variant: Variant,
    playouts: u32,
    limits: &wgpu::Limits,
) -> Vec<Module> {
    let (shape, shader) = (shape(game, variant, playouts), game.shader());
    let of = format!("{} B {} {} m {playouts}", game.name(), game.max_actions(), variant.name());
    let module = |(widths, composed), entries| {
        let name = format!("{of} {widths:?}");
        Module { name, shape: shape.clone(), widths, entries, composed }
    };
    let machine = Machine { limits, software: true, subgroup: 0, matrices: false };
    let staged = staged_module(&shader, &shape, machine).unwrap_or_else(|e| panic!("{of}: {e}"));
    let widths = staged.0;
    let apart = apart_module(&shader, &shape, machine).unwrap_or_else(|e| panic!("{of}: {e}"));
    let whole = whole_module(&shader, &shape, limits).unwrap_or_else(|e| panic!("{of}: {e}"));
    let mut modules = vec![module(staged, staged_entries()), module(apart, FUSED_APART.to_vec())];
    modules.extend(whole.map(|whole| module(whole, FUSED.to_vec())));
    let relay = relay_module(&shader, &shape, limits).unwrap_or_else(|e| panic!("{of}: {e}"));
    modules.extend(relay.map(|relay| module(relay, RELAY.to_vec())));
    let teams = [1, 16].into_iter().filter(|_| can_be_packed(&shape));
    modules.extend(teams.filter_map(|team| {
        let packed = packed_module(&shader, &shape, limits, team).unwrap_or_else(|e| panic!("{of}: {e}"));
        Some(module(packed?, PACKED.to_vec()))
    }));
    let leaves = Shape { config: Config { leaf_batch: SEVERAL, ..shape.config }, ..shape.clone() };
    let several = staged_module(&shader, &leaves, machine).unwrap_or_else(|e| panic!("{of}: {e}"));
    let entries = [&FRAME[..], &[WITHDRAW_LEAVES], &LEAVES].concat();
    modules.push(Module { name: format!("{of} leaves"), shape: leaves, ..module(several, entries) });
    modules.extend(rapid_module(game, variant, playouts, limits));
    let (tree, composed) = reuse_module(&shader, &shape, limits).unwrap_or_else(|e| panic!("reuse: {e}"));
    modules.push(module((Widths { tree, ..widths }, composed), REUSE.to_vec()));
    modules
}

/// The module of a search with rapid action values, and with so many leaves that the lists of selections are in storage;
/// `None` if the game or the variant has none.
pub(super) fn rapid_module<G: Game>(
    game: &G,
    variant: Variant,
    playouts: u32,
    limits: &wgpu::Limits,
) -> Option<Module> {
    let shape = Semantics::Rapid.of(shape(game, variant, playouts));
    let shape = Shape { config: Config { leaf_batch: 4 * SEVERAL, ..shape.config }, ..shape };
    let machine = Machine { limits, software: true, subgroup: 0, matrices: false };
    let (widths, composed) = staged_module(&game.shader(), &shape, machine)
        .unwrap_or_else(|e| panic!("{} {}: {e}", game.name(), variant.name()));
    let entries = [&FRAME[..], &[WITHDRAW_LEAVES, CREDIT], &LEAVES].concat();
    let name = format!("{} B {} {} m {playouts} rapid", game.name(), game.max_actions(), variant.name());
    (shape.config.rave > 0).then_some(Module { name, shape, widths, entries, composed })
}

/// The module that evaluates a network by matrices, which only SPIR-V has.
pub(super) fn matrices_of<G: Game>(game: &G) -> Module {
    let limits = wgpu::Limits { max_compute_workgroup_storage_size: 48 << 10, ..wgpu::Limits::defaults() };
    let machine = Machine { limits: &limits, software: false, subgroup: 32, matrices: true };
    let (shader, net) = (game.shader(), network(game, Trunk::Conv, 1, 64));
    let evaluation = Some(LeafEvaluation::Network(net.clone(), NetKernel::Auto));
    let shape = Shape { evaluation, ..shape(game, Variant::OCP_PRODIGAL, 1) };
    let cut = Matrices::of(&net, machine, 128).expect("it fits");
    let (widths, _) = staged_module(&shader, &shape, machine).expect("it is valid");
    let composed = matrices_module(&shader, &shape, &net, &cut).expect("it is valid");
    let name = format!("network of {} by matrices", game.name());
    Module { name, shape, widths, entries: vec![EVALUATE], composed }
}

/// The kernels of a search by a network.
fn entries_with_network() -> Vec<&'static str> {
    let leaves = LEAVES.into_iter().filter(|entry| !["count_jobs", "playout"].contains(entry));
    FRAME.into_iter().chain([WITHDRAW_LEAVES]).chain(leaves).chain(NET).collect()
}

/// Networks of a game whose activations fit workgroup memory, and do not, and one for games without a board: of each
/// the network's own module, and that of the search.
pub(super) fn network_modules<G: Game>(game: &G, limits: &wgpu::Limits) -> Vec<Module> {
    let (shader, machine) = (game.shader(), Machine { limits, software: true, subgroup: 0, matrices: false });
    let kinds = [(Trunk::Conv, 16), (Trunk::Conv, 256), (Trunk::Dense, 32)];
    let modules = kinds.map(|(trunk, channels)| {
        let name = format!("{} {trunk:?} x {channels}", game.name());
        let shape = shape(game, Variant::OCP_PRODIGAL, 1);
        let config = Config { leaf_batch: SEVERAL, ..shape.config };
        let net = network(game, trunk, 1, channels);
        let evaluation = Some(LeafEvaluation::Network(net.clone(), NetKernel::Auto));
        let shape = Shape { config, evaluation, ..shape };
        let (widths, composed) = staged_module(&shader, &shape, machine).expect("it is valid");
        let own = dots_module(&shader, &shape, &net, (NetKernel::Dot, limits)).expect("it is valid");
        let evaluates = Module {
            name: format!("network of {name}"),
            shape: shape.clone(),
            widths,
            entries: vec![EVALUATE],
            composed: own,
        };
        [evaluates, Module { name, shape, widths, entries: entries_with_network(), composed }]
    });
    modules.into_iter().flatten().collect()
}

/// Modules of the networks of games with the smallest and the largest boards.
fn modules_of_networks(limits: &wgpu::Limits) -> Vec<Module> {
    let go = go_of(19, 7.5);
    [
        network_modules(&connect4_of(4, 4), limits),
        network_modules(&Othello, limits),
        network_modules(&go, limits),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Modules of the games, with these numbers of playouts; outside of `.ci/run thorough`, half of the pairs of a variant
/// and a game.
pub(super) fn modules(playouts: &[u32], limits: &wgpu::Limits) -> Vec<Module> {
    let mut modules = Vec::new();
    let connect4 = [(6, 7), (4, 4), (3, 16)].map(|(rows, columns)| Connect4::new(rows, columns));
    let gomoku = [15, 6, 22].map(Gomoku::new);
    let go = [(9, "pattern3x3"), (19, "m2"), (9, "tactical")]
        .map(|(size, policy)| Go::new(size, 7.5).and_then(|go| go.with_policy(policy)));
    for (number, variant) in Variant::ALL.into_iter().enumerate() {
        let is_taken = |game: usize| is_thorough() || (number + game).is_multiple_of(2);
        for &m in playouts {
            for (_, game) in (0..).zip(connect4.iter().flatten()).filter(|(at, _)| is_taken(*at)) {
                modules.extend(modules_of(game, variant, m, limits));
            }
            for (_, game) in (0..).zip(gomoku.iter().flatten()).filter(|(at, _)| is_taken(*at)) {
                modules.extend(modules_of(game, variant, m, limits));
            }
            for (_, game) in (0..).zip(go.iter().flatten()).filter(|(at, _)| is_taken(*at)) {
                modules.extend(modules_of(game, variant, m, limits));
            }
        }
    }
    assert!(modules.len() > 4 * playouts.len() * 6 * 2);
    modules
}

/// With numbers of playouts beside those of [`every_module_is_valid_and_translates`]: the least one, and those for
/// which a wide GPU has wider workgroups.
#[test]
fn every_module_is_within_its_limits() {
    let [floor, wide] = limits();
    for (playouts, limits) in [(&[1, 512][..], &floor), (&[128, 512], &wide)] {
        let modules = modules(playouts, limits);
        modules.iter().for_each(assert_wide);
        modules.iter().for_each(|module| assert_within(module, limits));
    }
    modules_of_networks(&wide).iter().for_each(|module| assert_within(module, &wide));
}

/// A device keeps activations in storage where they do not fit.
#[test]
fn activations_are_where_they_fit() {
    let [floor, wide] = limits();
    let in_storage = |limits: &wgpu::Limits| -> Vec<_> {
        let own = network_modules(&Connect4::default(), limits).into_iter().step_by(2);
        own.map(|module| module.composed.bindings(EVALUATE).iter().any(|b| b.name == "activations")).collect()
    };
    assert_eq!((in_storage(&floor), in_storage(&wide)), (vec![false, true, false], vec![false; 3]));
}

/// A game with superko has a history, in existing buffers.
#[test]
fn modules_with_a_history_are_within_the_floor() {
    let [floor, _] = limits();
    for variant in Variant::ALL {
        let game = go_of(19, 7.5).with_superko(true);
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

/// Workgroups are as wide as the host assumes.
fn assert_wide(module: &Module) {
    for entry in &module.entries {
        let playout = *entry == "playout";
        let lanes = if playout { module.widths.playout } else { module.widths.tree };
        assert_eq!(module.composed.workgroup(entry).0, lanes, "{entry} of {}", module.name);
    }
}

#[test]
fn every_entry_point_is_listed() {
    let [floor, _] = limits();
    let modules = modules_of(&Connect4::default(), Variant::ACP_THRIFTY, 128, &floor);
    let fused = FUSED.into_iter().chain(PACKED).chain(FUSED_APART).chain(RELAY);
    let listed: BTreeSet<_> = staged_entries().into_iter().chain(fused).collect();
    let found = modules[0].composed.module().entry_points.iter().map(|entry| entry.name.as_str());
    assert_eq!(found.collect::<BTreeSet<_>>(), listed);
    let several = &modules[modules.len() - 2];
    let found = several.composed.module().entry_points.iter().map(|entry| entry.name.as_str());
    // The files of the stages that it uses in part are complete.
    let listed: BTreeSet<_> = several.entries.iter().copied().chain(staged_entries()).collect();
    assert_eq!(found.collect::<BTreeSet<_>>(), listed);
}

#[test]
fn every_module_is_valid_and_translates() {
    let [floor, _] = limits();
    for module in modules(&[128], &floor).into_iter().chain(modules_of_networks(&floor)) {
        assert_within(&module, &floor);
        assert_translates(&module.name, &module.entries, &module.composed);
        assert_translates_to_glsl_es(&module.name, &module.entries, &module.composed);
    }
}

/// Kernels that use subgroups.
#[test]
fn modules_with_subgroups_translate_to_spirv_msl_and_hlsl() {
    fn check<G: Game>(game: &G, subgroup: u32) {
        let [floor, _] = limits();
        let shape = shape(game, Variant::OCP_PRODIGAL, 1);
        let config = Config { leaf_batch: SEVERAL, ..shape.config };
        let net = network(game, Trunk::Dense, 0, 16);
        let by_network = Some(LeafEvaluation::Network(net, NetKernel::Auto));
        let machine = Machine { limits: &floor, software: false, subgroup, matrices: false };
        for (evaluation, entries) in
            [(None, [&FRAME[..], &[WITHDRAW_LEAVES], &LEAVES].concat()), (by_network, entries_with_network())]
        {
            let is_network = evaluation.is_some();
            let shape = Shape { config, evaluation, ..shape.clone() };
            let (widths, composed) = staged_module(&game.shader(), &shape, machine).expect("it is valid");
            // A lane holds 32 children; a network's ranks are for less than 256 actions.
            let can_choose = game.max_actions() <= 32 * subgroup && (game.max_actions() < 256 || !is_network);
            assert_eq!(widths.subgroup, if can_choose { subgroup } else { 0 });
            assert_translates(game.name(), &entries, &composed);
        }
    }
    for subgroup in [4, 8, 32] {
        check(&Othello, subgroup);
        check(&gomoku_of(15), subgroup);
        check(&go_of(19, 7.5), subgroup);
    }
}

pub(super) fn assert_translates(name: &str, entries: &[&str], composed: &Composed) {
    let (module, info) = (composed.module(), composed.info());
    let listed = |text: &str| entries.iter().all(|entry| text.contains(&format!("void {entry}")));
    let words = spv::write_vec(module, info, &spv::Options::default(), None);
    assert!(words.unwrap_or_else(|e| panic!("{name}: {e}")).len() > 1000);
    // Metal has reverse_bits from 2.1 on.
    let options = msl::Options { lang_version: (2, 1), ..Default::default() };
    let text = msl::write_string(module, info, &options, &Default::default());
    assert!(listed(&text.unwrap_or_else(|e| panic!("{name}: {e}")).0), "{name}");
    let (mut text, options) = (String::new(), hlsl::Options::default());
    let pipeline = Default::default();
    let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
    written.unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(listed(&text), "{name}");
}

pub(super) fn assert_translates_to_glsl_es(name: &str, entries: &[&str], composed: &Composed) {
    let (module, info) = (composed.module(), composed.info());
    let version = glsl::Version::Embedded { version: 310, is_webgl: false };
    let options = glsl::Options { version, ..Default::default() };
    for &entry in entries {
        let pipeline = glsl::PipelineOptions {
            shader_stage: naga::ShaderStage::Compute,
            entry_point: entry.into(),
            multiview: None,
        };
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
            .and_then(|mut writer| writer.write())
            .unwrap_or_else(|error| panic!("{entry} of {name}: {error}"));
        assert!(text.starts_with("#version 310 es") && text.contains("void main()"), "{entry} of {name}");
    }
}

/// `workgroupUniformLoad` of a word and of an array: every backend puts a barrier before and after the load.
#[test]
fn uniform_loads_stand_between_barriers() {
    let [floor, _] = limits();
    let game = Gomoku::default();
    let modules = modules_of(&game, Variant::ACP_PRODIGAL, 128, &floor);
    let composed = &modules.first().expect("there is a staged module").composed;
    let (module, info) = (composed.module(), composed.info());
    let msl_options = msl::Options { lang_version: (2, 1), ..Default::default() };
    let (msl, _) = msl::write_string(module, info, &msl_options, &Default::default()).expect("MSL");
    assert_loads_between(&msl, "threadgroup_barrier(metal::mem_flags::mem_threadgroup);");

    let (mut hlsl, options, pipeline) = (String::new(), hlsl::Options::default(), Default::default());
    hlsl::Writer::new(&mut hlsl, &options, &pipeline).write(module, info, None).expect("HLSL");
    assert_loads_between(&hlsl, "GroupMemoryBarrierWithGroupSync();");

    let version = glsl::Version::Embedded { version: 310, is_webgl: false };
    let options = glsl::Options { version, ..Default::default() };
    let pipeline = glsl::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: "backup_2".into(),
        multiview: None,
    };
    let (mut glsl, policies) = (String::new(), BoundsCheckPolicies::default());
    glsl::Writer::new(&mut glsl, module, info, &options, &pipeline, policies)
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
        let machine = Machine { limits: &floor, software: true, subgroup: 0, matrices: false };
        let (widths, _) = staged_module(game, shape, machine).expect("the shaders are valid");
        let pieces = sources(game, shape, widths);
        assert!(pieces.iter().any(|piece| piece.file() == game.file && piece.file().starts_with("games/")));
        // An empty source has no line to break.
        for index in (0..pieces.len()).filter(|&index| !pieces[index].text().is_empty()) {
            for (at, broken) in
                [(0, "const BROKEN: u32 = 1.5;"), (1, "fn broken() -> u32 { return missing; }")]
            {
                let mut pieces = pieces.clone();
                let line = break_piece(&mut pieces[index], at, broken);
                let error = compose(&pieces).expect_err("the piece is broken");
                let place = format!("{}:{line}:", pieces[index].file());
                assert!(error.is_shader() && error.to_string().starts_with(&place), "{place} {error}");
            }
        }
    }
}

/// Inserts a line at the start (0) or the end (1) of a source; returns the number of the line.
fn break_piece(piece: &mut Source, at: usize, line: &str) -> usize {
    let mut lines: Vec<_> = piece.text().lines().collect();
    let index = at * lines.len();
    lines.insert(index, line);
    *piece = Source::new(piece.file(), lines.join("\n"));
    index + 1
}
