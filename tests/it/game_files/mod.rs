//! Games of one's own, each a WGSL file.

mod errors;
mod fuzz;
mod library;
mod loops;
mod misbehaviour;
mod network;
mod planes;
mod pruning;
mod same_trees;

use crate::support::prelude::*;
use mcts_wgpu::Result;

/// A heap from which players take one to three; the player who takes the last one wins. The second word is unused.
pub const HEAP: &str = "\
//! name = \"heap\"
//! max_actions = 3
//! state_words = 2
//! max_plies = 12
//! start = [12, 0]

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return action < (*state)[0];
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    (*state)[0] -= action + 1u;
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    return select(ONGOING, wins(1u - turn), (*state)[0] == 0u);
}
";

/// The same game with a playout of its own.
pub const HEAP_PLAYOUT: &str = "
struct Playout {
    heap: u32,
    turn: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    return Playout((*state)[0], turn);
}

fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    return min((*playout).heap, 3u);
}

fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    (*playout).heap -= ordinal + 1u;
    (*playout).turn = 1u - (*playout).turn;
    return select(ONGOING, wins(1u - (*playout).turn), (*playout).heap == 0u);
}
";

#[track_caller]
pub fn changed(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "'{from}' in\n{text}");
    text.replace(from, to)
}

/// A text with lines at the beginning of a function's body.
#[track_caller]
pub fn with_lines(text: &str, function: &str, lines: &str) -> String {
    let start = text.find(&format!("fn {function}(")).unwrap_or_else(|| panic!("{function} in\n{text}"));
    let body = start + text[start..].find("{\n").expect("a body") + 2;
    format!("{}    {lines}\n{}", &text[..body], &text[body..])
}

/// The names and texts of games/, ascending.
pub fn library() -> Vec<(String, String)> {
    let files =
        texts_below(&of_crate(&["games"]), "wgsl").into_iter().filter(|(_, text)| text.starts_with("//!"));
    let name = |path: &Path| path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
    files.map(|(path, text)| (name(&path), text)).collect()
}

/// The text of a file of games/.
pub fn text(name: &str) -> String {
    library().into_iter().find(|(known, _)| known == name).expect("a file of games/").1
}

pub fn all_kinds() -> Vec<(Variant, Schedule)> {
    Variant::ALL.into_iter().flat_map(|variant| SCHEDULES.map(|schedule| (variant, schedule))).collect()
}

pub fn small(variant: Variant, schedule: Schedule) -> Config {
    Config { variant, schedule, trees: 2, playouts: 8, memory: Some(1 << 22), ..Config::paper() }
}

pub fn game(engine: &Engine, text: &str) -> GameFile {
    GameFile::from_wgsl("game.wgsl", text, engine).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

pub fn rolled_out(engine: &Engine, game: &GameFile) -> Result<RolloutReport> {
    Rollouts::new(engine, game.clone(), RolloutConfig::default())?.run(&Position::start(game), 300)
}

pub fn searched(engine: &Engine, game: &GameFile, config: Config, steps: u64) -> Result<Report> {
    Search::with_config(engine, game.clone(), config)?.run(&Position::start(game), Budget::steps(steps))
}

#[track_caller]
pub fn message<T>(result: Result<T>, of: &str) -> String {
    match result {
        Ok(_) => panic!("this must be refused:\n{of}"),
        Err(error) => error.to_string(),
    }
}
