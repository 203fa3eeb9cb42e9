//! A game of one's own: Connect 4 in everything that is not changed.

use mcts_wgpu::{
    Game, Outcome, Player, Result,
    game::GameShader,
    games::{Connect4, Connect4Playout, Connect4State},
};

/// What a game says of itself in numbers.
#[derive(Debug, Clone)]
pub struct Numbers {
    pub max_actions: u32,
    pub max_plies: u32,
    pub state_words: u32,
    pub expansion_stride: u32,
    pub rollout_round: u32,
}

/// Connect 4 with other numbers, or with another shader.
#[derive(Debug, Clone)]
pub struct Own {
    pub rules: Connect4,
    pub numbers: Numbers,
    pub shader: GameShader,
}

impl Own {
    /// Connect 4 as it is, by its own shader.
    pub fn new(rules: Connect4) -> Self {
        let numbers = Numbers {
            max_actions: rules.max_actions(),
            max_plies: rules.max_plies(),
            state_words: rules.state_words(),
            expansion_stride: rules.expansion_stride(),
            rollout_round: rules.rollout_round(),
        };
        Self { shader: rules.shader(), rules, numbers }
    }

    /// The same game ply by ply, in which `function` of the WGSL is called `inner_...`, and `text` defines it anew.
    pub fn with(mut self, function: &str, text: &str) -> Self {
        let (old, new) = (format!("fn {function}("), format!("fn inner_{function}("));
        assert!(self.shader.source.contains(&old), "{function} is not in the shader");
        self.shader.source = self.shader.source.replace(&old, &new) + text;
        self.shader.playout_run = None;
        self
    }

    pub fn with_max_plies(mut self, max_plies: u32) -> Self {
        self.numbers.max_plies = max_plies;
        self
    }
}

impl Game for Own {
    type State = Connect4State;
    type Playout = Connect4Playout;

    fn shader(&self) -> GameShader {
        self.shader.clone()
    }

    fn name(&self) -> &'static str {
        "own"
    }
    fn max_actions(&self) -> u32 {
        self.numbers.max_actions
    }
    fn max_plies(&self) -> u32 {
        self.numbers.max_plies
    }
    fn state_words(&self) -> u32 {
        self.numbers.state_words
    }
    fn expansion_stride(&self) -> u32 {
        self.numbers.expansion_stride
    }
    fn rollout_round(&self) -> u32 {
        self.numbers.rollout_round
    }
    fn start(&self) -> Connect4State {
        self.rules.start()
    }
    fn pack(&self, state: &Connect4State, words: &mut [u32]) {
        self.rules.pack(state, words);
    }
    fn unpack(&self, words: &[u32]) -> Connect4State {
        self.rules.unpack(words)
    }
    fn is_action_legal(&self, state: &Connect4State, turn: Player, action: u32) -> bool {
        self.rules.is_action_legal(state, turn, action)
    }
    fn take_action(&self, state: &mut Connect4State, turn: Player, action: u32) {
        self.rules.take_action(state, turn, action);
    }
    fn compute_outcome(&self, state: &Connect4State, turn: Player, last: Option<u32>) -> Option<Outcome> {
        self.rules.compute_outcome(state, turn, last)
    }
    fn playout_begin(&self, state: &Connect4State, turn: Player) -> Connect4Playout {
        self.rules.playout_begin(state, turn)
    }
    fn legal_actions_playout(&self, playout: &mut Connect4Playout) -> u32 {
        self.rules.legal_actions_playout(playout)
    }
    fn take_action_playout(&self, playout: &mut Connect4Playout, ordinal: u32) -> Option<Outcome> {
        self.rules.take_action_playout(playout, ordinal)
    }
    fn action_name(&self, action: u32) -> String {
        self.rules.action_name(action)
    }
    fn parse_action(&self, name: &str) -> Option<u32> {
        self.rules.parse_action(name)
    }
    fn board_rows(&self, state: &Connect4State) -> Vec<String> {
        self.rules.board_rows(state)
    }
    fn parse_board(&self, rows: &[&str]) -> Result<Connect4State> {
        self.rules.parse_board(rows)
    }
}
