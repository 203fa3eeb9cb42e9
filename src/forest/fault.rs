//! Faults: what kernels and their twins report of runs that have no result.

use crate::{
    error::{Error, Result},
    forest::layout::{
        FAULT_ENDLESS, FAULT_LEFT, FAULT_LOOP_ENDED, FAULT_OUTCOME, FAULT_STUCK, FAULT_TOO_LONG,
    },
    rules::{Game, described},
};

/// Mesa's llvmpipe and lavapipe end every loop of an invocation after its first turn, once all loops of the invocation
/// together, inner ones included, have made this many turns. They do not report it. Of lanes that run together the
/// longest counts.
pub const SOFTWARE_TURNS: u32 = 65_535;

/// The error that the faults of a run call for. Other flags are not looked at.
///
/// # Errors
/// Cut short, where the adapter has ended a loop; bad input, where the game broke its contract.
pub(crate) fn check<G: Game>(faults: u32, game: &G, adapter: &str) -> Result<()> {
    let has = |fault| faults & fault != 0;
    let rules = described(game);
    if has(FAULT_ENDLESS) {
        return Err(Error::cut_short(format!(
            "a function of {rules} has a loop that does not end within 32,768 turns: let every loop end"
        )));
    }
    if has(FAULT_STUCK) {
        return Err(Error::invalid(format!(
            "a game of {rules} goes on, and no action is legal: let there be a pass, or an outcome"
        )));
    }
    // An unfinished loop can be the cause of any other fault.
    if has(FAULT_LOOP_ENDED) {
        return Err(Error::cut_short(format!(
            "{adapter} ended a loop early, so that there is no result (Mesa's software adapters end all loops of an \
             invocation after {SOFTWARE_TURNS} turns): use the CPU engine (--adapter cpu) or another adapter; for a \
             game of one's own, raise its ply_turns to the turns that a ply takes, or make its plies or games \
             shorter"
        )));
    }
    if has(FAULT_OUTCOME) {
        return Err(Error::invalid(format!(
            "the WGSL of {rules} gave an outcome that there is not: return ONGOING, SECOND_WINS, DRAW or FIRST_WINS"
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
            "run_playout of {rules} left a playout before it was over: let it play on until there is an outcome, or \
             as many plies as it is told to"
        )));
    }
    Ok(())
}
