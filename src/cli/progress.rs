//! Progress of commands: a bar on standard error, if that is a terminal.

use super::{margin::Margin, options::print_notices, shown, signals};
use crate::engine::Engine;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{IsTerminal, stderr},
    ops::ControlFlow,
    time::Duration,
};

/// Steps of the bar.
const LENGTH: u64 = 1000;
/// Interval of the spinner, which also moves while a driver compiles.
const TICK: Duration = Duration::from_millis(100);
const SPINNER: &str = "{spinner} {msg}";
const BAR: &str = "{spinner} [{bar:12}] {percent:>3}% {wide_msg}";
/// Greatest number of redraws per second.
const RATE: u8 = 20;

/// A task whose progress is shown until this is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A task on an engine, in preparation until the first call of [`at`](Self::at). During preparation, a signal ends
    /// the program at once.
    pub fn begin(engine: &Engine) -> Self {
        Self::spinner(if engine.is_cpu() { "starting" } else { "compiling kernels" })
    }

    /// A task of unknown length.
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

    /// Shows the stage of a task of unknown length.
    pub fn stage(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// Shows the completed share of the task, 0 to 1, and a message. Breaks after a signal; the task then ends with its
    /// results so far.
    pub fn at(&self, share: f64, message: impl FnOnce() -> String) -> ControlFlow<()> {
        signals::hold();
        if !self.bar.is_hidden() {
            if self.bar.position() == 0 {
                restyle(&self.bar, BAR);
            }
            // At least 1: position 0 marks the first call.
            self.bar.set_position(((share * LENGTH as f64) as u64).clamp(1, LENGTH));
            self.bar.set_message(message());
        }
        if signals::arrived().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub fn search(&self, now: crate::search::Progress) -> ControlFlow<()> {
        let share = share(now.steps, now.of_steps, now.elapsed, now.of_time);
        self.at(share, || format!("{} steps, {:.1} s", now.steps, now.elapsed.as_secs_f64()))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        shown::clear();
        print_notices();
    }
}

/// The spent share of a budget, 0 to 1: the greater of that of steps and that of time.
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
