//! `mcts-wgpu shaders`: its files and their content.

use crate::support::prelude::*;
use mcts_wgpu::internals::modules::{Module, modules};

const TARGETS: [&str; 3] = ["default-limits", "large-limits", "software"];

/// The files of a folder: name without `.wgsl`, and text.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let file = |(name, text): (String, _)| {
        let name = name.strip_suffix(".wgsl").expect("all are WGSL");
        (name.to_owned(), String::from_utf8(text).expect("the file is text"))
    };
    files_in(folder).into_iter().map(file).collect()
}

fn write(game: &str, folder: &Path) -> Done {
    without_adapters(&format!("shaders {game} --out {}", folder.display())).succeeded()
}

fn texts(modules: Vec<Module>) -> BTreeMap<String, String> {
    modules.into_iter().map(|module| (module.name, module.composed.text().to_owned())).collect()
}

/// The names of the modules of a game without rapid action values; `whole`: the widths of workgroups that can make
/// whole steps of OCP; `packed`: a workgroup can make those of several trees; `relayed`: steps of ACP can be one
/// dispatch each.
fn names(whole: &[&str], packed: bool, relayed: bool, others: &[&str]) -> BTreeSet<String> {
    let mut names: BTreeSet<_> = others.iter().map(|name| (*name).to_owned()).collect();
    for target in TARGETS {
        for variant in Variant::ALL.map(Variant::name) {
            names.extend(
                ["staged", "leaves", "fused-apart"].map(|what| format!("search-{variant}-{what}-{target}")),
            );
            names.insert(format!("reuse-{variant}-{target}"));
            if variant.starts_with("ocp") && whole.contains(&target) {
                names.insert(format!("search-{variant}-fused-whole-{target}"));
            }
            if variant.starts_with("acp") && relayed {
                names.insert(format!("search-{variant}-fused-relay-{target}"));
            }
            if variant.starts_with("ocp") && packed {
                names.insert(format!("search-{variant}-fused-packed-{target}"));
            }
        }
        names.extend(["small", "large", "dense"].map(|net| format!("network-{net}-{target}")));
        names.extend(["prodigal", "thrifty"].map(|variant| format!("search-ocp-{variant}-net-{target}")));
        names.insert(format!("rollout-thread-{target}"));
    }
    names.extend(["conformance", "roofline", "verify"].map(str::to_owned));
    names
}

#[test]
fn every_module_of_connect_4_is_a_file() {
    let folder = fresh_folder("shaders-of-connect4").join("below");
    let out = folder.display().to_string();
    let done = write("connect4 --rows 4 --columns 5 --playouts 64 --trees 3", &folder);
    let found = files(&folder);
    assert_eq!(done.out, format!("{} modules of connect4 written to {out}\n", found.len()));
    // With a network, subgroups distribute selections among few children, too.
    let by_subgroups = ["default-limits", "large-limits"].map(|target| {
        ["prodigal", "thrifty"].map(|variant| format!("search-ocp-{variant}-net-by-subgroups-{target}"))
    });
    let others: Vec<_> = by_subgroups.iter().flatten().map(String::as_str).collect();
    let expected = names(&TARGETS, true, true, &others);
    assert_eq!(found.keys().cloned().collect::<BTreeSet<_>>(), expected);
    // Helpers alone are not part of a game.
    for (name, text) in found.iter().filter(|(name, _)| !["roofline", "verify"].contains(&name.as_str())) {
        let playouts = !["rollout", "conformance"].iter().any(|other| name.starts_with(other));
        let count = if name.contains("net") { 1 } else { 64 };
        assert_eq!(text.contains(&format!("const PLAYOUTS: u32 = {count}u;")), playouts, "{name}");
        assert!(text.contains("const CONNECT4_ROWS: u32 = 4u;"), "{name}");
        assert!(text.contains("const MAX_ACTIONS: u32 = 5u;"), "{name}");
    }
    let game = connect4_of(4, 5);
    let config = Config { playouts: 64, trees: 3, ..Config::paper() };
    assert_eq!(found, texts(modules(&game, &config).expect("the modules are valid")));
}

/// Whole steps of 512 playouts need wide workgroups; the usual boards have PV-Split, and Go has games of a workgroup
/// and rapid action values.
#[test]
fn modules_follow_the_limits_and_the_game() {
    let folder = fresh_folder("shaders-of-go");
    write("go --size 5 --komi 6.5 --superko --policy m2 --playouts 512 --trees 4096", &folder);
    let found = files(&folder);
    let rollouts = TARGETS.map(|target| ["group", "owners"].map(|what| format!("rollout-{what}-{target}")));
    let rave = TARGETS.map(|target| {
        ["ocp-prodigal", "ocp-thrifty"].map(|variant| format!("search-{variant}-rave-{target}"))
    });
    // GPUs whose subgroups distribute the selections of several leaves if there are many children.
    let by_subgroups = ["default-limits", "large-limits"].map(|target| {
        let leaves = Variant::ALL.map(|variant| format!("search-{variant}-leaves-by-subgroups-{target}"));
        let ocp = ["prodigal", "thrifty"];
        let [rave, net] = ["rave", "net"]
            .map(|what| ocp.map(|variant| format!("search-ocp-{variant}-{what}-by-subgroups-{target}")));
        [&leaves[..], &rave, &net].concat()
    });
    let others = rollouts.iter().flatten().chain(rave.iter().flatten()).chain(by_subgroups.iter().flatten());
    let others: Vec<_> = others.map(String::as_str).chain(["pvsplit"]).collect();
    let expected = names(&TARGETS[1..], false, false, &others);
    assert_eq!(found.keys().cloned().collect::<BTreeSet<_>>(), expected);
    for (name, text) in &found {
        let of_rules = !["pvsplit", "roofline", "verify"].contains(&name.as_str());
        assert_eq!(text.contains("const GO_TWICE_KOMI: u32 = 13u;"), of_rules, "{name}");
        assert_eq!(text.contains("const GO_NEIGHBOURS: u32 = 12u;"), of_rules, "{name}");
        assert_eq!(text.contains("fn publish_positions() {\n"), name.starts_with("search"), "{name}");
        assert_eq!(text.contains("fn credit_leaves("), name.contains("-rave-"), "{name}");
        assert_eq!(text.contains("subgroupMax("), name.contains("-by-subgroups-"), "{name}");
    }
    assert!(found["pvsplit"].contains("fn board_try("));
    let staged = |target: &str| &found[&format!("search-acp-prodigal-staged-{target}")];
    assert_eq!(staged("default-limits"), staged("large-limits"));

    let go = Go::new(5, 6.5).and_then(|go| go.with_superko(true).with_policy("m2"));
    let config = Config { playouts: 512, trees: 4096, ..Config::paper() };
    assert_eq!(found, texts(modules(&go.expect("the board exists"), &config).expect("valid modules")));
}

#[test]
fn an_unwritable_folder_is_refused() {
    run("shaders connect4").refused(&["--out"]);
    run("shaders chess --out x").refused(&["unknown game 'chess'"]);
    let file = write_file("no-folder", "");
    run(&format!("shaders connect4 --out {file}")).refused(&["--out", "no-folder can't be created"]);
    let folder = fresh_folder("shaders-refused");
    let out = folder.display();
    run(&format!("shaders connect4 --playouts 100 --out {out}")).refused(&["100 playouts", "power of two"]);
    run(&format!("shaders connect4 --trees 0 --out {out}")).refused(&["0 trees"]);
    run(&format!("shaders othello --policy m2 --out {out}"))
        .refused(&["unknown policy 'm2': othello has random"]);
    assert!(!folder.exists(), "bad input leaves no folder behind");
    fs::create_dir_all(folder.join("rollout-thread-software.wgsl")).expect("the folder can be made");
    run(&format!("shaders connect4 --out {out}")).refused(&["rollout-thread-software.wgsl can't be written"]);
}
