//! Faults: the reasons why a run of kernels or their twins has no result.

use crate::{
    error::{Error, Result},
    forest::layout::{
        FAULT_ENDLESS, FAULT_LEFT, FAULT_LOOP_ENDED, FAULT_MISREAD, FAULT_OUTCOME, FAULT_STUCK,
        FAULT_TOO_LONG, FAULT_WEIGHTS,
    },
    rules::{Game, GameShader, described},
};

/// Mesa's llvmpipe and lavapipe end every loop of an invocation after its first iteration, once all loops of the
/// invocation together, inner ones included, have made this many iterations. They do not report it. Lanes that run
/// together have the count of the one with the most iterations.
pub const SOFTWARE_ITERATIONS: u32 = 65_535;

/// Iterations planned for an invocation on such adapters, three quarters of the limit: `GameShader::ply_iterations` is
/// an estimate, and the start and the end of games have loops, too.
pub const PLANNED_ITERATIONS: u32 = SOFTWARE_ITERATIONS / 4 * 3;

/// Returns the error for the faults of a run. Other flags are ignored.
///
/// # Errors
/// Cut short, if the adapter has ended a loop or misread its memory; bad input, if the game broke its contract.
pub(crate) fn check<G: Game>(faults: u32, game: &G, adapter: &str) -> Result<()> {
    let has = |fault| faults & fault != 0;
    // Misread memory can cause every other fault.
    if has(FAULT_MISREAD) {
        return Err(misread(adapter));
    }
    let rules = described(game);
    if has(FAULT_ENDLESS) {
        return Err(Error::invalid(format!(
            "a function of {rules} has a loop that does not end within 32,768 iterations: let every loop end"
        )));
    }
    if has(FAULT_WEIGHTS) {
        return Err(Error::invalid(format!(
            "action_weight of {rules} gives the legal actions of a position weights that add up to 0, or to more than \
             2^31: let their sum be 1 to 2^31"
        )));
    }
    if has(FAULT_STUCK) {
        return Err(Error::invalid(format!(
            "a game of {rules} goes on, and no action is legal: add a pass, or return an outcome"
        )));
    }
    // An unfinished loop may be the cause of every other fault.
    if has(FAULT_LOOP_ENDED) {
        return Err(ended_early(game, adapter));
    }
    if has(FAULT_OUTCOME) {
        return Err(Error::invalid(format!(
            "the WGSL of {rules} returned an invalid outcome: return ONGOING, SECOND_WINS, DRAW or FIRST_WINS"
        )));
    }
    if has(FAULT_TOO_LONG) {
        return Err(Error::invalid(format!(
            "a game of {rules} goes on after {} plies, its max_plies: make that no less than the longest game from any \
             position",
            game.max_plies()
        )));
    }
    if has(FAULT_LEFT) {
        return Err(Error::invalid(format!(
            "run_playout of {rules} returned before the playout was over: let it play on until there is an outcome, \
             or the number of plies that is its parameter"
        )));
    }
    Ok(())
}

/// The error for a game whose functions gave different results for the same position.
pub(crate) fn inconsistent<G: Game>(game: &G) -> Error {
    Error::invalid(format!(
        "the rules of {} gave different results for one position: let is_action_legal, action_urgency and all numbers \
         of a game depend on their arguments only, in Rust and in WGSL alike",
        described(game)
    ))
}

/// The error where an adapter has ended a loop. It is a limit of the adapter, and no fault of the game.
fn ended_early<G: Game>(game: &G, adapter: &str) -> Error {
    let elsewhere = match game.check_runs_in_rust() {
        Ok(()) => "use the CPU engine (--adapter cpu) or another adapter",
        Err(_) => "use another adapter, such as a GPU",
    };
    Error::cut_short(format!(
        "{adapter} can't play {rules}: it ended a loop early, so that there is no result (Mesa's software adapters end \
         all loops of an invocation after {SOFTWARE_ITERATIONS} iterations). The game is valid; {elsewhere}. For a \
         game of your own, ply_iterations, now {ply}, has to be at least the loop iterations of a ply, and those of a \
         whole game at most that limit",
        rules = described(game),
        ply = GameShader::of(game).ply_iterations
    ))
}

/// The error for an adapter that misreads its memory.
pub(crate) fn misread(adapter: &str) -> Error {
    Error::cut_short(format!(
        "{adapter} read a number of the run as 0 that is not 0, so that there is no result: start it again; if the \
         error recurs, `mcts-wgpu verify` shows the adapter's other errors: use another adapter, or, for a built-in \
         game, the CPU engine (--adapter cpu)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{forest::layout::FAULTS, games::Connect4};

    /// Every fault has a message of its own, and the possible cause of the others comes first.
    #[test]
    fn each_fault_has_its_own_message() {
        let message =
            |faults| check(faults, &Connect4::default(), "An adapter").expect_err("a fault").to_string();
        let each: Vec<_> = (0..32).map(|bit| 1 << bit).filter(|bit| FAULTS & bit != 0).map(message).collect();
        for (at, message) in each.iter().enumerate() {
            assert!(!each[..at].contains(message), "{message}");
        }
        assert!(message(FAULTS).contains("as 0 that is not 0"), "{}", message(FAULTS));
        assert!(message(FAULT_LOOP_ENDED | FAULT_LEFT).contains("ended a loop early"));
        assert!(message(FAULT_LEFT).contains("returned before the playout was over"));
        check(!FAULTS, &Connect4::default(), "An adapter").expect("no fault");
    }
}
