//! A game with positions in which every move would repeat an earlier one.

use mcts_wgpu::{Game, GameShader, Outcome, Player, Result, SearchDefaults};

const WGSL: &str = "
const CIRCLE_CELLS: u32 = 4u;

fn circle_after(cell: u32, action: u32) -> u32 {
    return (cell + 1u + action) % CIRCLE_CELLS;
}
fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return action + 1u < CIRCLE_CELLS;
}
fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    (*state)[0] = circle_after((*state)[0], action);
}
fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    return ONGOING;
}
fn position_key(state: ptr<function, State>) -> vec2<u32> {
    return vec2<u32>((*state)[0], 7u);
}
fn may_repeat(action: u32) -> bool {
    return false;
}
struct Playout { cell: u32, plies: u32 }
fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    return Playout((*state)[0], 0u);
}
fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    return CIRCLE_CELLS - 1u;
}
fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
    (*playout).cell = circle_after((*playout).cell, ordinal);
    (*playout).plies++;
    let outcome = select(SECOND_WINS, FIRST_WINS, (*playout).cell % 2u == 0u);
    return select(ONGOING, outcome, (*playout).plies == 5u);
}
";

const CELLS: u32 = 4;

/// A token moves around four cells, one to three of them a move, and may enter none twice. The player who moves it into
/// the last free cell leaves the other one without a move, and the game goes on. Playouts end after five plies.
#[derive(Debug, Clone)]
pub struct Circle {
    /// Actions, of which only the first three are ever legal.
    pub actions: u32,
    pub search_defaults: SearchDefaults,
}

impl Circle {
    pub fn new(actions: u32) -> Self {
        Self { actions, search_defaults: SearchDefaults::default() }
    }
}

/// A cell, and plies.
pub struct Walk(u32, u32);

impl Game for Circle {
    type State = u32;
    type Playout = Walk;

    fn name(&self) -> &str {
        "circle"
    }
    fn max_actions(&self) -> u32 {
        self.actions
    }
    fn search_defaults(&self) -> SearchDefaults {
        self.search_defaults
    }
    fn max_plies(&self) -> u32 {
        8
    }
    fn state_words(&self) -> u32 {
        1
    }
    fn shader(&self) -> GameShader {
        GameShader::new("circle.wgsl", WGSL, Vec::new(), 0)
    }
    fn start(&self) -> u32 {
        0
    }
    fn pack(&self, state: &u32, words: &mut [u32]) {
        words[0] = *state;
    }
    fn unpack(&self, words: &[u32]) -> u32 {
        words[0]
    }
    fn is_action_legal(&self, _: &u32, _: Player, action: u32) -> bool {
        action + 1 < CELLS
    }
    fn take_action(&self, state: &mut u32, _: Player, action: u32) {
        *state = (*state + 1 + action) % CELLS;
    }
    fn compute_outcome(&self, _: &u32, _: Player, _: Option<u32>) -> Option<Outcome> {
        None
    }
    fn forbids_repetition(&self) -> bool {
        true
    }
    fn position_key(&self, state: &u32) -> u64 {
        7 << 32 | u64::from(*state)
    }
    fn playout_begin(&self, state: &u32, _: Player) -> Walk {
        Walk(*state, 0)
    }
    fn legal_actions_playout(&self, _: &mut Walk) -> u32 {
        CELLS - 1
    }
    fn take_action_playout(&self, walk: &mut Walk, ordinal: u32) -> Option<Outcome> {
        *walk = Walk((walk.0 + 1 + ordinal) % CELLS, walk.1 + 1);
        let outcome = if walk.0.is_multiple_of(2) { Outcome::FirstWins } else { Outcome::SecondWins };
        (walk.1 == 5).then_some(outcome)
    }
    fn action_name(&self, action: u32) -> String {
        action.to_string()
    }
    fn parse_action(&self, name: &str) -> Option<u32> {
        name.parse().ok()
    }
    fn board_rows(&self, state: &u32) -> Vec<String> {
        vec![(0..CELLS).map(|cell| if cell == *state { 'X' } else { '.' }).collect()]
    }
    fn parse_board(&self, rows: &[&str]) -> Result<u32> {
        let cell = rows.first().and_then(|row| row.find('X'));
        cell.map(|cell| cell as u32).ok_or_else(|| mcts_wgpu::Error::invalid("no token"))
    }
}
