//! Random changes to logs: reading ends with games or an error, and all games can be counted and replayed.

use super::{match_of, played, replay};
use crate::support::{
    prelude::*,
    strange::{cases, edited, edits, replaced, value},
};
use mcts_wgpu::contest::{Standings, read_log};
use proptest::{collection::vec, prelude::*};
use std::sync::LazyLock;

/// Greatest number of steps of a search that is repeated.
const MOST_STEPS: u64 = 200;
const PLAYERS: [&str; 2] = ["ocp-thrifty:steps=6,trees=2,playouts=4,seed=3", "vanilla:steps=20"];

fn schedule() -> GameSchedule<Connect4> {
    match_of(&connect4_of(4, 4), PLAYERS, 2)
}

static GAMES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let games = played(&schedule(), Default::default(), None);
    games.iter().map(|game| serde_json::to_value(game).expect("JSON")).collect()
});

fn log_of(games: &[Value]) -> String {
    games.iter().map(|game| format!("{game}\n")).collect()
}

/// Reads a log and uses its games as the commands do.
fn use_log(path: &Path) -> mcts_wgpu::Result<()> {
    let (schedule, mut standings, mut noted) = (schedule(), Standings::default(), HashSet::new());
    let mut games = Vec::new();
    read_log(path, |game| {
        standings.add(&game);
        schedule.note(&game, &mut noted).ok();
        games.push(game);
        Ok(())
    })?;
    serde_json::to_string(&(standings.players(), standings.pairs())).expect("standings are JSON");
    assert_eq!(standings.games(), games.len() as u64);
    standings.markdown();
    games.iter().filter(|game| is_short(game)).for_each(|game| {
        replay(schedule.game(), game, &Engine::cpu()).ok();
    });
    Ok(())
}

/// Logs may have long searches and large trees: they are not refused, but take too long here.
fn is_short(game: &LoggedGame) -> bool {
    let steps = |report: &Value| report.pointer("/performance/steps").and_then(Value::as_u64).unwrap_or(0);
    let known = [&game.first_player, &game.second_player].iter().all(|text| PLAYERS.contains(&text.as_str()));
    known && game.reports.iter().flatten().all(|report| steps(report) <= MOST_STEPS)
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn no_value_of_a_log_is_too_strange(changes in vec((0.0..1.0, value()), 1..6)) {
        let path = fresh_file("strange-values.jsonl");
        let games: Vec<_> = GAMES.iter().map(|game| replaced(game.clone(), &changes)).collect();
        fs::write(&path, log_of(&games)).expect("it is written");
        use_log(&path).ok();
    }

    #[test]
    fn no_text_of_a_log_is_too_strange(edits in edits("{|}|[|,|\"moves\":|\"first\"|:|\\")) {
        let path = fresh_file("strange-texts.jsonl");
        fs::write(&path, edited(&log_of(&GAMES), &edits)).expect("it is written");
        use_log(&path).ok();
    }
}

#[test]
fn the_log_itself_is_used() {
    let path = fresh_file("not-strange.jsonl");
    fs::write(&path, log_of(&GAMES)).expect("it is written");
    use_log(&path).expect("it is right");
    assert!(GAMES.len() == 2);
}
