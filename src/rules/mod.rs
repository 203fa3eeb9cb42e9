//! The rules of a game: players, outcomes, the contract of a game, positions. Independent of devices.

mod check;
mod defaults;
mod game;
mod origin;
mod perft;
mod player;
mod plies;
mod policy;
mod position;
mod setting;
mod shader;

pub(crate) use check::{check, check_positions, described, is_scored, named, packed, planes_of};
pub use defaults::SearchDefaults;
pub use game::{ACTION_WORDS, ActionBits, Game, GameVisitor, Planes};
pub(crate) use game::{MAX_PRIOR, RANDOM_POLICY};
pub(crate) use origin::Origin;
pub use origin::{Vouch, is_unchecked};
pub use perft::perft;
pub use player::{Outcome, Player};
pub(crate) use plies::mask;
pub use plies::{Played, Plies, SideBySide};
pub use policy::with_policy;
pub use position::Position;
pub(crate) use position::{MAX_URGENCY, each_action, legal_actions, names_of, tried_actions};
pub use setting::RuleValue;
pub(crate) use setting::{in_words, rules_of};
pub use shader::{GameShader, GroupShader};
