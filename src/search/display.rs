//! Reports as text for people.

use super::{ActionReport, Performance, ProvenValue, Report, TreesInfo};
use std::{
    cmp::Reverse,
    fmt::{Display, Formatter, Result},
};

/// Root actions that are listed, those with the most playouts; JSON has all of them.
const LISTED: usize = 20;
/// Moves of the principal variation that are shown where it is not proven; JSON has all of them.
const LINE: usize = 10;
/// Columns of a line of moves.
const WIDTH: usize = 80;

/// Its actions, the best of them, the principal variation, the cost of the run, and the trees. JSON has the details.
impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        actions(self, f)?;
        writeln!(f)?;
        if let Some(best) = &self.best {
            writeln!(f, "best: {best}")?;
        }
        if let (Some(outcome), Some(plies)) = (self.proven, self.proven_in) {
            writeln!(f, "proven: {}", proven(outcome, plies))?;
        }
        line(self, f)?;
        writeln!(f, "{}", self.performance)?;
        details(self, f)?;
        writeln!(f, "{}", self.trees_info)?;
        writeln!(f, "fingerprint: {}", self.fingerprint)
    }
}

/// `3 (q = 0.6164 in 472320 playouts)`, `3 (wins at once)`
impl Display for ActionReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (name, known) = (&self.name, known(self));
        match (self.playouts(), known) {
            (0, Some(known)) => write!(f, "{name} ({known})"),
            (0, None) => write!(f, "{name} (no playouts)"),
            (n, None) => write!(f, "{name} (q = {:.4} in {n} playouts)", self.q),
            (n, Some(known)) => write!(f, "{name} (q = {:.4} in {n} playouts, {known})", self.q),
        }
    }
}

/// `steps: 1000 in 0.500 s, 2000 per second`
impl Display for Performance {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let seconds = self.times_ms.r#loop / 1e3;
        write!(f, "steps: {} in {seconds:.3} s, {:.0} per second", self.steps, self.steps_per_second)
    }
}

/// Sizes, depths and memory, a line each.
impl Display for TreesInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let full = if self.full { ", full" } else { "" };
        let Self { count, mean_size, max_size, mean_depth, max_depth, capacity, .. } = self;
        writeln!(f, "trees: {count} of {mean_size:.1} nodes on average, {max_size} at most{full}")?;
        writeln!(f, "depth: {mean_depth:.2} on average, {max_depth} at most")?;
        let mib = self.bytes as f64 / f64::from(1 << 20);
        write!(f, "memory: {mib:.1} MiB, room for {capacity} nodes a tree")
    }
}

/// The proof of an action, whole or half: `wins at once`, `draw in 3 plies`.
fn known(action: &ActionReport) -> Option<String> {
    if action.win_flag {
        return Some("wins at once".into());
    }
    Some(proven(action.proven?, action.proven_in?))
}

/// `win in 5 plies`
fn proven(outcome: ProvenValue, plies: u32) -> String {
    format!("{outcome} in {plies} {}", if plies == 1 { "ply" } else { "plies" })
}

/// A table of the root's actions.
fn actions(report: &Report, f: &mut Formatter<'_>) -> Result {
    let mut listed: Vec<_> = report.actions.iter().collect();
    let best = report.best.as_ref().map(|best| best.index);
    if listed.len() > LISTED {
        let points = |action: &ActionReport| (2.0 * action.n_wins) as u64;
        listed.sort_by_key(|action| (Some(action.index) != best, Reverse((action.n, points(action)))));
        listed.truncate(LISTED);
    }
    let title = if report.net.is_some() { "    prior" } else { "" };
    writeln!(f, "  {:>6} {:>14} {:>8} {:>8}{title}", "action", "n", "q", "ucb")?;
    for action in &listed {
        let ucb = action.ucb.map_or("inf".into(), |ucb| format!("{ucb:.4}"));
        let (n, q) = (action.playouts(), format!("{:.4}", action.q));
        let q = if action.n == 0 { "-" } else { &q };
        let mark = if Some(action.index) == best { '*' } else { ' ' };
        let prior = action.prior.map_or(String::new(), |prior| format!(" {prior:>8.4}"));
        let proven = known(action).map_or(String::new(), |known| format!("  {known}"));
        writeln!(f, "{mark} {:>6} {n:>14} {q:>8} {ucb:>8}{prior}{proven}", action.name)?;
    }
    if listed.len() < report.actions.len() {
        writeln!(f, "  and {} more (all of them with --json)", report.actions.len() - listed.len())?;
    }
    writeln!(f, "  {:>6} {:>14}", "root", report.n_root)?;
    match report.config.prior_visits {
        0 => Ok(()),
        visits => writeln!(f, "  q and ucb also count {visits} prior visits in each tree"),
    }
}

/// The principal variation: all of it if the root is proven, else as far as it fits a line; with the value of the last
/// move shown.
fn line(report: &Report, f: &mut Formatter<'_>) -> Result {
    let moves = &report.principal_variation;
    let shown = if report.proven.is_some() { moves } else { &moves[..moves.len().min(LINE)] };
    let Some(last) = shown.last() else { return Ok(()) };
    let thought = match (last.playouts(), known(last)) {
        (_, Some(known)) => known,
        (n, None) => format!("n = {n}, q = {:.4}", last.q),
    };
    let mut column = "line:".len();
    write!(f, "line:")?;
    for name in shown.iter().map(|action| action.name.as_str()) {
        column += 1 + name.chars().count();
        if column > WIDTH {
            column = 6 + name.chars().count();
            write!(f, "\n     ")?;
        }
        write!(f, " {name}")?;
    }
    writeln!(f, " ({thought} at its last move)")
}

/// Playouts, and times of the stages and reductions.
fn details(Report { performance: done, net, .. }: &Report, f: &mut Formatter<'_>) -> Result {
    let counted = if net.is_some() { "evaluations" } else { "playouts" };
    writeln!(f, "{counted}: {}, {:.0} per second", done.playouts, done.playouts_per_second)?;
    let times = &done.times_ms;
    let stages = [
        ("select", times.mean_select),
        ("expand", times.mean_expand),
        (if net.is_some() { "evaluate" } else { "playout" }, times.mean_playout),
        ("backup", times.mean_backup),
    ];
    let timed: Vec<_> =
        stages.iter().filter_map(|(name, ms)| ms.map(|ms| format!("{name} {ms:.4} ms"))).collect();
    if !timed.is_empty() {
        writeln!(f, "stages: {} a step", timed.join(", "))?;
    }
    let (trees, actions) = (times.reduce_over_trees, times.reduce_over_actions);
    let total = times.total / 1e3;
    writeln!(f, "reductions: over trees {trees:.3} ms, over actions {actions:.3} ms; total {total:.3} s")
}
