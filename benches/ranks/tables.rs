//! The measurements and the model, as Markdown.

use super::{
    measured::{Kind, Measured, Result, Series},
    model::Model,
    runs::GAMES,
};
use std::fmt::Write;

/// Assumed additional latencies of a message, of fast and of slow networks of clusters.
pub const LATENCIES_US: [f64; 3] = [0.0, 2.0, 30.0];
/// The numbers of ranks of the model.
pub const MODELLED: [u32; 8] = [1, 2, 4, 8, 16, 64, 256, 1024];

/// All tables, each below its title.
pub fn all(measured: &Measured) -> Result<String> {
    let mut text = costs(measured)?;
    for series in &measured.series {
        text += &strong(series)?;
        text += &weak(series)?;
    }
    text += &modelled(Model::fit(measured)?)?;
    Ok(text)
}

fn costs(measured: &Measured) -> Result<String> {
    let mut text =
        format!("Microseconds of a call, {} with {} cores:\n\n", measured.processor, measured.cores);
    text +=
        "| ranks | to agree | to gather 72 bytes of each | to gather 4,608 |\n| --- | --- | --- | --- |\n";
    for costs in &measured.costs {
        let (agree, one, many) = (costs.agree_us, costs.gather_72_us, costs.gather_4608_us);
        writeln!(text, "| {} | {agree:.1} | {one:.1} | {many:.1} |", costs.ranks)?;
    }
    Ok(text + "\n")
}

fn engine(series: &Series) -> &str {
    if series.is_cpu { "CPU engine, a thread a rank" } else { &series.adapter }
}

fn strong(series: &Series) -> Result<String> {
    let (engine, trees, playouts) = (engine(series), series.trees, series.playouts);
    let mut text =
        format!("{engine}, the same {trees} trees on more ranks, {playouts} playouts a tree and step:\n\n");
    text += "| ranks |";
    for game in GAMES {
        write!(text, " {}, tree steps/s | times one rank |", game.title)?;
    }
    text += "\n| --- | --- | --- | --- | --- |\n";
    for ranks in series.ranks() {
        write!(text, "| {ranks} |")?;
        for game in GAMES {
            write!(text, " {} |", rate(series.rate(Kind::Strong, game.name, ranks)))?;
            write!(text, " {} |", times(series.speed_up(Kind::Strong, game.name, ranks)))?;
        }
        text += "\n";
    }
    Ok(text + "\n")
}

fn weak(series: &Series) -> Result<String> {
    let (engine, trees) = (engine(series), series.trees_a_rank);
    let mut text =
        format!("{engine}, {trees} trees on each rank; beside it, as many programs without MPI:\n\n");
    text += "| ranks | trees |";
    for game in GAMES {
        write!(text, " {}, tree steps/s | times one rank | without MPI |", game.title)?;
    }
    text += "\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for ranks in series.ranks() {
        write!(text, "| {ranks} | {} |", ranks * trees)?;
        for game in GAMES {
            write!(text, " {} |", rate(series.rate(Kind::Weak, game.name, ranks)))?;
            write!(text, " {} |", times(series.speed_up(Kind::Weak, game.name, ranks)))?;
            write!(text, " {} |", rate(series.rate(Kind::Apart, game.name, ranks)))?;
        }
        text += "\n";
    }
    Ok(text + "\n")
}

fn modelled(model: Model) -> Result<String> {
    let Model { alone_us, doubling_us, spread } = model;
    let mut text = format!(
        "A model, not run: a = {alone_us:.1} us, b = {doubling_us:.1} us, s = {:.2} %; time to agree, and \
         efficiency:\n\n",
        100.0 * spread
    );
    text += "| ranks |";
    for latency in LATENCIES_US {
        write!(text, " {} |", latency_text(latency))?;
    }
    text += "\n| --- | --- | --- | --- |\n";
    for ranks in MODELLED {
        write!(text, "| {ranks} |")?;
        for latency in LATENCIES_US {
            let efficiency = 100.0 * model.efficiency(ranks, latency);
            write!(text, " {:.0} us, {efficiency:.1} % |", model.agree_us(ranks, latency))?;
        }
        text += "\n";
    }
    Ok(text)
}

/// A latency in words.
pub fn latency_text(latency_us: f64) -> String {
    if latency_us == 0.0 {
        return "all on one such host".into();
    }
    format!("network, {latency_us:.0} us a message")
}

/// `870`, `3.35 k`, `17.1 k`, `2.31 M`; empty without a measurement.
fn rate(rate: Option<f64>) -> String {
    match rate {
        None => String::new(),
        Some(rate) if rate >= 1e6 => format!("{:.2} M", rate / 1e6),
        Some(rate) if rate >= 1e4 => format!("{:.1} k", rate / 1e3),
        Some(rate) if rate >= 1e3 => format!("{:.2} k", rate / 1e3),
        Some(rate) => format!("{rate:.0}"),
    }
}

fn times(speed_up: Option<f64>) -> String {
    speed_up.map_or(String::new(), |times| format!("{times:.2}"))
}
