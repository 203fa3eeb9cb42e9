//! How far a command is: a bar on standard error where that is a terminal, and nothing where it is not.

use super::{margin::Margin, options::tell_notices, shown, signals};
use crate::engine::Engine;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{IsTerminal, stderr},
    ops::ControlFlow,
    time::Duration,
};

/// Places of the bar.
const LENGTH: u64 = 1000;
/// The spinner turns by itself, also while a driver compiles.
const TICK: Duration = Duration::from_millis(100);
const SPINNER: &str = "{spinner} {msg}";
const BAR: &str = "{spinner} [{bar:12}] {percent:>3}% {wide_msg}";
/// Times a second that it is drawn at the most.
const RATE: u8 = 20;

/// A work whose progress is shown as long as it lives.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A work that is being prepared on an engine, until [`at`](Self::at) tells that it has begun. A signal ends the
    /// program at once until then.
    pub fn begin(engine: &Engine) -> Self {
        Self::spinner(if engine.is_cpu() { "starting" } else { "compiling kernels" })
    }

    /// A work whose length is not known.
    pub fn spinner(message: &'static str) -> Self {
        let shown = stderr().is_terminal();
        let target = match shown {
            true => ProgressDrawTarget::term_like_with_hz(Box::new(Margin::stderr()), RATE),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(LENGTH), target).with_message(message);
        restyle(&bar, SPINNER);
        if shown {
            bar.enable_steady_tick(TICK);
            shown::set(&bar);
        }
        Self { bar }
    }

    /// Shows what is being done of a work whose length is not known.
    pub fn stage(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// Shows the share of the work that is done, 0 to 1, and what is being done. Breaks once a signal has come: it is
    /// the work's to end with what it has.
    pub fn at(&self, share: f64, message: impl FnOnce() -> String) -> ControlFlow<()> {
        signals::hold();
        if !self.bar.is_hidden() {
            if self.bar.position() == 0 {
                restyle(&self.bar, BAR);
            }
            // Never 0 again: that is how the first call is known.
            self.bar.set_position(((share * LENGTH as f64) as u64).clamp(1, LENGTH));
            self.bar.set_message(message());
        }
        if signals::arrived().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// How far a search is.
    pub fn search(&self, now: crate::search::Progress) -> ControlFlow<()> {
        let share = share(now.steps, now.of_steps, now.elapsed, now.of_time);
        self.at(share, || format!("{} steps, {:.1} s", now.steps, now.elapsed.as_secs_f64()))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        shown::clear();
        tell_notices();
    }
}

/// The share of a budget that is used up, 0 to 1: of the limit that is nearer.
pub fn share(done: u64, of: u64, elapsed: Duration, of_time: Option<Duration>) -> f64 {
    let counted = done as f64 / of.max(1) as f64;
    let timed = of_time.map_or(0.0, |time| elapsed.as_secs_f64() / time.as_secs_f64().max(1e-9));
    counted.max(timed).min(1.0)
}

fn restyle(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_limit_counts() {
        let second = Duration::from_secs(1);
        assert_eq!(share(5, 10, second, None), 0.5);
        assert_eq!(share(5, 10, second, Some(4 * second)), 0.5);
        assert_eq!(share(1, u64::MAX, second, Some(4 * second)), 0.25);
        assert_eq!(share(30, 10, second, Some(Duration::ZERO)), 1.0);
    }
}
