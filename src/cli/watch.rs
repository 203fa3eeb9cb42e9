//! A search under watch: a progress bar for people, and Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcts_wgpu::Progress;
use std::{
    io::{IsTerminal, stderr},
    ops::ControlFlow,
    process::exit,
    sync::atomic::{AtomicBool, Ordering::SeqCst},
};

/// A search is under way, which Ctrl-C can end early.
static SEARCHING: AtomicBool = AtomicBool::new(false);
/// Ctrl-C has been pressed since the search began.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// What shells give a program that Ctrl-C has ended: 128 and SIGINT's number.
const INTERRUPTED_EXIT: i32 = 130;
/// Places of the progress bar.
const BAR_LENGTH: u64 = 1000;

/// Makes Ctrl-C end a search early. A second one, and one while nothing is searched, ends the program.
pub fn listen_to_ctrl_c() {
    let handler = || {
        if !SEARCHING.load(SeqCst) || INTERRUPTED.swap(true, SeqCst) {
            exit(INTERRUPTED_EXIT);
        }
    };
    // Where no handler can be set, Ctrl-C ends the program at once, as it does by default.
    ctrlc::set_handler(handler).ok();
}

/// A search under watch, for as long as it lives.
#[derive(Debug)]
pub struct Watch {
    bar: ProgressBar,
}

impl Watch {
    /// Begins; the bar is shown on standard error where that is a terminal and `show` is set.
    pub fn begin(show: bool) -> Self {
        let shown = show && stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(BAR_LENGTH), target);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent}% {msg}") {
            bar.set_style(style);
        }
        INTERRUPTED.store(false, SeqCst);
        SEARCHING.store(true, SeqCst);
        Self { bar }
    }

    /// Shows how far the search is; breaks once Ctrl-C has been pressed.
    pub fn tell(&self, progress: Progress) -> ControlFlow<()> {
        self.bar.set_position((share_done(&progress) * BAR_LENGTH as f64) as u64);
        self.bar.set_message(format!("{} steps, {:.1} s", progress.steps, progress.elapsed.as_secs_f64()));
        if self.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Ctrl-C has been pressed.
    pub fn interrupted(&self) -> bool {
        INTERRUPTED.load(SeqCst)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        SEARCHING.store(false, SeqCst);
        self.bar.finish_and_clear();
    }
}

/// The share of the budget that is used up, 0 to 1: of the limit that is nearer.
fn share_done(progress: &Progress) -> f64 {
    let steps = progress.steps as f64 / progress.of_steps as f64;
    let time = progress.of_time.map_or(0.0, |time| progress.elapsed.as_secs_f64() / time.as_secs_f64());
    steps.max(time).min(1.0)
}
