//! Twin of `shaders/search/staged/playout.wgsl`: m random games from each node to be played out.

use super::{
    PlayView, TreeView,
    backup_1::played,
    expand_1::player,
    forest::{stream_of, stream_words},
    lanes::{self, Ended},
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

/// Plays out what this step calls for and tallies the points (specification, "One step", 3).
pub fn playout<G: Game>(game: &G, shape: &Shape, view: &mut TreeView<'_>) {
    let play = |view| jobs(game, shape, view).fold(0, |all, job| all | job.play(game, shape.max_plies()));
    let faults: Vec<u32> = view.reborrow().into_plays().into_iter().map(play).collect();
    if let [of_tree] = faults[..] {
        view.tree.flags |= of_tree;
    } else {
        view.leaves.iter_mut().zip(faults).for_each(|(leaf, faults)| leaf.flags |= faults);
    }
}

/// A node to be played out, with the streams of its games and its tallies.
#[derive(Debug)]
pub struct Job<'a, S> {
    state: S,
    turn: Player,
    outcome: u32,
    draws: DrawValue,
    streams: &'a mut [UVec4],
    tallies: &'a mut [UVec2],
    /// Of a search with rapid action values.
    records: &'a mut [u32],
}

/// The nodes that a step plays out for a leaf, by their ordinals. They can be played out in any order, or side by side.
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
    // There are none where several nodes are played out.
    let mut records = view.firsts;
    nodes.iter().zip(tallies).filter_map(move |(link, tallies)| {
        let (mut state, mut turn, mut outcome) = (parent.clone(), turn, link.outcome());
        if expanded {
            game.take_action(&mut state, turn, link.action());
            turn = turn.opponent();
            // A new child whose outcome is only foreseen is played out as any other.
            if outcome != 0 {
                outcome = Outcome::code(game.compute_outcome(&state, turn, Some(link.action())));
            }
        }
        // Children follow one another by their actions, as the sets of streams do.
        let wanted = if expanded && all_children { link.action() } else { 0 };
        let (streams, _) = stream_sets.find(|&(_, set)| set == wanted)?;
        let records = std::mem::take(&mut records);
        Some(Job { state, turn, outcome, draws, streams, tallies, records })
    })
}

impl<S> Job<'_, S> {
    /// Plays the games, side by side where they are enough and the game and the processor can; returns the faults.
    pub fn play<G: Game<State = S>>(self, game: &G, max_plies: u32) -> u32 {
        // A finished game is not played.
        let is_played = Outcome::from_code(self.outcome).is_none() && self.records.is_empty();
        if is_played && self.streams.len() >= LEAST_SIDE_BY_SIDE && max_plies >= game.max_plies() {
            return game.playouts_by(InLanes { job: self, game, max_plies });
        }
        self.play_one_by_one(game, max_plies)
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

/// Games of a node that are worth playing side by side.
const LEAST_SIDE_BY_SIDE: usize = lanes::LANES / 2;

/// A job whose games are not over, and no longer than is allowed.
struct InLanes<'a, G: Game> {
    job: Job<'a, G::State>,
    game: &'a G,
    max_plies: u32,
}

impl<G: Game> SideBySide<G::State> for InLanes<'_, G> {
    type Output = u32;

    fn one_by_one(self) -> u32 {
        self.job.play_one_by_one(self.game, self.max_plies)
    }

    fn side_by_side<const W: usize>(self, plies: &impl Plies<G::State, W>) -> u32 {
        let Some(level) = lanes::level() else { return self.one_by_one() };
        let Job { state, turn, draws, streams, tallies, .. } = self.job;
        tallies.fill(UVec2::ZERO);
        lanes::play(level, plies, (&state, turn), &mut Tallied { draws, streams, tallies });
        0
    }
}

/// Games that go on with their streams and are tallied by parts.
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

/// DrawValue a place in the list of a playout, which has `count` entries.
pub fn draw_ordinal<G: Game>(game: &G, stream: &mut Stream, count: u32) -> u32 {
    if game.has_weighted_playouts() { stream.pick_weighted(count) } else { stream.pick(count) }
}

/// DrawValue an action of a playout that goes on and takes it. Returns the outcome.
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

/// One random game to its end; none where it goes on after `most` plies.
pub fn play<G: Game>(
    game: &G,
    state: &G::State,
    turn: Player,
    most: u32,
    stream: &mut Stream,
) -> Option<Outcome> {
    play_out(game, (state, turn), most, stream).1.ok()
}

/// The same, and the playout that it ended as; or the fault that it ended with.
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
