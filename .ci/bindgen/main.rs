//! Makes `mcts_wgpu.js` and `mcts_wgpu_bg.wasm` of a module that cargo has built:
//!
//!     bindgen MODULE.wasm FOLDER
//!
//! The program `wasm-bindgen --target web` does the same; this needs only the library below it.

use std::{env, process::ExitCode};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("error: give a module and a folder");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name("mcts_wgpu").typescript(false).omit_default_module_path(false);
    // Names of functions would be a twelfth of it.
    bindgen.remove_name_section(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
