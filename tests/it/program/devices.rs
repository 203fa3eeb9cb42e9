//! The choice of adapters and schedules.

use super::*;
use crate::support::{adapters::listed, prelude::*};
use mcts_wgpu::engine::Backend;

#[test]
fn every_adapter_finds_the_same_trees() {
    let search = "search connect4 --moves 3,3 --steps 15 --trees 2 --playouts 32 --json";
    let expected = fingerprint(&run(&format!("{search} --adapter cpu")).succeeded());
    let found = listed();
    assert!(!found.is_empty(), "no adapter: install mesa-vulkan-drivers and libvulkan1");
    for adapter in found {
        let info = adapter.info();
        let done = run(&format!("{search} --schedule staged --adapter {}", info.index)).succeeded();
        assert_eq!(fingerprint(&done), expected, "{info:?}");
        let engine = &done.json()["engine"];
        assert_eq!(engine["adapter"], info.name);
        assert_eq!(engine["backend"], info.backend.name());
        assert_eq!(engine["schedule"], "staged");
    }
    let auto = run(search).succeeded();
    assert_eq!(fingerprint(&auto), expected);
    assert_ne!(fingerprint(&run(&format!("{search} --adapter cpu --seed 1")).succeeded()), expected);
}

/// Subgroups of 4, 8 and 16 lanes, on the adapter whose subgroups can be chosen.
#[test]
fn subgroups_of_every_width_find_the_same_trees() {
    let searches = ["--net othello --leaves 16", "--net none --trees 2 --leaves 16 --playouts 2"]
        .map(|settings| format!("search othello {settings} --steps 12 --json"));
    let expected =
        searches.each_ref().map(|search| fingerprint(&run(&format!("{search} --adapter cpu")).succeeded()));
    for found in listed() {
        let info = found.info();
        if info.backend != Backend::Vulkan || !info.name.contains("llvmpipe") {
            continue;
        }
        for lanes in [4, 8, 16] {
            let with_lanes = |arguments: &str| {
                let mut command = command(arguments);
                command.env("LP_NATIVE_VECTOR_WIDTH", (32 * lanes).to_string()).stdin(Stdio::null());
                finish(arguments, &mut command).succeeded()
            };
            let adapters = with_lanes("adapters --json").json();
            assert_eq!(adapters[info.index]["subgroup_lanes"], json!([lanes, lanes]), "{adapters}");
            for (search, expected) in searches.iter().zip(&expected) {
                let done = with_lanes(&format!("{search} --adapter {}", info.index));
                assert_eq!(&fingerprint(&done), expected, "{lanes} lanes");
            }
        }
    }
}

/// wgpu's environment variables choose if no option does; options take precedence.
#[test]
fn the_environment_chooses_an_adapter() {
    let search = |options: &str, variables: &[(&str, &str)]| {
        let arguments = format!("search connect4 --steps 2 --trees 1 --playouts 4 --json {options}");
        let mut command = command(&arguments);
        command.envs(variables.iter().copied()).stdin(Stdio::null());
        finish(&arguments, &mut command)
    };
    let first = listed().into_iter().next().expect("an adapter");
    let (name, backend) = (&*first.info().name, first.info().backend.name());
    let both = [("WGPU_ADAPTER_NAME", name), ("WGPU_BACKEND", backend)];
    let done = search("", &both).succeeded();
    assert_eq!(fields(&done.json()["engine"], "adapter backend"), json!([name, backend]));
    assert!(done.err.contains("WGPU_ADAPTER_NAME=") && done.err.contains("chooses the adapter"), "{done}");
    let done = search("--adapter cpu", &both).succeeded();
    assert_eq!((&done.json()["engine"]["backend"], &*done.err), (&json!("cpu"), ""), "{done}");
    let done = search("", &[("WGPU_BACKEND", "voodoo")]).succeeded();
    assert!(done.err.contains("WGPU_BACKEND=voodoo is ignored: name one of vulkan"), "{done}");
    let done = search("", &[("WGPU_ADAPTER_NAME", "nonesuch")]);
    assert!(done.code == Some(2) && done.err.contains("no adapter 'nonesuch'"), "{done}");
}

#[test]
fn an_adapter_is_found_by_backend_and_by_a_part_of_its_name() {
    let search = "search connect4 --steps 2 --trees 1 --playouts 1 --schedule staged --json";
    let found = listed();
    let first = found.first().expect("no adapter: install mesa-vulkan-drivers and libvulkan1").info();
    let part = first.name.split(' ').next().expect("an adapter has a name").to_uppercase();
    let done = run(&format!("{search} --adapter {part} --backend {}", first.backend.name())).succeeded();
    assert_eq!(done.json()["engine"]["adapter"], first.name);
    assert_eq!(done.json()["engine"]["backend"], first.backend.name());
}

#[test]
fn several_adapters_find_the_trees_of_one() {
    let search = "search connect4 --moves 3,3 --steps 15 --trees 3 --playouts 32 --schedule staged --json";
    let expected = fingerprint(&run(&format!("{search} --adapter cpu")).succeeded());
    let found = listed();
    let info = found.first().expect("no adapter: install mesa-vulkan-drivers and libvulkan1").info();
    let twice = run(&format!("{search} --adapter 0,0")).succeeded();
    assert_eq!(fingerprint(&twice), expected);
    let engine = &twice.json()["engine"];
    assert_eq!(engine["adapter"], format!("{0} + {0}", info.name));
    let shares = [1, 2].map(|n| json!({"index": 0, "name": info.name, "driver": info.driver, "trees": n}));
    assert_eq!(engine["adapters"], json!(shares));

    let all = run(&format!("{search} --adapter all")).succeeded();
    assert_eq!(fingerprint(&all), expected);
    let shares = all.json()["engine"]["adapters"].as_array().map_or(0, Vec::len);
    assert!((1..=found.len()).contains(&shares));

    let text = run(&search.replace("--json", "--adapter 0,0,0,0")).succeeded().out;
    assert!(text.contains("adapters: 0 (0 trees), 0 (1 tree), 0 (1 tree), 0 (1 tree)"), "{text}");
}

/// The environment can hide drivers on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_the_cpu_searches() {
    let search = "search connect4 --moves 3,3 --steps 15 --trees 2 --playouts 32 --json";
    let done = without_adapters(search).succeeded();
    assert_eq!(done.json()["engine"]["backend"], "cpu");
    assert!(done.err.starts_with("notice: no usable GPU adapter"), "{}", done.err);
    assert_eq!(fingerprint(&done), fingerprint(&run(&format!("{search} --adapter cpu")).succeeded()));

    let done = without_adapters("adapters --json").succeeded();
    assert_eq!((done.json(), done.err.lines().count()), (json!([]), 1));
    without_adapters("search connect4 --steps 1 --backend vulkan")
        .refused(&["no usable GPU adapter", "vulkan"]);
    without_adapters("search connect4 --steps 1 --adapter nvidia").refused(&["no usable GPU adapter"]);
}

/// Software adapters are slower than the CPU engine: they are used on request only.
#[test]
fn auto_takes_a_gpu_or_the_cpu_engine() {
    let gpus: Vec<_> = listed().into_iter().filter(Adapter::is_gpu).collect();
    let done = run("search connect4 --steps 1 --json").succeeded();
    let backend = done.json()["engine"]["backend"].clone();
    assert_eq!(gpus.is_empty(), backend == "cpu", "{backend}");
    assert_eq!(gpus.is_empty(), done.err.starts_with("notice: no usable GPU adapter"), "{}", done.err);
    let all = run("search connect4 --steps 1 --adapter all --json").succeeded().json();
    assert_ne!(all["engine"]["backend"], "cpu");
}

#[test]
fn adapters_are_listed() {
    let found = listed();
    assert!(!found.is_empty(), "no adapter: install mesa-vulkan-drivers and libvulkan1");
    let infos: Vec<_> = found.iter().map(|adapter| adapter.info()).collect();
    let expected = serde_json::to_value(&infos).expect("adapters are JSON");
    assert_eq!(run("adapters --json").succeeded().json(), expected);

    let table = run("adapters").succeeded().out;
    for info in infos {
        let line = format!("{}: {}\n", info.index, info.name);
        assert!(table.contains(&line) && table.contains(info.kind.name()), "{line} in {table}");
        let compiler = info.compiler.expect("every adapter of now has one").name();
        assert!(table.contains(&format!("shaders compiled by: {compiler}\n")), "{compiler} in {table}");
        let its = run("adapters --json").succeeded().json()[info.index]["compiler"].clone();
        assert_eq!(its, compiler);
        let limits = &info.limits;
        for (feature, is_used) in [
            ("subgroup operations", limits.subgroups),
            ("arrays of bindings", limits.array_bindings > 0),
            ("cooperative matrices", limits.matrices),
        ] {
            assert!(!is_used || table.contains(feature), "{feature} in {table}");
        }
        let device = own_device(&found[info.index]);
        let machine = device.machine();
        assert_eq!(limits.max_workgroups, machine.limits.max_compute_workgroups_per_dimension);
        assert_eq!(limits.matrices, machine.matrices);
        assert!(limits.subgroups || machine.subgroup == 0);
        let of_backend =
            run(&format!("adapters --json --backend {}", info.backend.name())).succeeded().json();
        let of_backend = of_backend.as_array().expect("a list");
        assert!(!of_backend.is_empty());
        assert!(of_backend.iter().all(|other| other["backend"] == info.backend.name()));
    }
}

#[test]
fn schedules_are_chosen_by_name() {
    assert!(!listed().is_empty(), "no adapter: install mesa-vulkan-drivers and libvulkan1");
    for schedule in [Schedule::Staged, Schedule::Fused].map(Schedule::name) {
        let search = "search connect4 --steps 2 --trees 1 --playouts 4 --json --adapter 0 --schedule";
        let done = run(&format!("{search} {schedule}")).succeeded();
        assert_eq!(done.json()["engine"]["schedule"], schedule);
    }
}
