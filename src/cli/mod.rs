//! The command line: one file for each subcommand, and files for their common parts.

mod adapters;
mod bench;
mod board;
mod check_game;
mod contest;
mod environment;
mod failure;
mod figure;
mod games;
mod gomocup;
mod gtp;
mod help;
mod learn_patterns;
mod margin;
mod net;
mod options;
mod output;
mod perft;
mod play;
mod plot;
mod position;
mod positions;
mod progress;
mod pvsplit;
mod ranks;
mod rollout;
mod search;
mod selfplay;
mod shaders;
mod shell;
mod shown;
mod signals;
mod summary;
mod verify;
mod wayland;

use crate::host::start_threads;
use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};
use failure::{Failure, Result};
use std::process::ExitCode;

/// Monte Carlo tree search on the GPU of any vendor: exact and reproducible.
///
/// Exit codes: 0 success; 1 a check failed; 2 bad input, or unable to run; 130 ended by Ctrl-C; 143 ended by SIGTERM.
///
/// Ctrl-C and SIGTERM end a command early with its results so far; a second one ends it at once.
#[derive(Debug, Parser)]
#[command(name = "mcts-wgpu", version, styles = help::STYLES)]
#[command(subcommand_required = true, arg_required_else_help = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Search(search::Arguments),
    Play(play::Arguments),
    Adapters(adapters::Arguments),
    Perft(perft::Arguments),
    Pvsplit(pvsplit::Arguments),
    Rollout(rollout::Arguments),
    Selfplay(selfplay::Arguments),
    Match(contest::matches::Arguments),
    Tournament(contest::tournament::Arguments),
    Experiment(contest::experiment::Arguments),
    Replay(contest::replay::Arguments),
    Plot(plot::Arguments),
    Gtp(gtp::Arguments),
    Gomocup(gomocup::Arguments),
    Bench(bench::Arguments),
    Verify(verify::Arguments),
    CheckGame(check_game::Arguments),
    Shaders(shaders::Arguments),
    LearnPatterns(learn_patterns::Arguments),
    Net(net::Arguments),
    Completions(shell::CompletionsArguments),
    Man(shell::ManArguments),
}

impl Command {
    /// Whether the ranks of an MPI job run the command together.
    fn runs_on_ranks(&self) -> bool {
        match self {
            Self::Search(_) | Self::Rollout(_) | Self::Match(_) => true,
            Self::Tournament(arguments) => arguments.plays(),
            _ => false,
        }
    }
}

/// Parses the arguments and runs the command. Every error becomes one message on standard error.
pub fn main() -> ExitCode {
    signals::install();
    let done = ranks::among(|| match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(error) => explain(&error),
    });
    options::close_engines();
    let code = match done {
        // The reader of the output has ended, as in `mcts-wgpu ... | head`.
        Ok(()) | Err(Failure::OutputClosed) => 0,
        Err(Failure::Check) => 1,
        Err(Failure::Elsewhere) => 2,
        Err(Failure::Message(message)) => {
            output::notice(&format!("error: {message}"));
            2
        }
    };
    if let Some(code) = signals::arrived() {
        // A driver may still run on another thread.
        signals::end(code);
    }
    ExitCode::from(code)
}

fn run(command: Command) -> Result<()> {
    if !command.runs_on_ranks() {
        ranks::refuse()?;
    }
    start_threads().map_err(Failure::no_threads)?;
    match command {
        Command::Search(arguments) => search::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Adapters(arguments) => adapters::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Pvsplit(arguments) => pvsplit::run(arguments),
        Command::Rollout(arguments) => rollout::run(&arguments),
        Command::Selfplay(arguments) => selfplay::run(&arguments),
        Command::Match(arguments) => contest::matches::run(&arguments),
        Command::Tournament(arguments) => contest::tournament::run(&arguments),
        Command::Experiment(arguments) => contest::experiment::run(arguments),
        Command::Replay(arguments) => contest::replay::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Gtp(arguments) => gtp::run(&arguments),
        Command::Gomocup(arguments) => gomocup::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::CheckGame(arguments) => check_game::run(&arguments),
        Command::Shaders(arguments) => shaders::run(&arguments),
        Command::LearnPatterns(arguments) => learn_patterns::run(&arguments),
        Command::Net(arguments) => net::run(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments, Cli::command()),
        Command::Man(arguments) => shell::man(&arguments, Cli::command()),
    }
}

/// Prints help or the version; makes one line of an error, without clap's usage text.
fn explain(error: &clap::Error) -> Result<()> {
    let text = error.render();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return output::print_in_colours(&text.ansi().to_string());
    }
    let text = in_words(&text.to_string());
    let mut paragraphs = text.split("\n\n").map(one_line);
    let message = paragraphs.next().unwrap_or_default();
    let tip = paragraphs.find(|paragraph| paragraph.starts_with("tip: ") && paragraph.contains("similar"));
    let tip = tip.map_or(String::new(), |tip| format!(" ({tip})"));
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    Err(Failure::message(format!("{message}{tip}; see --help")))
}

/// Replaces the standard library's errors of numbers by instructions.
fn in_words(error: &str) -> String {
    let wrong = [
        ("invalid float literal", "give a number"),
        ("cannot parse float from empty string", "give a number"),
        ("invalid digit found in string", "give a whole number, 0 or more"),
        ("cannot parse integer from empty string", "give a whole number, 0 or more"),
        ("number too large to fit in target type", "the number is too large"),
    ];
    wrong.iter().fold(error.to_owned(), |text, (error, instruction)| text.replace(error, instruction))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
