//! `mcts-wgpu search`: the best move of a position, or of many.

use super::{
    failure::{Failure, Result},
    games::{GameOptions, Job},
    options::{EngineOptions, PolicyOptions, SearchOptions},
    output::{notice, print, print_json},
    position::{PositionOptions, parse_moves},
    summary,
    watch::{Watch, listen_to_ctrl_c},
};
use clap::Args;
use mcts_wgpu::{Game, Position, Report, Search};
use std::{fs, path::PathBuf};

/// Search a position for the best move
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    position: PositionOptions,
    /// Search many positions side by side: a file with one a line, written as for --moves
    ///
    /// An empty line is the start of the game. Where a game is over, the report's best action is null.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyOptions,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Searches, and prints what was found.
pub fn run(arguments: Arguments) -> Result<()> {
    let game = &arguments.game;
    game.apply(FindBest(&arguments))
}

struct FindBest<'a>(&'a Arguments);

impl Job for FindBest<'_> {
    fn run<G: Game>(self, game: G) -> Result<()> {
        let arguments = self.0;
        let game = arguments.policy.apply(game)?;
        let positions = positions(arguments, &game)?;
        let budget = arguments.search.budget()?;
        let config = arguments.search.config(&game)?;
        let count =
            u32::try_from(positions.len()).map_err(|_| Failure::message("more than 2^32 positions"))?;
        Search::check(&game, &config, count)?;
        let engine = arguments.engine.open()?;
        let mut search = Search::new(&engine, game, config)?;
        listen_to_ctrl_c();
        let watch = Watch::begin(!arguments.json);
        let reports = search.run_batch_with(&positions, budget, |progress| watch.tell(progress))?;
        let interrupted = watch.interrupted();
        drop(watch);
        if interrupted {
            notice("notice: interrupted; this is what was found until then");
        }
        warn_of_full_trees(&reports);
        match (&reports[..], &positions[..]) {
            ([report], [position]) if arguments.positions.is_none() => {
                if arguments.json {
                    print_json(report)
                } else {
                    print(&summary::one(position, report))
                }
            }
            _ if arguments.json => print_json(&reports),
            _ => print(&summary::many(&positions, &reports)),
        }
    }
}

fn positions<G: Game>(arguments: &Arguments, game: &G) -> Result<Vec<Position<G>>> {
    let Some(path) = &arguments.positions else {
        return Ok(vec![arguments.position.ongoing(game, "no move to search for")?]);
    };
    if !arguments.position.is_empty() {
        return Err(Failure::message(
            "--positions has all the positions: leave out --moves, --board and --turn",
        ));
    }
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::message(format!("--positions {name} can't be read: {error}")))?;
    let parse = |(number, line)| {
        parse_moves(game, line).map_err(|failure| failure.of(format!("line {number} of {name}")))
    };
    let positions = (1..).zip(text.lines()).map(parse).collect::<Result<Vec<_>>>()?;
    if positions.is_empty() {
        return Err(Failure::message(format!("{name} has no positions: write one a line, such as 3,2,3")));
    }
    Ok(positions)
}

fn warn_of_full_trees(reports: &[Report]) {
    let full = reports.iter().filter(|report| report.trees_info.full).count();
    if full > 0 {
        let of = if reports.len() > 1 { format!(" of {full} positions") } else { String::new() };
        notice(&format!(
            "warning: trees{of} are full: their leaves were played out without being expanded; give more --memory"
        ));
    }
}
