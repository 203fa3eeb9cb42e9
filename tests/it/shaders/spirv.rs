//! naga's SPIR-V, held to the SPIR-V standard by `spirv-val`: `.ci/shaders` runs this on every module of every game.

use crate::support::prelude::*;
use mcts_wgpu::internals::device::compose::{Source, compose};
use naga::{
    back::spv,
    proc::{BoundsCheckPolicies, BoundsCheckPolicy},
};
use rayon::prelude::*;
use std::{env, io::Write};

/// The texts of the `.wgsl` files below a folder, each with the first file that has it.
fn modules_below(folder: &Path) -> BTreeMap<String, String> {
    let mut modules = BTreeMap::new();
    for (path, text) in texts_below(&[folder.to_owned()], "wgsl") {
        modules.entry(text).or_insert_with(|| path.display().to_string());
    }
    modules
}

/// As wgpu's Vulkan backend translates: with run-time checks, and without as the crate's own shaders run.
fn options() -> [(&'static str, spv::Options<'static>); 2] {
    let checked = |index| BoundsCheckPolicies { index, buffer: index, ..BoundsCheckPolicies::default() };
    let options = |index, force_loop_bounding| spv::Options {
        lang_version: (1, 3),
        bounds_check_policies: checked(index),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding,
        ..spv::Options::default()
    };
    [
        ("with checks", options(BoundsCheckPolicy::Restrict, true)),
        ("without checks", options(BoundsCheckPolicy::Unchecked, false)),
    ]
}

/// The error in the SPIR-V of a text, if there is one.
fn fault(text: &str, options: &spv::Options<'_>) -> Option<String> {
    let composed = compose(&[Source::new("module.wgsl", text)]).expect("the module is valid");
    let words =
        spv::write_vec(composed.module(), composed.info(), options, None).expect("naga translates it");
    validate(bytemuck::cast_slice(&words))
}

/// The error that `spirv-val` reports of a binary, if there is one.
fn validate(binary: &[u8]) -> Option<String> {
    let mut validator = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val is installed (Debian: spirv-tools)");
    // It may end before it has read everything; its output counts.
    validator.stdin.take().expect("standard input is piped").write_all(binary).ok();
    let output = validator.wait_with_output().expect("spirv-val ends");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
#[ignore = ".ci/shaders writes the modules and runs it"]
fn every_module_is_valid_spirv() {
    let folder = env::var("MCTS_WGPU_SHADERS").expect("MCTS_WGPU_SHADERS names the folder of the modules");
    let modules = modules_below(Path::new(&folder));
    assert!(!modules.is_empty(), "no .wgsl file below {folder}");
    assert!(validate(&[0; 20]).is_some(), "spirv-val takes what is no SPIR-V");
    let modules: Vec<_> = modules.into_iter().enumerate().collect();
    let faults: Vec<_> = modules
        .par_iter()
        .flat_map_iter(|(number, (text, file))| {
            options().into_iter().enumerate().filter_map(move |(place, (how, options))| {
                // Outside of `.ci/run thorough` modules are translated in one way each, in turn.
                let is_checked = is_thorough() || number % 2 == place;
                let fault = if is_checked { fault(text, &options) } else { None };
                fault.map(|fault| format!("{file} ({how}): {fault}"))
            })
        })
        .collect();
    println!("spirv-val: {} different modules, {} faults", modules.len(), faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
