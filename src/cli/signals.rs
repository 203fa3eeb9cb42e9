//! Ctrl-C and SIGTERM, for the whole program: the first one ends a work under way with what is there, a second one ends
//! the program at once, and so does the first one where nothing is under way that has something to give.

use super::shown;
use crate::protocols::end_all;
use std::{
    io::{IsTerminal, Write, stderr},
    sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst},
};

/// What shells give a program that Ctrl-C has ended: 128 and SIGINT's number.
const INTERRUPTED: u8 = 130;
/// The same for SIGTERM.
#[cfg(unix)]
const TERMINATED: u8 = 143;

/// The exit code that the first signal asks for; 0 where none has come.
static CODE: AtomicU8 = AtomicU8::new(0);
/// A work is under way that looks at [`arrived`] and ends with what it has.
static HELD: AtomicBool = AtomicBool::new(false);

/// Takes the signals over. Where that fails they end the program as they do by default.
#[cfg(unix)]
pub fn listen() {
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
    // Signals that were taken over, and that nobody hears, would be lost.
    if listener.is_ok() {
        Signals::new([SIGINT, SIGTERM]).map(|signals| hand_over.send(signals)).ok();
    }
}

/// Takes Ctrl-C over. Where that fails it ends the program as it does by default.
#[cfg(not(unix))]
pub fn listen() {
    ctrlc::set_handler(|| take(INTERRUPTED)).ok();
}

fn take(code: u8) {
    let first = CODE.compare_exchange(0, code, SeqCst, SeqCst).is_ok();
    if !(first && HELD.load(SeqCst)) {
        if !shown::clear() && stderr().is_terminal() {
            // The terminal has written ^C where the next prompt will be.
            writeln!(stderr()).ok();
        }
        end(code);
    }
}

/// Ends the program without the farewells of drivers, whose threads may be at work, and the programs that it has
/// started. All output has been flushed.
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

/// From now on the first signal is left to the work under way, which has a result to give.
pub fn hold() {
    HELD.store(true, SeqCst);
}

/// From now on a signal ends the program at once, and so does one that has come: all that was found has been told.
pub fn release() {
    HELD.store(false, SeqCst);
    if let Some(code) = arrived() {
        end(code);
    }
}

/// [`release`], except that a Ctrl-C that has come meant nothing but the work that has ended.
pub fn release_and_go_on() {
    CODE.compare_exchange(INTERRUPTED, 0, SeqCst, SeqCst).ok();
    release();
}

/// The exit code that a signal asks for, where one has come.
pub fn arrived() -> Option<u8> {
    Some(CODE.load(SeqCst)).filter(|&code| code > 0)
}
