//! Checks of games against their contract, and of positions against their game.

use super::{Game, Planes, Player, Position, in_words};
use crate::error::{Error, Result};

/// Greatest number of actions: they have ten bits in a link, and their children are at most one workgroup.
const MAX_ACTIONS: u32 = 512;
/// Greatest number of plies. A search allocates a word for each of them in the path of every tree.
const MAX_PLIES: u32 = 1 << 21;
/// Greatest number of words of a state, of which every invocation holds one or two.
const MAX_STATE_WORDS: u32 = 1024;
/// Greatest distance of the expansion streams of neighbouring trees.
const MAX_STRIDE: u32 = 512;
/// Greatest numbers of planes, which are bits of a word, and of their cells.
const MAX_PLANES: u32 = 32;
const MAX_PLANE_CELLS: u32 = 1024;
/// Greatest number of words of a playout, of which every lane holds one.
const MAX_PLAYOUT_WORDS: u32 = 1 << 16;

/// Checks that the sizes of a game are within their ranges.
///
/// # Errors
/// Bad input, naming the size and its range.
pub(crate) fn check<G: Game>(game: &G) -> Result<()> {
    let shader = game.shader();
    let planes = game.planes();
    let numbers = [
        ("max_actions", game.max_actions(), 1, MAX_ACTIONS),
        ("max_plies", game.max_plies(), 1, MAX_PLIES),
        ("state_words", game.state_words(), 1, MAX_STATE_WORDS),
        ("expansion_stride", game.expansion_stride(), 1, MAX_STRIDE),
        ("rollout_round", game.rollout_round(), 1, u32::MAX),
        ("count of planes", planes.map_or(1, |planes| planes.count), 1, MAX_PLANES),
        ("cells of a plane", planes.map_or(1, |planes| planes.cells()), 1, MAX_PLANE_CELLS),
        ("playout_words of the shader", shader.playout_words, 0, MAX_PLAYOUT_WORDS),
        ("playout_run of the shader", shader.playout_run.unwrap_or(1), 1, u32::MAX),
        ("ply_iterations of the shader", shader.ply_iterations, 1, u32::MAX),
        ("lanes of the group", shader.group.as_ref().map_or(1, |group| group.lanes), 1, 1024),
        (
            "ply_iterations of the group",
            shader.group.as_ref().map_or(1, |group| group.ply_iterations),
            1,
            u32::MAX,
        ),
    ];
    if let Some((what, number, least, most)) =
        numbers.into_iter().find(|(_, number, least, most)| !(least..=most).contains(&number))
    {
        let range = if most == u32::MAX { format!("at least {least}") } else { format!("{least} to {most}") };
        return Err(Error::invalid(format!(
            "the game {} has {what} = {number}: make it {range}",
            described(game)
        )));
    }
    if shader.has_planes != planes.is_some() {
        return Err(Error::invalid(format!(
            "the game {} has planes only in Rust or only in its shader: define planes if has_planes is true",
            described(game)
        )));
    }
    if shader.weighted != game.has_weighted_playouts() {
        return Err(Error::invalid(format!(
            "the game {} draws by weights in Rust or in its shader alone: let has_weighted_playouts and weighted be \
             the same",
            described(game)
        )));
    }
    Ok(())
}

/// The name of a position in a batch of `of`, counted from 1, for errors.
pub(crate) fn named(number: usize, of: usize) -> String {
    if of == 1 { "the position".into() } else { format!("position {number}") }
}

/// The planes of a game.
///
/// # Errors
/// Bad input for a game without planes.
pub(crate) fn planes_of<G: Game>(game: &G) -> Result<Planes> {
    game.planes().ok_or_else(|| {
        let name = game.name();
        Error::invalid(format!(
            "{name} has no planes, the input of networks: search without a network, or add planes to its rules \
             (games/README.md)"
        ))
    })
}

/// Checks that `game` can go on from these positions.
///
/// # Errors
/// Bad input if one is of another game, or has more moves than the game's greatest number of plies.
pub(crate) fn check_positions<G: Game>(game: &G, positions: &[Position<G>]) -> Result<()> {
    if let Some(error) = game.rules_error() {
        return Err(error);
    }
    let identity = Identity::of(game);
    for (number, position) in (1..).zip(positions) {
        let which = named(number, positions.len());
        let own = Identity::of(position.game());
        if own != identity {
            let [own, wanted] = own.distinguished_from(&identity);
            return Err(Error::invalid(format!(
                "{which} is of the game {own}, but {wanted} is expected: use the same game for both"
            )));
        }
        let moves = position.moves().len();
        if moves > identity.max_plies as usize {
            return Err(Error::invalid(format!(
                "{which} is {moves} moves into a game of {}, whose max_plies is {}: make that no less than the longest \
                 game from any position",
                identity.rules, identity.max_plies
            )));
        }
    }
    Ok(())
}

/// Whether playouts of a game have scores; either all have, or none has.
pub(crate) fn is_scored<G: Game>(game: &G) -> bool {
    game.playout_score(&game.playout_begin(&game.start(), Player::First)).is_some()
}

/// A state as words.
pub(crate) fn packed<G: Game>(game: &G, state: &G::State) -> Vec<u32> {
    let mut words = vec![0; game.state_words() as usize];
    game.pack(state, &mut words);
    words
}

/// A game in words: its name, sizes and rules.
pub(crate) fn described<G: Game>(game: &G) -> String {
    in_words(game.name(), game.rules())
}

/// The properties by which two games are the same.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    name: String,
    rules: String,
    max_actions: u32,
    max_plies: u32,
    state_words: u32,
    forbids_repetition: bool,
}

impl Identity {
    fn of<G: Game>(game: &G) -> Self {
        Self {
            name: game.name().into(),
            rules: described(game),
            max_actions: game.max_actions(),
            max_plies: game.max_plies(),
            state_words: game.state_words(),
            forbids_repetition: game.forbids_repetition(),
        }
    }

    /// Descriptions of both games by the properties that differ.
    fn distinguished_from(&self, other: &Self) -> [String; 2] {
        let numbers = |game: &Self| {
            format!(
                "{} ({} actions, at most {} plies, {} words a state, {} repetition)",
                game.rules,
                game.max_actions,
                game.max_plies,
                game.state_words,
                if game.forbids_repetition { "without" } else { "with" }
            )
        };
        [self, other].map(|game| if self.rules == other.rules { numbers(game) } else { game.rules.clone() })
    }
}
