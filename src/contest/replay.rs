//! Searches logged games again: the same number of steps must give the same values on every engine.

use super::{
    Contestant, DeadStones, Host,
    dead::ended_without,
    log::{LoggedGame, described},
    open::open_vanilla,
    spec::{Kind, Spec},
};
use crate::{
    error::{Error, Result},
    forest::Settings,
    names::visible,
    rules::{Game, Outcome, Position, names_of},
    search::Budget,
};
use serde::Serialize;
use serde_json::Value;
use std::{
    fmt::{self, Display, Formatter},
    ops::ControlFlow,
};

/// The result of searching a game again.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// Moves that were searched again.
    pub moves: u64,
    /// Action values compared.
    pub values: u64,
    /// Moves whose players report no action values.
    pub skipped: u64,
    /// The first difference found, or a logged result that contradicts the moves. The rest of the game is then not
    /// searched.
    pub difference: Option<ReplayDifference>,
}

/// A difference between a logged value and the one found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReplayDifference {
    /// The number of the game.
    pub game_number: u64,
    /// The number of the move, from 1.
    pub move_number: usize,
    /// The text of its player.
    pub player: String,
    /// The difference, as text.
    pub what: String,
}

impl Display for ReplayDifference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { game_number, move_number, player, what } = self;
        write!(f, "game {game_number}, move {move_number} by '{player}': {what}")
    }
}

/// Searches the moves of a logged game again, including the search of a player that resigned, in as many steps as
/// logged; then checks that the moves lead to the logged result, with the same dead stones if these are left out.
/// `watch` receives the number of moves done, and ends the replay by `Break`.
///
/// # Errors
/// Bad input if the log's moves or players are invalid; those of [`Spec::open`](super::Spec::open).
pub fn replay_game<G: Game, H: Host>(
    game: &G,
    logged: &LoggedGame,
    host: &H,
    mut watch: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Replayed> {
    let [own, of_log] = [described(game), logged.described()];
    if own != of_log {
        return Err(Error::invalid(format!(
            "game {} of the log is one of {of_log}, and not of {own}: give the game of the log",
            logged.game_number
        )));
    }
    let mut players = Vec::new();
    for (side, text) in [&logged.first_player, &logged.second_player].into_iter().enumerate() {
        players.push((text, searcher_again(game, text, (logged, side), host)?));
    }
    let mut position = Position::start(game);
    let mut done = Replayed::default();
    // A player that resigned has also searched the position after the last move.
    for ply in 0..=logged.moves.len() {
        let (text, player) = &mut players[ply % 2];
        if let Some(report) = logged.report(ply)
            && let Some(what) = compare(player, &position, report, &mut done)?
        {
            let (game_number, player) = (logged.game_number, (*text).clone());
            done.difference = Some(ReplayDifference { game_number, move_number: ply + 1, player, what });
            return Ok(done);
        }
        let Some(name) = logged.moves.get(ply) else { break };
        let action = position.parse_action(name).and_then(|action| position.play(action));
        action.map_err(|error| error.of(format!("game {} of the log", logged.game_number)))?;
        if watch(ply + 1).is_break() {
            return Ok(done);
        }
    }
    if let Some(error) = game.rules_error() {
        return Err(error);
    }
    let wrong = match settled(&position, logged, host)? {
        Ok(end) => contradiction(&position, end.outcome(), logged),
        Err(what) => Some(what),
    };
    done.difference = wrong.map(|what| {
        let last = logged.moves.len().saturating_sub(1);
        let (game_number, player) = (logged.game_number, players[last % 2].0.clone());
        ReplayDifference { game_number, move_number: last + 1, player, what }
    });
    Ok(done)
}

/// The last position of a game as it is scored, or what is wrong with the dead stones of the log.
fn settled<G: Game>(
    position: &Position<G>,
    logged: &LoggedGame,
    host: &impl Host,
) -> Result<std::result::Result<Position<G>, String>> {
    if !logged.leaves_out_dead_stones() || position.outcome().is_none() {
        return Ok(Ok(position.clone()));
    }
    let dead = DeadStones::new(&host.engine(None)?).chains(position)?.concat();
    let names = names_of(position.game(), &dead);
    let shown = |names: &[String]| if names.is_empty() { "none".into() } else { visible(&names.join(" ")) };
    if names != logged.dead {
        return Ok(Err(format!(
            "the dead stones are {} in the log, and now {}",
            shown(&logged.dead),
            shown(&names)
        )));
    }
    ended_without(position, &dead).map(Ok)
}

/// The contradiction between a game's logged result and the outcome of its last position, if any.
fn contradiction<G: Game>(
    position: &Position<G>,
    outcome: Option<Outcome>,
    logged: &LoggedGame,
) -> Option<String> {
    let (turn, result) = (position.turn(), logged.result);
    let given_up = logged.resigned.as_ref().map(|resigned| resigned.by);
    let at_fault = logged.fault.as_ref().map(|fault| fault.by);
    let said = match (outcome, given_up.or(at_fault)) {
        (Some(reached), None) if reached == result => return None,
        (None, Some(by)) if result == by.opponent().wins() && given_up.is_none_or(|by| by == turn) => {
            return None;
        }
        (None, None) => "after its moves the game goes on".into(),
        (Some(reached), _) => format!("after its moves it is {}", reached.name()),
        (None, Some(by)) => {
            let how = if given_up.is_some() { "has given up" } else { "is at fault" };
            format!(
                "after its moves {turn} is to move, and {by} {how}",
                turn = turn.symbol(),
                by = by.symbol()
            )
        }
    };
    Some(format!("the result is {} in the log, and {said}", result.name()))
}

/// Searches positions again as a player did; returns reports as JSON.
type SearchAgain<G> = Box<dyn FnMut(&Position<G>, Budget) -> Result<Value>>;

/// The searches of a player; `None` if it reports no action values.
fn searcher_again<G: Game>(
    game: &G,
    text: &str,
    (logged, side): (&LoggedGame, usize),
    host: &impl Host,
) -> Result<Option<SearchAgain<G>>> {
    let spec: Spec = text.parse()?;
    match spec.kind() {
        Kind::Search { .. } => {
            let first = (side..=logged.moves.len()).step_by(2).find_map(|ply| logged.report(ply));
            check_exact(first).map_err(|error| error.of(format!("game {}", logged.game_number)))?;
            let mut search = spec.open_search(game, host, |settings| {
                set_as(settings, first);
                settings.net = net_of(first, host).or(settings.net.take());
            })?;
            search.limit_nodes(nodes_of_full_trees(logged, side));
            search.leave_out_dead_stones(logged.leaves_out_dead_stones());
            search.number(logged.game_number);
            Ok(Some(Box::new(move |position, budget| as_json(&search.search(position, budget)?))))
        }
        Kind::Vanilla { config, policy } => {
            let mut vanilla = open_vanilla(game, (config, policy.as_deref()), host.stop())?;
            vanilla.number(logged.game_number);
            vanilla.begin(&Position::start(game))?;
            Ok(Some(Box::new(move |position, budget| as_json(&vanilla.search(position, budget)?))))
        }
        _ => Ok(None),
    }
}

fn as_json(report: &impl Serialize) -> Result<Value> {
    serde_json::to_value(report).map_err(|error| Error::invalid(format!("a report is no JSON: {error}")))
}

/// Searches a position with the logged settings; returns the first difference.
fn compare<G: Game>(
    player: &mut Option<SearchAgain<G>>,
    position: &Position<G>,
    logged: &Value,
    done: &mut Replayed,
) -> Result<Option<String>> {
    let Some(search) = player else {
        done.skipped += 1;
        return Ok(None);
    };
    let steps = logged.pointer("/performance/steps").and_then(Value::as_u64);
    let Some(steps) = steps.filter(|&steps| steps > 0) else {
        return Ok(Some("its number of steps is not in the log".into()));
    };
    let found = search(position, Budget::steps(steps))?;
    done.moves += 1;
    Ok(difference(logged, &found, done))
}

/// Sets the settings that the logged report gives and the player's text leaves to the game or the engine.
fn set_as(settings: &mut Settings, report: Option<&Value>) {
    let Some(Value::Object(report)) = report else { return };
    let former =
        |name: &str| Settings::FORMER.iter().find(|(_, now)| *now == name).map(|(former, _)| *former);
    let value = |name: &str| report.get(name).or_else(|| report.get(former(name)?));
    let known = Settings::NAMES.iter().filter_map(|&name| Some((name.to_owned(), value(name)?.clone())));
    let known = known.collect();
    let Ok(reported) = serde_json::from_value::<Settings>(Value::Object(known)) else { return };
    // The seed depends on the number of the game; the memory was that of the logging machine.
    let reported = Settings { seed: None, memory: None, schedule: None, policy: None, ..reported };
    *settings = std::mem::take(settings).or(reported);
}

/// # Errors
/// Bad input if an evaluator valued the leaves of a logged report: its values may have changed since.
fn check_exact(report: Option<&Value>) -> Result<()> {
    match report {
        Some(report) if report["exact"] == false => Err(Error::invalid(format!(
            "the evaluator {} evaluated its leaves: such a search can't be replayed",
            visible(report["net"].as_str().unwrap_or_default())
        ))),
        _ => Ok(()),
    }
}

/// The host's path of the network that a logged report names.
fn net_of(report: Option<&Value>, host: &impl Host) -> Option<String> {
    host.network(report?.get("net_digest")?.as_str()?)
}

/// The capacity in nodes of a player's trees in a game in which they became full.
fn nodes_of_full_trees(logged: &LoggedGame, side: usize) -> Option<u32> {
    let reports = (side..=logged.moves.len()).step_by(2).filter_map(|ply| logged.report(ply));
    let trees = reports.filter_map(|report| report.get("trees_info"));
    let full = trees.filter(|trees| trees["full"] == true).find_map(|trees| trees["capacity"].as_u64());
    full.and_then(|nodes| u32::try_from(nodes).ok())
}

/// The first difference between the networks or the action values of two reports.
fn difference(logged: &Value, found: &Value, done: &mut Replayed) -> Option<String> {
    let [before, now] = [logged, found].map(|report| report["net_digest"].as_str());
    if before != now {
        let shown =
            |digest: Option<&str>| digest.map_or("none".into(), |digest| format!("one with digest {digest}"));
        return Some(format!(
            "the network was {}, and now it is {}: give the network of the log",
            shown(before),
            shown(now)
        ));
    }
    let actions = |report: &Value| report["actions"].as_array().cloned().unwrap_or_default();
    let [logged_actions, found_actions] = [actions(logged), actions(found)];
    if logged_actions.len() != found_actions.len() {
        return Some(format!(
            "the log has {} actions, and now there are {}",
            logged_actions.len(),
            found_actions.len()
        ));
    }
    let pairs = logged_actions.iter().zip(&found_actions).map(|pair| ("action", pair));
    let best = ("the best action,", (&logged["best"], &found["best"]));
    for (what, (logged, found)) in pairs.chain([best]) {
        for field in ["index", "n", "n_wins", "q"] {
            let [before, now] = [&logged[field], &found[field]];
            if before.as_f64().is_none() || before.as_f64() != now.as_f64() {
                let name = found["name"].as_str().unwrap_or_default();
                return Some(format!("{field} of {what} {name} is {before} in the log, and now {now}"));
            }
            done.values += 1;
        }
    }
    None
}
