//! The cost of ranks, and the gain by more of them.
//!
//! `cargo bench --features mpi --bench ranks --no-run` names the program, here `ranks`:
//!
//! ```text
//! mpirun -n 2 ranks                                  how long two ranks take to agree and to gather
//! ranks --scaling PROGRAM OUT.json ADAPTER:1,2,4 ... the same and searches on 1, 2 and 4 ranks, by mcts-wgpu PROGRAM
//! ranks --tables FILE.json                           what was measured, and the model of many ranks, as Markdown
//! ranks --figure FILE.json OUT.svg                   the same as a figure
//! ```

mod costs;
#[cfg(feature = "cli")]
mod figure;
mod measured;
mod model;
mod runs;
mod tables;

use measured::{Measured, Result};
use std::{env, fs, process::ExitCode};

const USAGE: &str = "give nothing (under mpirun), --scaling PROGRAM OUT.json ADAPTER:RANKS,RANKS..., \
                     --tables FILE.json or --figure FILE.json OUT.svg";

fn main() -> ExitCode {
    // `cargo bench` adds an argument of its own.
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        [] => costs::print_costs(costs::in_words),
        [runs::COSTS] => costs::print_costs(costs::as_json),
        ["--scaling", program, out, series @ ..] if !series.is_empty() => runs::measure(program, out, series),
        ["--tables", file] => {
            print!("{}", tables::all(&Measured::read(file)?)?);
            Ok(())
        }
        ["--figure", file, out] => Ok(fs::write(out, draw(&Measured::read(file)?)?)?),
        _ => Err(USAGE.into()),
    }
}

#[cfg(feature = "cli")]
fn draw(measured: &Measured) -> Result<String> {
    figure::svg(measured)
}

#[cfg(not(feature = "cli"))]
fn draw(_measured: &Measured) -> Result<String> {
    Err("figures are drawn by what comes with the feature cli".into())
}
