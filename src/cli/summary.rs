//! Reports as text.

use crate::{
    engine::EngineInfo,
    forest::Config,
    names::counted,
    rules::{Game, Position},
    search::Report,
};
use std::fmt::Write;

pub fn one<G: Game>(position: &Position<G>, report: &Report) -> String {
    let mut text = head(report);
    text.push('\n');
    text += &super::board::draw(position);
    writeln!(text, "  {} to move", position.turn().symbol()).ok();
    text.push('\n');
    text + &report.to_string()
}

/// The reports of a batch, one line for each position.
pub fn many<G: Game>(positions: &[Position<G>], reports: &[Report]) -> String {
    let mut text = reports.first().map(head).unwrap_or_default();
    text.push('\n');
    for (position, report) in positions.iter().zip(reports) {
        let names = position.move_names();
        let moves = if names.is_empty() { "(start)".into() } else { names.join(",") };
        let found = match (&report.best, position.outcome()) {
            (Some(best), _) => best.to_string(),
            (None, Some(outcome)) => format!("over, {}", outcome),
            (None, None) => "none".into(),
        };
        writeln!(text, "{moves}: {found}").ok();
    }
    text.push('\n');
    let playouts: u64 = reports.iter().map(|report| report.n_root).sum();
    let rate: f64 = reports.iter().map(|report| report.performance.playouts_per_second).sum();
    if let Some(report) = reports.first() {
        writeln!(text, "{}", report.performance).ok();
        writeln!(text, "playouts: {playouts} for all positions, {rate:.0} per second").ok();
    }
    text
}

pub fn engine_line(engine: &EngineInfo) -> String {
    let parts = [engine.backend.name(), &engine.driver, engine.schedule.name()];
    let known: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("engine: {} ({})\n", engine.adapter, known.join(", "))
}

fn head(report: &Report) -> String {
    let Report { engine, game, policy, net, config, .. } = report;
    let Config { variant, trees, playouts, leaf_batch, seed, ucb_c, .. } = config;
    let several = if *leaf_batch > 1 { format!(" x {leaf_batch} leaves") } else { String::new() };
    let by = match net {
        Some(net) => format!(" by network {net}"),
        None if policy == "random" => format!(" x {playouts} playouts"),
        None => format!(" x {playouts} {policy} playouts"),
    };
    let search = format!(
        "search: {game}, {}, {}{several}{by}, C = {ucb_c}, seed {seed}, {} schedule\n",
        variant.name(),
        counted((*trees).into(), "tree"),
        engine.schedule
    );
    engine_line(engine) + &adapters(engine) + &search
}

/// The number of trees of each adapter, if there are several.
fn adapters(engine: &EngineInfo) -> String {
    if engine.adapters.len() < 2 {
        return String::new();
    }
    let shares = engine.adapters.iter().map(|share| match share.trees {
        Some(trees) => format!("{} ({})", share.index, counted(trees.into(), "tree")),
        None => share.index.to_string(),
    });
    format!("adapters: {}\n", shares.collect::<Vec<_>>().join(", "))
}
