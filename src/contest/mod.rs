//! Contests: players, games between them, matches, tournaments, and their statistics.
//!
//! ```text
//! Spec ── open ──► Contestant ─┐
//! Spec ── open ──► Contestant ─┴─ play_game ──► Played ──► LoggedGame ──► Log, a line of JSON a game
//!                                   ▲                                      │
//! GameSchedule: pairs, openings ────┘ ◄── games that the log has ──────────┤
//!                                                                          └──► Standings: scores, Elo, tables
//! ```
//!
//! A [`Spec`] is a player as a short text, such as `acp-prodigal:trees=4,time=5`; a [`Host`] gives it its engine. A
//! player that returns an error, makes an illegal move or exceeds the time limit loses the game by a [`Fault`]; the log
//! records it, and the match goes on. [`ending`] has the rules by which players end decided games. The random numbers
//! of a game depend on the player's seed and the number of the game only: with a budget of steps, a match is the same
//! on every machine, and [`replay_game`] verifies it.

mod contestant;
mod dead;
pub mod ending;
mod game;
mod host;
mod log;
mod open;
mod random;
mod ranks;
mod replay;
mod reports;
mod run;
mod schedule;
mod searcher;
mod spec;
mod split;
mod standings;
pub mod stats;
mod uct;
mod vanilla;

pub use contestant::{Choice, Contestant};
pub use dead::DeadStones;
pub(crate) use dead::{FirstSight, OwnerPlayouts, ended_without};
pub use game::{Fault, Played, Resigned, Scoring, play_game};
pub use host::{Host, Stop};
pub use log::{Log, LoggedGame, LoggedOpening, Torn, read_log};
pub(crate) use log::{described, open_alone};
pub use random::RandomPlayer;
pub use ranks::play_across;
pub use replay::{ReplayDifference, Replayed, replay_game};
pub use reports::{MoveReport, SplitMove, VanillaAction, VanillaPerformance, VanillaReport, VanillaTree};
pub use run::{Conduct, Event, MOST_PARALLEL, play_all};
pub use schedule::{Entrant, GameSchedule, Planned, TournamentPart};
pub use searcher::Searcher;
pub use spec::{External, Kind, Protocol, Spec};
pub use split::{SplitPlayer, split_player};
pub use standings::{Averages, PairStanding, PlayerStanding, Standings};
pub(crate) use standings::{letter, percent};
pub use vanilla::{Vanilla, VanillaConfig};
