//! Ctrl-C and SIGTERM: the first one ends the current task with its results so far; a second one, or the first one
//! without such a task, ends the program at once.

use super::{output::notice, shown};
use crate::protocols::end_all;
use std::{
    io::{IsTerminal, Write, stderr},
    sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst},
};

/// Exit code after Ctrl-C: 128 plus the number of SIGINT.
const INTERRUPTED: u8 = 130;
/// Exit code after SIGTERM.
#[cfg(unix)]
const TERMINATED: u8 = 143;

/// The exit code of the first signal; 0 before a signal.
static CODE: AtomicU8 = AtomicU8::new(0);
/// A task is running that checks [`arrived`] and ends with its results so far.
static HELD: AtomicBool = AtomicBool::new(false);

/// Installs the handlers. If that fails, signals have their default effect.
#[cfg(unix)]
pub fn install() {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
    };
    use std::{sync::mpsc::channel, thread::Builder};
    let (hand_over, handed_over) = channel::<Signals>();
    let listener = Builder::new().spawn(move || {
        let Ok(mut signals) = handed_over.recv() else { return };
        for signal in signals.forever() {
            take(if signal == SIGINT { INTERRUPTED } else { TERMINATED });
        }
    });
    // Without the thread, handled signals would be lost.
    if listener.is_ok() {
        Signals::new([SIGINT, SIGTERM]).map(|signals| hand_over.send(signals)).ok();
    }
}

/// Installs the handler of Ctrl-C. If that fails, it has its default effect.
#[cfg(not(unix))]
pub fn install() {
    ctrlc::set_handler(|| take(INTERRUPTED)).ok();
}

fn take(code: u8) {
    let first = CODE.compare_exchange(0, code, SeqCst, SeqCst).is_ok();
    if !(first && HELD.load(SeqCst)) {
        if !shown::clear() && stderr().is_terminal() {
            // Ends the line on which the terminal has written ^C.
            writeln!(stderr()).ok();
        }
        end(code);
    }
}

/// Ends the program and the programs that it has started, without exit handlers of drivers, whose threads may be
/// running. All output has been flushed.
#[cfg(unix)]
pub fn end(code: u8) -> ! {
    end_all();
    signal_hook::low_level::exit(code.into())
}

/// Ends the program.
#[cfg(not(unix))]
pub fn end(code: u8) -> ! {
    std::process::exit(code.into())
}

/// Leaves the first signal to the current task.
pub fn hold() {
    HELD.store(true, SeqCst);
}

/// Lets a signal end the program at once, including one that has arrived: the task has printed its results.
pub fn release() {
    HELD.store(false, SeqCst);
    if let Some(code) = arrived() {
        end(code);
    }
}

/// [`release`], but a Ctrl-C that has arrived ended the task only.
pub fn release_and_go_on() {
    CODE.compare_exchange(INTERRUPTED, 0, SeqCst, SeqCst).ok();
    release();
}

/// The exit code of the signal, if one has arrived.
pub fn arrived() -> Option<u8> {
    Some(CODE.load(SeqCst)).filter(|&code| code > 0)
}

/// If a signal has arrived, prints a notice on the task's results and returns true.
pub fn tell(results: &str) -> bool {
    let interrupted = arrived().is_some();
    if interrupted {
        notice(&format!("notice: interrupted; {results}"));
    }
    interrupted
}
