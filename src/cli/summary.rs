//! Reports for people.

use mcts_wgpu::{
    Game, Outcome, Position, Report,
    search::{ActionReport, EngineInfo},
};
use std::{cmp::Reverse, fmt::Write};

/// Root actions that are listed, those with the most playouts; JSON has all of them.
const LISTED: usize = 20;
/// Moves of the principal variation that are shown; JSON has all of them.
const LINE: usize = 10;

/// The report of one search.
pub fn one<G: Game>(position: &Position<G>, report: &Report) -> String {
    let mut text = head(report);
    text.push('\n');
    text += &super::board::draw(position);
    writeln!(text, "  {} to move", position.turn().symbol()).ok();
    text.push('\n');
    text += &actions(report);
    text.push('\n');
    if let Some(best) = &report.best {
        writeln!(text, "best: {}", value(best)).ok();
    }
    text += &line(&report.principal_variation);
    text + &costs(report) + &trees(report)
}

/// The reports of a batch, a line a position.
pub fn many<G: Game>(positions: &[Position<G>], reports: &[Report]) -> String {
    let mut text = reports.first().map(head).unwrap_or_default();
    text.push('\n');
    for (position, report) in positions.iter().zip(reports) {
        let names: Vec<_> = position.moves().iter().map(|&a| position.game().action_name(a)).collect();
        let moves = if names.is_empty() { "(start)".into() } else { names.join(",") };
        let found = match (&report.best, position.outcome()) {
            (Some(best), _) => value(best),
            (None, Some(outcome)) => format!("over, {}", outcome_name(outcome)),
            (None, None) => "none".into(),
        };
        writeln!(text, "{moves}: {found}").ok();
    }
    text.push('\n');
    let playouts: u64 = reports.iter().map(|report| report.n_root).sum();
    let rate: f64 = reports.iter().map(|report| report.performance.playouts_per_second).sum();
    if let Some(report) = reports.first() {
        text += &steps(report);
        writeln!(text, "playouts: {playouts} for all positions, {rate:.0} per second").ok();
    }
    text
}

/// The principal variation, as far as it fits a line, with what the search thinks of its last move there.
fn line(moves: &[ActionReport]) -> String {
    let shown = &moves[..moves.len().min(LINE)];
    let names: Vec<_> = shown.iter().map(|action| action.name.as_str()).collect();
    match shown.last() {
        None => String::new(),
        Some(last) => {
            format!("line: {} (n = {}, q = {:.4} at its last move)\n", names.join(" "), last.n, last.q)
        }
    }
}

/// Who has won.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::FirstWins => "X wins",
        Outcome::SecondWins => "O wins",
        Outcome::Draw => "a draw",
    }
}

/// An action with what is known of it.
pub fn value(action: &ActionReport) -> String {
    let wins = if action.win_flag { ", wins at once" } else { "" };
    format!("{} (q = {:.4} in {} playouts{wins})", action.name, action.q, action.n)
}

/// Which engine, in a line.
pub fn engine_line(engine: &EngineInfo) -> String {
    let parts = [&engine.backend, &engine.driver, &engine.schedule];
    let known: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect();
    format!("engine: {} ({})\n", engine.adapter, known.join(", "))
}

fn head(report: &Report) -> String {
    let Report { engine, game, variant, trees, playouts, seed, ucb_c, .. } = report;
    let search = format!(
        "search: {game}, {}, {trees} trees x {playouts} playouts, C = {ucb_c}, seed {seed}, {} schedule\n",
        variant.name(),
        engine.schedule
    );
    engine_line(engine) + &adapters(engine) + &search
}

/// Who carried how many trees, where there are several adapters.
fn adapters(engine: &EngineInfo) -> String {
    if engine.adapters.len() < 2 {
        return String::new();
    }
    let shares = engine.adapters.iter().map(|share| match share.trees {
        Some(trees) => format!("{} ({trees} trees)", share.index),
        None => share.index.to_string(),
    });
    format!("adapters: {}\n", shares.collect::<Vec<_>>().join(", "))
}

fn actions(report: &Report) -> String {
    let mut listed: Vec<_> = report.actions.iter().collect();
    let best = report.best.as_ref().map(|best| best.index);
    if listed.len() > LISTED {
        listed.sort_by_key(|action| (Some(action.index) != best, Reverse((action.n, action.n_wins))));
        listed.truncate(LISTED);
    }
    let mut text = format!("  {:>6} {:>14} {:>8} {:>8}\n", "action", "n", "q", "ucb");
    for action in &listed {
        let ucb = action.ucb.map_or("inf".into(), |ucb| format!("{ucb:.4}"));
        let mark = if Some(action.index) == best { '*' } else { ' ' };
        let wins = if action.win_flag { "  wins" } else { "" };
        writeln!(text, "{mark} {:>6} {:>14} {:>8.4} {ucb:>8}{wins}", action.name, action.n, action.q).ok();
    }
    if listed.len() < report.actions.len() {
        writeln!(text, "  and {} more (all of them with --json)", report.actions.len() - listed.len()).ok();
    }
    writeln!(text, "  {:>6} {:>14}", "root", report.n_root).ok();
    text
}

fn steps(report: &Report) -> String {
    let done = &report.performance;
    format!(
        "steps: {} in {:.3} s, {:.0} per second\n",
        done.steps,
        done.times_ms.r#loop / 1e3,
        done.steps_per_second
    )
}

fn costs(report: &Report) -> String {
    let mut text = steps(report);
    let done = &report.performance;
    writeln!(text, "playouts: {}, {:.0} per second", done.playouts, done.playouts_per_second).ok();
    let times = &done.times_ms;
    let stages = [
        ("select", times.mean_select),
        ("expand", times.mean_expand),
        ("playout", times.mean_playout),
        ("backup", times.mean_backup),
    ];
    let timed: Vec<_> =
        stages.iter().filter_map(|(name, ms)| ms.map(|ms| format!("{name} {ms:.4} ms"))).collect();
    if !timed.is_empty() {
        writeln!(text, "stages: {} a step", timed.join(", ")).ok();
    }
    writeln!(
        text,
        "reductions: over trees {:.3} ms, over actions {:.3} ms; total {:.3} s",
        times.reduce_over_trees,
        times.reduce_over_actions,
        times.total / 1e3
    )
    .ok();
    text
}

fn trees(report: &Report) -> String {
    let info = &report.trees_info;
    let full = if info.full { ", full" } else { "" };
    format!(
        "trees: {} of {:.1} nodes on average, {} at most{full}; depth {:.2} on average, {} at most\nfingerprint: {}\n",
        info.count, info.mean_size, info.max_size, info.mean_depth, info.max_depth, report.fingerprint
    )
}
