//! The rules of [`AnyGame`]: those of the game itself, whose states are packed.

use super::{AnyGame, AnyPlayout, with_game, with_playout, wrapped};
use crate::{
    error::{Error, Result},
    rules::{
        ActionBits, Game, GameShader, GameVisitor, Outcome, Planes, Player, RuleValue, SearchDefaults, Vouch,
        packed,
    },
};
use std::{any::Any, path::Path};

/// Functions without a state.
macro_rules! of_game {
    ($(fn $name:ident(&self $(, $argument:ident: $Type:ty)*) -> $Output:ty;)*) => {$(
        fn $name(&self $(, $argument: $Type)*) -> $Output {
            with_game!(self, game => game.$name($($argument),*))
        }
    )*};
}

/// Functions of a state.
macro_rules! of_state {
    ($(fn $name:ident(&self, state $(, $argument:ident: $Type:ty)*) -> $Output:ty;)*) => {$(
        fn $name(&self, state: &Self::State $(, $argument: $Type)*) -> $Output {
            with_game!(self, game => game.$name(&game.unpack(state) $(, $argument)*))
        }
    )*};
}

impl Game for AnyGame {
    type State = Box<[u32]>;
    type Playout = AnyPlayout;

    of_game! {
        fn name(&self) -> &str;
        fn rules(&self) -> Vec<(&'static str, RuleValue)>;
        fn max_actions(&self) -> u32;
        fn max_plies(&self) -> u32;
        fn state_words(&self) -> u32;
        fn shader(&self) -> GameShader;
        fn planes(&self) -> Option<Planes>;
        fn first_words(&self) -> u32;
        fn first_place(&self, action: u32) -> Option<u32>;
        fn owned_points(&self) -> u32;
        fn has_weighted_playouts(&self) -> bool;
        fn playouts_look_back(&self) -> bool;
        fn policies(&self) -> &'static [&'static str];
        fn policy(&self) -> String;
        fn forbids_repetition(&self) -> bool;
        fn may_repeat(&self, action: u32) -> bool;
        fn ending_pass(&self) -> Option<u32>;
        fn opening_action(&self) -> Option<u32>;
        fn rules_error(&self) -> Option<Error>;
        fn check_runs_in_rust(&self) -> Result<()>;
        fn expansion_stride(&self) -> u32;
        fn search_defaults(&self) -> SearchDefaults;
        fn rollout_round(&self) -> u32;
        fn action_name(&self, action: u32) -> String;
        fn parse_action(&self, name: &str) -> Option<u32>;
        fn description(&self) -> String;
    }

    of_state! {
        fn check_state(&self, state) -> Result<()>;
        fn is_action_legal(&self, state, turn: Player, action: u32) -> bool;
        fn legal_actions(&self, state, turn: Player) -> ActionBits;
        fn why_illegal(&self, state, turn: Player, action: u32) -> &'static str;
        fn action_urgency(&self, state, turn: Player, action: u32) -> u32;
        fn solved_outcome(&self, state, turn: Player) -> Option<(Outcome, u32)>;
        fn action_prior(&self, state, turn: Player, action: u32, last_action: Option<u32>) -> u32;
        fn cell_planes(&self, state, turn: Player, cell: u32) -> u32;
        fn chains(&self, state) -> Vec<(Player, Vec<u32>)>;
        fn compute_outcome(&self, state, turn: Player, last_action: Option<u32>) -> Option<Outcome>;
        fn score_text(&self, state) -> String;
        fn position_key(&self, state) -> u64;
        fn board_rows(&self, state) -> Vec<String>;
        fn board_cells(&self, state) -> Vec<Vec<String>>;
    }

    fn vouch(&self) -> Vouch<Self> {
        with_game!(self, game => game.vouch().passed_on())
    }
    fn reveal<V: GameVisitor>(&self, visitor: V) -> V::Output {
        with_game!(self, game => game.reveal(visitor))
    }
    fn as_any(&self) -> &dyn Any {
        with_game!(self, game => game)
    }
    fn of_any(game: &dyn Any) -> Option<Self> {
        Self::of_type(game)
    }

    fn start(&self) -> Self::State {
        with_game!(self, game => packed(game, &game.start()).into())
    }
    fn pack(&self, state: &Self::State, words: &mut [u32]) {
        words.copy_from_slice(state);
    }
    fn unpack(&self, words: &[u32]) -> Self::State {
        words.into()
    }
    fn parse_board(&self, rows: &[&str]) -> Result<Self::State> {
        with_game!(self, game => Ok(packed(game, &game.parse_board(rows)?).into()))
    }
    fn take_action(&self, state: &mut Self::State, turn: Player, action: u32) {
        with_game!(self, game => {
            let mut own = game.unpack(state);
            game.take_action(&mut own, turn, action);
            game.pack(&own, state);
        });
    }
    fn batch_planes(&self, positions: &[(Self::State, Player)]) -> Vec<u32> {
        with_game!(self, game => game.batch_planes(&unpacked(game, positions)))
    }
    fn look_ahead(&self, positions: &[(Self::State, Player)]) {
        with_game!(self, game => game.look_ahead(&unpacked(game, positions)));
    }

    fn with_policy(self, name: &str) -> Result<Self> {
        Ok(wrapped!(Self, self, game => game.with_policy(name)?))
    }
    fn with_policy_file(self, path: &Path) -> Result<Self> {
        Ok(wrapped!(Self, self, game => game.with_policy_file(path)?))
    }

    fn playout_begin(&self, state: &Self::State, turn: Player) -> AnyPlayout {
        wrapped!(AnyPlayout, self, game => game.playout_begin(&game.unpack(state), turn))
    }
    fn legal_actions_playout(&self, playout: &mut AnyPlayout) -> u32 {
        with_playout!(self, game, playout => game.legal_actions_playout(playout), 1)
    }
    fn take_action_playout(&self, playout: &mut AnyPlayout, ordinal: u32) -> Option<Outcome> {
        with_playout!(self, game, playout => game.take_action_playout(playout, ordinal), Some(Outcome::Draw))
    }
    fn write_firsts(&self, playout: &AnyPlayout, words: &mut [u32]) {
        with_playout!(self, game, playout => game.write_firsts(playout, words), ());
    }
    fn count_owners(&self, playout: &AnyPlayout, sums: &mut [i64]) {
        with_playout!(self, game, playout => game.count_owners(playout, sums), ());
    }
    fn playout_score(&self, playout: &AnyPlayout) -> Option<i32> {
        with_playout!(self, game, playout => game.playout_score(playout), None)
    }
    fn is_playout_cut_off(&self, playout: &AnyPlayout) -> bool {
        with_playout!(self, game, playout => game.is_playout_cut_off(playout), false)
    }
}

fn unpacked<G: Game>(game: &G, positions: &[(Box<[u32]>, Player)]) -> Vec<(G::State, Player)> {
    positions.iter().map(|(state, turn)| (game.unpack(state), *turn)).collect()
}
