//! Consistency checks of the rules in Rust.

use super::{Finding, Part, walk::Walk};
use crate::{
    exact::rng::Stream,
    reference::playout::draw_ordinal,
    rules::{Game, Outcome, Player, each_action},
};
use std::collections::HashMap;

/// Positions of a game from which playouts are tried, and places of a weighted list.
const PLAYOUTS_A_GAME: usize = 8;
const PLACES: u32 = 32;
/// The longest list of a playout: with weights, without.
const MOST_WEIGHT: u32 = 1 << 31;
const MOST_LISTED: u32 = 512;
/// The greatest score of a playout, in half points.
const MOST_SCORE: u32 = 1 << 15;

type Wrong = (Part, String);

/// Names of actions are parsed back, in either case, and do not collide with the indexes of others.
pub(super) fn check_names<G: Game>(game: &G) -> Vec<Finding> {
    let wrong = (0..game.max_actions()).filter_map(|action| {
        let name = game.action_name(action);
        let read = [name.clone(), name.to_lowercase(), name.to_uppercase()];
        let misread = read.iter().find(|name| game.parse_action(name) != Some(action));
        let index = name.parse().ok().filter(|&index: &u32| index < game.max_actions() && index != action);
        let why = match (misread, index) {
            (Some(name), _) => format!("parse_action reads '{name}' as {:?}", game.parse_action(name)),
            (_, Some(index)) => format!("its name, '{name}', is parsed as action {index}"),
            _ => return None,
        };
        Some(Finding::general(Part::Names, format!("action {action}: {why}")))
    });
    wrong.collect()
}

/// All violations in one game.
pub(super) fn check<G: Game>(game: &G, walk: &Walk<G>) -> Vec<Finding> {
    let last = walk.actions.len();
    let stride = (last / PLAYOUTS_A_GAME).max(1);
    let mut findings = Vec::new();
    for (ply, (state, turn)) in walk.states.iter().enumerate() {
        let outcome = walk.outcome(game, ply);
        let mut wrong = check_state(game, state);
        wrong.extend(check_outcome(game, walk, ply));
        wrong.extend(check_planes(game, state, *turn));
        // The device plays the playouts of lines, which may be many.
        let goes_on = outcome.is_none() && walk.is_whole;
        if goes_on && ply == last {
            wrong.push(unfinished(game, state, *turn, ply));
        } else if goes_on && (ply % stride == 0 || ply + 1 == last) {
            wrong.extend(check_list(game, state, *turn));
            wrong.extend(check_playout(game, state, *turn, walk.seed));
        }
        findings.extend(wrong.into_iter().map(|(part, what)| walk.finding(game, ply, part, what)));
    }
    findings
}

/// The reason why a game has not ended.
fn unfinished<G: Game>(game: &G, state: &G::State, turn: Player, ply: usize) -> Wrong {
    if ply >= game.max_plies() as usize {
        return (Part::Length, format!("the game goes on after {ply} plies, its max_plies"));
    }
    let legal = (0..game.max_actions()).any(|action| game.is_action_legal(state, turn, action));
    let what = if legal { "every legal action would repeat a position" } else { "no action is legal" };
    (Part::Legality, format!("the game goes on and {what}: add a pass, or return an outcome"))
}

/// A state, its words and its texts.
fn check_state<G: Game>(game: &G, state: &G::State) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let packed = |blank| {
        let mut words = vec![blank; game.state_words() as usize];
        game.pack(state, &mut words);
        words
    };
    let words = packed(0);
    if words != packed(u32::MAX) {
        wrong.push((Part::Packing, "pack does not write all words".into()));
    } else if game.unpack(&words) != *state {
        wrong.push((Part::Packing, "unpack does not return the state that pack has packed".into()));
    }
    if let Err(error) = game.check_state(state) {
        wrong.push((Part::States, format!("check_state refuses a state of a game: {error}")));
    }
    let rows = game.board_rows(state);
    let borrowed: Vec<&str> = rows.iter().map(String::as_str).collect();
    match game.parse_board(&borrowed) {
        Err(error) => wrong
            .push((Part::Boards, format!("parse_board refuses the board that board_rows wrote: {error}"))),
        Ok(board) if game.board_rows(&board) != rows => {
            wrong.push((Part::Boards, "parse_board does not return the board that board_rows wrote".into()));
        }
        Ok(_) => {}
    }
    wrong
}

/// The outcome does not depend on whether the last action is known.
fn check_outcome<G: Game>(game: &G, walk: &Walk<G>, ply: usize) -> Option<Wrong> {
    let (state, turn) = &walk.states[ply];
    let (known, unknown) = (walk.outcome(game, ply), game.compute_outcome(state, *turn, None));
    (known != unknown).then(|| {
        let what = format!("compute_outcome is {known:?} with the last action, {unknown:?} without it");
        (Part::Outcome, what)
    })
}

/// Words of the planes of a cell have no bits beyond the planes.
fn check_planes<G: Game>(game: &G, state: &G::State, turn: Player) -> Option<Wrong> {
    let planes = game.planes()?;
    let cell = (0..planes.cells()).find(|&cell| planes.exceeded_by(game.cell_planes(state, turn, cell)))?;
    let what = format!("cell_planes of cell {cell} has bits beyond its {} planes", planes.count);
    Some((Part::Planes, what))
}

/// A position as a playout shows it: its outcome; and the length of its list, or, where that depends on more than the
/// position, the score of the board.
type View = (Option<Outcome>, Option<i64>);

/// Every place of a playout's list is a legal action, as far as their effects differ.
fn check_list<G: Game>(game: &G, state: &G::State, turn: Player) -> Option<Wrong> {
    let legal: Vec<u32> =
        (0..game.max_actions()).filter(|&action| game.is_action_legal(state, turn, action)).collect();
    if !each_action(game.legal_actions(state, turn)).eq(legal.iter().copied()) {
        return Some((Part::Legality, "legal_actions has other actions than is_action_legal allows".into()));
    }
    let count = game.legal_actions_playout(&mut game.playout_begin(state, turn));
    let weighted = game.has_weighted_playouts();
    let most = if weighted { MOST_WEIGHT } else { MOST_LISTED.min(legal.len() as u32) };
    if !(1..=most).contains(&count) {
        let what =
            format!("the list of a playout has {count} entries, but there are {} legal actions", legal.len());
        return Some((Part::Playouts, what));
    }
    let mut successors: HashMap<View, u32> = HashMap::new();
    for &action in &legal {
        *successors.entry(after(game, state, turn, action)).or_default() += 1;
    }
    let places = if weighted { count.min(PLACES) } else { count };
    for place in (0..places).map(|number| (u64::from(number) * u64::from(count) / u64::from(places)) as u32) {
        let view = after_place(game, state, turn, place);
        let left = successors.get_mut(&view).filter(|left| **left > 0);
        let Some(left) = left else {
            let (outcome, next) = view;
            let what = format!(
                "place {place} of a playout's list of {count} leads to the outcome {outcome:?} and a {} of {}: no \
                 legal action is left that does",
                if game.playouts_look_back() { "score" } else { "list" },
                next.unwrap_or(0)
            );
            return Some((Part::Playouts, what));
        };
        *left -= u32::from(!weighted);
    }
    None
}

fn after<G: Game>(game: &G, state: &G::State, turn: Player, action: u32) -> View {
    let (mut next, turn) = (state.clone(), turn);
    game.take_action(&mut next, turn, action);
    let outcome = game.compute_outcome(&next, turn.opponent(), Some(action));
    view(game, outcome, || game.playout_begin(&next, turn.opponent()))
}

fn after_place<G: Game>(game: &G, state: &G::State, turn: Player, place: u32) -> View {
    let mut playout = game.playout_begin(state, turn);
    game.legal_actions_playout(&mut playout);
    let outcome = game.take_action_playout(&mut playout, place);
    view(game, outcome, || playout)
}

/// `playout`: one at the position, if the game goes on there.
fn view<G: Game>(game: &G, outcome: Option<Outcome>, playout: impl FnOnce() -> G::Playout) -> View {
    let further = match outcome {
        Some(_) => None,
        None if game.playouts_look_back() => game.playout_score(&playout()).map(i64::from),
        None => Some(game.legal_actions_playout(&mut playout()).into()),
    };
    (outcome, further)
}

/// A playout ends, and the sign of its score, if it has one, is the outcome.
fn check_playout<G: Game>(game: &G, state: &G::State, turn: Player, seed: u64) -> Option<Wrong> {
    let mut stream = Stream::seeded(seed);
    let mut playout = game.playout_begin(state, turn);
    let scored = game.playout_score(&playout).is_some();
    for _ in 0..game.max_plies() {
        let count = game.legal_actions_playout(&mut playout);
        if count == 0 {
            return Some((Part::Playouts, "a playout that goes on has an empty list".into()));
        }
        let place = draw_ordinal(game, &mut stream, count);
        let Some(outcome) = game.take_action_playout(&mut playout, place) else { continue };
        let score = game.playout_score(&playout);
        let winner = score.map(|score| Outcome::from(score.cmp(&0)));
        let right = score.is_none_or(|score| score.unsigned_abs() <= MOST_SCORE && winner == Some(outcome));
        return (!right || score.is_some() != scored)
            .then(|| (Part::Scores, format!("a playout ends as {outcome:?} with the score {score:?}")));
    }
    Some((Part::Length, format!("a playout goes on after {} plies, the game's max_plies", game.max_plies())))
}

/// Boards that differ have different keys.
pub(super) fn check_keys<G: Game>(game: &G, walks: &[Walk<G>]) -> Option<Finding> {
    let mut boards = HashMap::new();
    if !game.forbids_repetition() {
        return None;
    }
    let all = walks.iter().flat_map(|walk| walk.states.iter().enumerate().map(move |at| (walk, at)));
    for (walk, (ply, (state, _))) in all {
        let board = game.board_rows(state);
        if *boards.entry(game.position_key(state)).or_insert_with(|| board.clone()) != board {
            let what = "position_key is that of another board";
            return Some(walk.finding(game, ply, Part::Keys, what));
        }
    }
    None
}
