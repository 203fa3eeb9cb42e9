//! Twin of `shaders/search/staged/playout.wgsl`: plays m random games from each node that the step plays out.

use super::{
    PlayView, TreeView,
    backup_1::played,
    expand_1::player,
    forest::{stream_of, stream_words},
    lanes::{self, Ended},
    spread::{self, A_PLY},
};
use crate::{
    exact::rng::Stream,
    forest::{
        DrawValue, Shape,
        layout::{FAULT_STUCK, FAULT_TOO_LONG},
    },
    rules::{Game, Outcome, Player, Plies, SideBySide},
};
use glam::{UVec2, UVec4};
use std::{
    ops::Range,
    slice,
    sync::atomic::{AtomicU32, Ordering},
};

/// Plays out the nodes of this step and tallies the points (specification, "One step", 3).
pub fn playout<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    playout_some(game, shape, view, 0..usize::MAX);
}

/// The same for some of the leaves.
pub fn playout_some<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>, leaves: Range<usize>) {
    let cost = a_node(shape);
    let of_leaf =
        if shape.config.variant.all_children { cost.saturating_mul(shape.max_actions) } else { cost };
    let plays = view.reborrow().into_plays();
    let mut faults = vec![0; plays.len()];
    let some = plays.into_iter().zip(&mut faults).skip(leaves.start).take(leaves.len());
    spread::for_each(shape, of_leaf, some, |(view, faults)| {
        let found = AtomicU32::new(0);
        spread::for_each(shape, cost, jobs(game, shape, view), |job| {
            found.fetch_or(job.play(game, shape), Ordering::Relaxed);
        });
        *faults = found.into_inner();
    });
    if let [of_tree] = faults[..] {
        view.tree.flags |= of_tree;
    } else {
        view.leaves.iter_mut().zip(faults).for_each(|(leaf, faults)| leaf.flags |= faults);
    }
}

/// The greatest cost of a node's games, in the unit of [`spread`](super::spread).
fn a_node(shape: &Shape) -> u32 {
    shape.max_plies().saturating_mul(A_PLY * shape.config.playouts)
}

/// A node that is played out, with the streams of its games and its tallies.
#[derive(Debug)]
pub struct Job<'a, S> {
    state: S,
    turn: Player,
    outcome: u32,
    draws: DrawValue,
    streams: &'a mut [UVec4],
    tallies: &'a mut [UVec2],
    /// Records for rapid action values; empty in other searches.
    records: &'a mut [u32],
}

/// The nodes that a step plays out for a leaf, by ordinal. They are independent.
pub fn jobs<'a, 'g, G: Game>(
    game: &'g G,
    shape: &Shape,
    view: PlayView<'a>,
) -> impl Iterator<Item = Job<'a, G::State>> + use<'a, 'g, G> {
    let (first, count) = played(shape, view.tree);
    // A tree whose root is proven has no path.
    let turn = if count > 0 { player(view.tree.selected_turn()) } else { Player::First };
    let draws = shape.config.draw_value;
    let parent = game.unpack(&view.state[..shape.state_words as usize]);
    let (expanded, all_children) = (view.tree.expanded > 0, shape.config.variant.all_children);
    let nodes = &view.links[first as usize..(first + count) as usize];
    let mut stream_sets = view.streams.chunks_exact_mut(shape.config.playouts as usize).zip(0..);
    let tallies = view.tallies.chunks_exact_mut(shape.parts as usize);
    // Empty where several nodes are played out.
    let mut records = view.firsts;
    nodes.iter().zip(tallies).filter_map(move |(link, tallies)| {
        let (mut state, mut turn, mut outcome) = (parent.clone(), turn, link.outcome());
        if expanded {
            game.take_action(&mut state, turn, link.action());
            turn = turn.opponent();
            // A new child with a solved outcome is played out like any other.
            if outcome != 0 {
                outcome = Outcome::code(game.compute_outcome(&state, turn, Some(link.action())));
            }
        }
        // Children are in the order of their actions, as are the sets of streams.
        let wanted = if expanded && all_children { link.action() } else { 0 };
        let (streams, _) = stream_sets.find(|&(_, set)| set == wanted)?;
        let records = std::mem::take(&mut records);
        Some(Job { state, turn, outcome, draws, streams, tallies, records })
    })
}

impl<S: Clone + Send + Sync> Job<'_, S> {
    /// Plays the games, side by side if there are enough and the game and the processor support it; returns the faults.
    pub fn play<G: Game<State = S>>(self, game: &G, shape: &Shape) -> u32 {
        let max_plies = shape.max_plies();
        // A finished game is not played.
        let is_played = Outcome::from_code(self.outcome).is_none() && self.records.is_empty();
        if is_played && self.streams.len() >= LEAST_SIDE_BY_SIDE && max_plies >= game.max_plies() {
            return game.playouts_by(InLanes { job: self, game, shape });
        }
        self.play_spread(game, shape)
    }

    /// Plays the games one by one, in parts on idle cores.
    fn play_spread<G: Game<State = S>>(self, game: &G, shape: &Shape) -> u32 {
        let games = spread::grain(A_PLY.saturating_mul(shape.max_plies()));
        self.in_parts(shape, games, |part| part.play_one_by_one(game, shape.max_plies()))
    }

    /// Plays the games in parts of `games`, also on idle cores; returns the faults.
    fn in_parts(self, shape: &Shape, games: usize, play: impl Fn(Job<'_, S>) -> u32 + Send + Sync) -> u32 {
        if self.streams.len() <= games || self.tallies.len() > 1 || !spread::has_idle_cores(shape) {
            return play(self);
        }
        let Job { state, turn, outcome, draws, streams, tallies, mut records } = self;
        let record_words = records.len() / streams.len();
        let mut sums = vec![UVec2::ZERO; streams.len().div_ceil(games)];
        let parts = streams.chunks_mut(games).zip(&mut sums).map(|(streams, sum)| {
            let (state, tallies) = (state.clone(), slice::from_mut(sum));
            let records = records.split_off_mut(..record_words * streams.len()).unwrap_or_default();
            Job { state, turn, outcome, draws, streams, tallies, records }
        });
        let faults = AtomicU32::new(0);
        spread::for_each(shape, spread::GRAIN, parts, |part| {
            faults.fetch_or(play(part), Ordering::Relaxed);
        });
        tallies[0] = sums.iter().sum();
        faults.into_inner()
    }

    /// The same, one game after another.
    pub fn play_one_by_one<G: Game<State = S>>(self, game: &G, max_plies: u32) -> u32 {
        let mut faults = 0;
        let games = self.streams.len() / self.tallies.len();
        let record_words = self.records.len() / self.streams.len();
        self.records.fill(0);
        let mut records = self.records;
        for (streams, tally) in self.streams.chunks_mut(games).zip(self.tallies) {
            *tally = UVec2::ZERO;
            for words in streams {
                let record = records.split_off_mut(..record_words).unwrap_or_default();
                // A finished game is not played: its outcome counts for every lane.
                let outcome = Outcome::from_code(self.outcome).map_or_else(
                    || {
                        let mut stream = stream_of(*words);
                        let (playout, outcome) =
                            play_out(game, (&self.state, self.turn), max_plies, &mut stream);
                        *words = stream_words(stream);
                        if let Some((_, firsts)) = record.split_first_mut() {
                            game.write_firsts(&playout, firsts);
                        }
                        outcome
                    },
                    Ok,
                );
                match outcome {
                    Ok(outcome) => {
                        let points = points(outcome, self.draws);
                        *tally += points;
                        record.iter_mut().take(1).for_each(|word| *word = points.x | points.y << 16);
                    }
                    Err(fault) => faults |= fault,
                }
            }
        }
        faults
    }
}

/// The least number of a node's games that are faster side by side.
const LEAST_SIDE_BY_SIDE: usize = lanes::LANES / 2;

/// Games of a part, so that few lanes are empty on average.
const LEAST_FULL: usize = 4 * lanes::LANES;

/// A job whose games go on, and are no longer than allowed.
struct InLanes<'a, 's, G: Game> {
    job: Job<'a, G::State>,
    game: &'a G,
    shape: &'s Shape,
}

impl<G: Game> SideBySide<G::State> for InLanes<'_, '_, G> {
    type Output = u32;

    fn one_by_one(self) -> u32 {
        self.job.play_spread(self.game, self.shape)
    }

    fn side_by_side<const W: usize>(self, plies: &impl Plies<G::State, W>) -> u32 {
        let Some(level) = lanes::level() else { return self.one_by_one() };
        self.job.in_parts(self.shape, LEAST_FULL, |part| {
            let Job { state, turn, draws, streams, tallies, .. } = part;
            tallies.fill(UVec2::ZERO);
            lanes::play(level, plies, (&state, turn), &mut Tallied { draws, streams, tallies });
            0
        })
    }
}

/// Ongoing games with their streams, tallied by parts.
struct Tallied<'a> {
    draws: DrawValue,
    streams: &'a mut [UVec4],
    tallies: &'a mut [UVec2],
}

impl lanes::Games for Tallied<'_> {
    fn stream(&mut self, place: usize) -> Option<Stream> {
        self.streams.get(place).map(|&words| stream_of(words))
    }

    fn ended(&mut self, place: usize, game: Ended) {
        self.streams[place] = stream_words(game.stream);
        let part = self.streams.len() / self.tallies.len();
        self.tallies[place / part] += points(game.outcome, self.draws);
    }
}

/// Draws a place in the list of a playout, which has `count` entries.
pub fn draw_ordinal<G: Game>(game: &G, stream: &mut Stream, count: u32) -> u32 {
    if game.has_weighted_playouts() { stream.pick_weighted(count) } else { stream.pick(count) }
}

/// Draws an action of a playout that goes on and takes it. Returns the outcome.
///
/// # Errors
/// A fault, where no action is legal.
pub fn make_ply<G: Game>(
    game: &G,
    playout: &mut G::Playout,
    stream: &mut Stream,
) -> Result<Option<Outcome>, u32> {
    let count = game.legal_actions_playout(playout);
    if count == 0 {
        return Err(FAULT_STUCK);
    }
    let ordinal = draw_ordinal(game, stream, count);
    Ok(game.take_action_playout(playout, ordinal))
}

/// Plays one random game to its end; `None` if it goes on after `most` plies.
pub fn play<G: Game>(
    game: &G,
    state: &G::State,
    turn: Player,
    most: u32,
    stream: &mut Stream,
) -> Option<Outcome> {
    play_out(game, (state, turn), most, stream).1.ok()
}

/// The same; also returns the playout at its end, or the fault that ended it.
fn play_out<G: Game>(
    game: &G,
    (state, turn): (&G::State, Player),
    most: u32,
    stream: &mut Stream,
) -> (G::Playout, Result<Outcome, u32>) {
    let mut playout = game.playout_begin(state, turn);
    for _ in 0..most {
        match make_ply(game, &mut playout, stream) {
            Ok(None) => {}
            Ok(Some(outcome)) => return (playout, Ok(outcome)),
            Err(fault) => return (playout, Err(fault)),
        }
    }
    (playout, Err(FAULT_TOO_LONG))
}

/// An outcome as points of the first and of the second player.
fn points(outcome: Outcome, draws: DrawValue) -> UVec2 {
    match (outcome, draws) {
        (Outcome::FirstWins, _) => draws.win_points() * UVec2::X,
        (Outcome::SecondWins, _) => draws.win_points() * UVec2::Y,
        (Outcome::Draw, DrawValue::Half) => UVec2::ONE,
        (Outcome::Draw, DrawValue::None) => UVec2::ZERO,
    }
}
