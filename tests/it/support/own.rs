//! A wrapper of a game that changes parts of it.

use mcts_wgpu::{Game, GameShader, Outcome, Planes, Player, Result, games::Connect4};
use std::sync::atomic::{AtomicU32, Ordering};

/// A `run_playout` that plays plies one by one.
pub const RUN: &str =
    "fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
    var run = PlayoutRun(ONGOING, 0u);
    while run.outcome == ONGOING && run.plies < most {
        let count = legal_actions_playout(playout, lane);
        run.outcome = take_action_playout(playout, rng_pick(rng, count), lane);
        run.plies++;
    }
    return run;
}
";

/// The sizes of a game.
#[derive(Debug, Clone)]
pub struct Numbers {
    pub max_actions: u32,
    pub max_plies: u32,
    pub state_words: u32,
    pub expansion_stride: u32,
    pub rollout_round: u32,
    pub planes: Option<Planes>,
}

/// A mistake in the Rust side alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Action 0 is never legal.
    Legality,
    /// The last word is not written.
    Packing,
    /// There are no outcomes without the last action.
    Outcome,
    /// Nobody ever wins by the rules of the tree.
    NoWins,
    /// Action 0 has the name of action 1.
    Names,
    /// Boards are read upside down.
    Boards,
    /// No state is valid.
    States,
    /// Playouts take the place after the requested one.
    Places,
    /// Scores have the wrong sign.
    Scores,
    /// Half of all positions have one key, and the others another one.
    Keys,
    /// Action 0 is not urgent.
    Pruning,
    /// Action 0 has a higher prior.
    Knowledge,
    /// Solved outcomes are a ply late.
    Foresight,
    /// Playouts go on without a legal action.
    EmptyPlayouts,
    /// Results of a function change from call to call.
    Inconsistent(Question),
}

/// Functions of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    Legality,
    Worth,
    Prior,
    Foresight,
    Outcome,
    Key,
    Repetition,
    Actions,
    Words,
    Plies,
}

impl Question {
    pub const ALL: [Self; 10] = {
        use Question::*;
        [Legality, Worth, Prior, Foresight, Outcome, Key, Repetition, Actions, Words, Plies]
    };
}

/// Calls of functions that change their answers.
static CALLS: AtomicU32 = AtomicU32::new(0);

/// Connect 4 without solved outcomes: its trees are large enough to show all mistakes, and lines go on to the end.
pub fn blind_connect4(rows: u32, columns: u32) -> Own<Connect4> {
    Own::new(Connect4::new(rows, columns).expect("the board exists")).without_foresight()
}

/// A game with other sizes, with another shader, or with a mistake.
#[derive(Debug, Clone)]
pub struct Own<G: Game = Connect4> {
    pub rules: G,
    pub numbers: Numbers,
    pub shader: GameShader,
    pub mistake: Option<Mistake>,
}

impl<G: Game> Own<G> {
    /// A game as it is, with its own shader.
    pub fn new(rules: G) -> Self {
        let numbers = Numbers {
            max_actions: rules.max_actions(),
            max_plies: rules.max_plies(),
            state_words: rules.state_words(),
            expansion_stride: rules.expansion_stride(),
            rollout_round: rules.rollout_round(),
            planes: rules.planes(),
        };
        Self { shader: rules.shader(), rules, numbers, mistake: None }
    }

    /// The same game ply by ply, in which `function` of the WGSL is renamed to `inner_...`, and `text` defines it anew.
    pub fn with(mut self, function: &str, text: &str) -> Self {
        let (old, new) = (format!("fn {function}("), format!("fn inner_{function}("));
        self.replace(&old, &new);
        self.shader.source += text;
        self.shader.playout_run = None;
        self
    }

    /// The same game with a replacement in its WGSL.
    pub fn with_words(mut self, from: &str, to: &str) -> Self {
        self.replace(from, to);
        self
    }

    /// The same game without solved outcomes.
    pub fn without_foresight(mut self) -> Self {
        self.shader.solves = false;
        self.replace("fn solved_outcome(", "fn unasked(");
        self
    }

    fn replace(&mut self, from: &str, to: &str) {
        let parts = self.shader.parts.iter_mut().map(|(_, source)| source);
        let mut found = false;
        for source in parts.chain([&mut self.shader.source]) {
            found |= source.contains(from);
            *source = source.replace(from, to);
        }
        assert!(found, "'{from}' is not in the shader");
    }

    /// The same game with many plies a call, by a `run_playout` of its own.
    pub fn with_run(self, text: &str) -> Self {
        let mut own = self.with("run_playout", text);
        own.shader = own.shader.with_run_playout(6);
        own
    }

    pub fn with_max_plies(mut self, max_plies: u32) -> Self {
        self.numbers.max_plies = max_plies;
        self
    }

    pub fn with_mistake(self, mistake: Mistake) -> Self {
        Self { mistake: Some(mistake), ..self }
    }

    fn has(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    /// Whether this is a call with a changed answer.
    fn turns(&self, question: Question) -> bool {
        self.has(Mistake::Inconsistent(question)) && CALLS.fetch_add(1, Ordering::Relaxed) % 7 == 6
    }
}

/// Functions that are those of the rules.
macro_rules! of_the_rules {
    ($(fn $name:ident(&self $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => {
        $(fn $name(&self $(, $argument: $type)*) -> $result {
            self.rules.$name($($argument),*)
        })*
    };
}

impl<G: Game> Game for Own<G> {
    type State = G::State;
    type Playout = G::Playout;

    of_the_rules! {
        fn start(&self) -> G::State;
        fn unpack(&self, words: &[u32]) -> G::State;
        fn cell_planes(&self, state: &G::State, turn: Player, cell: u32) -> u32;
        fn take_action(&self, state: &mut G::State, turn: Player, action: u32) -> ();
        fn playout_begin(&self, state: &G::State, turn: Player) -> G::Playout;
        fn has_weighted_playouts(&self) -> bool;
        fn playouts_look_back(&self) -> bool;
        fn is_playout_cut_off(&self, playout: &G::Playout) -> bool;
        fn may_repeat(&self, action: u32) -> bool;
        fn parse_action(&self, name: &str) -> Option<u32>;
        fn board_rows(&self, state: &G::State) -> Vec<String>;
    }

    fn shader(&self) -> GameShader {
        self.shader.clone()
    }

    fn name(&self) -> &'static str {
        "own"
    }
    fn max_actions(&self) -> u32 {
        self.numbers.max_actions + u32::from(self.turns(Question::Actions))
    }
    fn max_plies(&self) -> u32 {
        self.numbers.max_plies - u32::from(self.turns(Question::Plies))
    }
    fn state_words(&self) -> u32 {
        self.numbers.state_words + u32::from(self.turns(Question::Words))
    }
    fn expansion_stride(&self) -> u32 {
        self.numbers.expansion_stride
    }
    fn rollout_round(&self) -> u32 {
        self.numbers.rollout_round
    }
    fn check_state(&self, state: &G::State) -> Result<()> {
        if self.has(Mistake::States) {
            self.rules.parse_board(&[])?;
        }
        self.rules.check_state(state)
    }
    fn pack(&self, state: &G::State, words: &mut [u32]) {
        let last = *words.last().expect("a word");
        self.rules.pack(state, words);
        if self.has(Mistake::Packing) {
            *words.last_mut().expect("a word") = last;
        }
    }
    fn is_action_legal(&self, state: &G::State, turn: Player, action: u32) -> bool {
        let denied = action == 0 && self.has(Mistake::Legality) || self.turns(Question::Legality);
        !denied && self.rules.is_action_legal(state, turn, action)
    }
    fn action_urgency(&self, state: &G::State, turn: Player, action: u32) -> u32 {
        let left_out = action == 0 && self.has(Mistake::Pruning) || self.turns(Question::Worth);
        if left_out { 0 } else { self.rules.action_urgency(state, turn, action) }
    }
    fn action_prior(&self, state: &G::State, turn: Player, action: u32, last: Option<u32>) -> u32 {
        let more = action == 0 && self.has(Mistake::Knowledge) || self.turns(Question::Prior);
        self.rules.action_prior(state, turn, action, last) + u32::from(more)
    }
    fn solved_outcome(&self, state: &G::State, turn: Player) -> Option<(Outcome, u32)> {
        if self.turns(Question::Foresight) {
            return Some((Outcome::Draw, u32::MAX));
        }
        let foreseen = self.rules.solved_outcome(state, turn).filter(|_| self.shader.solves);
        foreseen.map(|(outcome, plies)| (outcome, plies + u32::from(self.has(Mistake::Foresight))))
    }
    fn planes(&self) -> Option<Planes> {
        self.numbers.planes
    }
    fn compute_outcome(&self, state: &G::State, turn: Player, last: Option<u32>) -> Option<Outcome> {
        let outcome = self.rules.compute_outcome(state, turn, last);
        let unseen = self.has(Mistake::Outcome) && last.is_none() || self.turns(Question::Outcome);
        outcome.filter(|outcome| !(unseen || self.has(Mistake::NoWins) && *outcome != Outcome::Draw))
    }
    fn legal_actions_playout(&self, playout: &mut G::Playout) -> u32 {
        if self.has(Mistake::EmptyPlayouts) {
            return 0;
        }
        self.rules.legal_actions_playout(playout)
    }
    fn take_action_playout(&self, playout: &mut G::Playout, ordinal: u32) -> Option<Outcome> {
        if self.has(Mistake::Places) {
            let count = self.rules.legal_actions_playout(playout);
            return self.rules.take_action_playout(playout, (ordinal + 1) % count);
        }
        self.rules.take_action_playout(playout, ordinal)
    }
    fn playout_score(&self, playout: &G::Playout) -> Option<i32> {
        let sign = if self.has(Mistake::Scores) { -1 } else { 1 };
        self.rules.playout_score(playout).map(|score| sign * score)
    }
    fn forbids_repetition(&self) -> bool {
        self.rules.forbids_repetition() != self.turns(Question::Repetition)
    }
    fn position_key(&self, state: &G::State) -> u64 {
        if self.turns(Question::Key) {
            return 0;
        }
        self.rules.position_key(state) & if self.has(Mistake::Keys) { 1 } else { u64::MAX }
    }
    fn action_name(&self, action: u32) -> String {
        self.rules.action_name(action.max(self.has(Mistake::Names).into()))
    }
    fn parse_board(&self, rows: &[&str]) -> Result<G::State> {
        let mut rows = rows.to_vec();
        if self.has(Mistake::Boards) {
            rows.reverse();
        }
        self.rules.parse_board(&rows)
    }
}
