//! A game file as a [`Game`].

use super::{
    contract::{self, Defined},
    guard::{self, Guarded, LoopsEnd, guard},
    header::{self, Board, Header},
    limits,
    parsed::Parsed,
    referee::{Expansion, Referee, Sizes, Successor},
    signs,
    taken::is_taken,
    text::Text,
};
use crate::{
    device::{
        compose::{Composed, Source, constants, files},
        rules::PlayoutMemory,
    },
    engine::Engine,
    error::{Error, Result},
    forest::layout::NO_ACTION,
    rules::{ACTION_WORDS, ActionBits, Game, GameShader, Outcome, Planes, Player, RuleValue, Vouch},
};
use std::{fmt, fs::File, io::Read as _, path::Path, sync::Arc};

/// Greatest number of lanes of a workgroup.
const MOST_LANES: u32 = 1024;

/// A game of one's own, read from a WGSL file ([format](crate::documentation::own_game)). Its rules run on a device,
/// with all run-time checks, and with loops that end: searches and rollouts need an adapter. Clones share the cached
/// results of its rules.
///
/// ```
/// use mcts_wgpu::{Budget, Config, Engine, GameFile, Position, Search};
///
/// const ONE_HEAP: &str = "
/// //! name = \"one-heap\"
/// //! max_actions = 3
/// //! state_words = 1
/// //! max_plies = 10
/// //! start = [10]
///
/// // Who takes the last stone wins. Action a takes a + 1 stones.
/// fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
///     return action < (*state)[0];
/// }
/// fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
///     (*state)[0] -= action + 1u;
/// }
/// fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
///     return select(ONGOING, wins(1u - turn), (*state)[0] == 0u);
/// }
/// ";
///
/// # fn main() -> mcts_wgpu::Result<()> {
/// let engine = Engine::any()?; // a GPU, or a software adapter
/// let game = GameFile::from_wgsl("one-heap.wgsl", ONE_HEAP.trim_start(), &engine)?;
/// let mut search = Search::with_config(&engine, game.clone(), Config::paper())?;
/// let report = search.run(&Position::start(&game), Budget::steps(100))?;
/// // To leave a multiple of four is to win.
/// assert_eq!(report.best.expect("the game goes on").index, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GameFile {
    inner: Arc<Inner>,
}

struct Inner {
    text: Text,
    read: Read,
    names: Vec<String>,
    /// [action]: may it repeat a position? Empty if none may.
    repeaters: Vec<bool>,
    start: Box<[u32]>,
    referee: Referee,
}

impl fmt::Debug for GameFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameFile").field("file", &self.inner.text.file).finish_non_exhaustive()
    }
}

/// A position and the player to move: playouts of a game file run on devices.
#[derive(Debug, Clone)]
pub struct GameFilePlayout {
    state: Box<[u32]>,
    turn: Player,
}

impl GameFile {
    /// Reads a file; the first device of the engine runs its rules for the host.
    ///
    /// # Errors
    /// Bad input if the file can't be read; and as [`from_wgsl`](Self::from_wgsl).
    pub fn open(path: &Path, engine: &Engine) -> Result<Self> {
        let name = path.display().to_string();
        let unread = |error: std::io::Error| Error::invalid(format!("{name}: {error}")).because(error);
        let mut bytes = Vec::new();
        // A byte-order mark may precede the text.
        let most = limits::MOST_BYTES as u64 + 4;
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(unread)?;
        if bytes.len() as u64 == most {
            return Err(Error::invalid(format!("{name}: {}", limits::too_long())));
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| Error::invalid(format!("{name}: this is not text in UTF-8")).because(error))?;
        Self::from_wgsl(&name, &text, engine)
    }

    /// Makes a game of a text; `file` is its name in errors. The first device of the engine runs its rules for the
    /// host.
    ///
    /// # Errors
    /// No adapter, for a CPU engine; shader, pointing at the error in the text; out of memory; device lost.
    pub fn from_wgsl(file: &str, text: &str, engine: &Engine) -> Result<Self> {
        let text = Text { file: file.into(), text: text.trim_start_matches('\u{feff}').into() };
        let read = Read::new(&text)?;
        let Some(device) = engine.first_device() else {
            return Err(needs_a_device(&read.header.name));
        };
        let board = read.header.board.as_ref();
        let sizes = Sizes {
            actions: read.header.max_actions,
            words: read.header.state_words,
            plies: read.header.max_plies,
            board: board.map_or((0, 0), |board| (board.rows, board.columns)),
        };
        let referee = Referee::new(device, &read.shader, sizes, |name| read.defined.has(name))?;
        let by_rules = match read.defined.has("action_name") || read.defined.has("may_repeat") {
            true => referee.actions()?,
            false => Vec::new(),
        };
        let repeaters = by_rules.iter().map(|(_, may_repeat)| *may_repeat).collect();
        let start = match read.defined.has("start_position") {
            true => referee.start()?,
            false => read.header.start.clone().unwrap_or_else(|| vec![0; sizes.words as usize]).into(),
        };
        let by_board = || names_by_board(&referee, board?, (&read.header, &start));
        let names = match read.header.action_names.is_some() || read.defined.has("action_name") {
            true => read.names(&by_rules),
            false => by_board().unwrap_or_else(|| read.names(&by_rules)),
        };
        Ok(Self { inner: Arc::new(Inner { text, read, names, repeaters, start, referee }) })
    }

    /// For people: properties of the file that suggest a mistake, but keep the format.
    pub fn notices(&self) -> &[String] {
        &self.inner.read.notices
    }

    /// The results of the rules for a position.
    pub(crate) fn expansion(&self, state: &[u32], turn: Player) -> Arc<Expansion> {
        self.inner.referee.expansion(state, turn)
    }

    /// Its rules on a device.
    pub(crate) fn referee(&self) -> &Referee {
        &self.inner.referee
    }

    /// The row, the column and the value of a cell without a glyph.
    pub(crate) fn cell_without_glyph(&self, state: &[u32]) -> Option<(u32, u32, u32)> {
        let Board { columns, glyphs, .. } = self.inner.read.header.board.as_ref()?;
        let cells = self.inner.referee.cells(state);
        let (place, cell) = (0..).zip(cells).find(|(_, cell)| *cell as usize >= glyphs.len())?;
        Some((place / columns, place % columns, cell))
    }

    /// Whether it has its own playouts instead of those by the rules.
    pub(crate) fn has_own_playout(&self) -> bool {
        self.inner.read.defined.own_playout
    }

    /// The module that runs the rules for the host.
    ///
    /// # Errors
    /// None: reading the file has found them.
    pub(crate) fn referee_module(&self) -> Result<Composed> {
        self.inner.referee.module(&self.inner.read.shader, |name| self.inner.read.defined.has(name))
    }

    pub(crate) fn file(&self) -> &str {
        &self.inner.text.file
    }
}

/// Names by the board, where each action means a cell of it, row by row: a1 is the upper left one.
fn names_by_board(
    referee: &Referee,
    board: &Board,
    (header, start): (&Header, &[u32]),
) -> Option<Vec<String>> {
    let &Board { rows, columns, .. } = board;
    if rows * columns != header.max_actions || columns > 26 {
        return None;
    }
    // The first and the last legal action of the start must change what stands on their cells.
    let expansion = referee.expansion(start, Player::First);
    let before = referee.cells(start);
    let is_cell = |next: &Successor| {
        let place = next.action as usize;
        referee.cells(&next.state).get(place) != before.get(place)
    };
    let ends = [expansion.successors.first()?, expansion.successors.last()?];
    let letter = |column: u32| char::from(b'a' + column as u8);
    let names =
        (0..header.max_actions).map(|cell| format!("{}{}", letter(cell % columns), cell / columns + 1));
    ends.into_iter().all(is_cell).then(|| names.collect())
}

/// A comment that is not part of the header.
fn is_comment(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("//!")
}

/// FNV-1a.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn needs_a_device(name: &str) -> Error {
    Error::no_adapter(format!(
        "the rules of {name}, a game of a WGSL file, run on an adapter, not on the CPU engine: name an adapter \
         of `mcts-wgpu adapters`; where there is no GPU, install a software one (lavapipe: Debian and Ubuntu have it \
         in the package mesa-vulkan-drivers)"
    ))
}

/// A file that has passed all checks that need no device.
struct Read {
    header: Header,
    defined: Defined,
    shader: GameShader,
    loops_end: LoopsEnd,
    notices: Vec<String>,
}

impl Read {
    fn new(text: &Text) -> Result<Self> {
        limits::check(text)?;
        let header = header::read(text)?;
        let clash = header.constants.keys().find(|name| is_taken(name));
        if let Some(name) = clash {
            return Err(text.error(&format!(
                "the header: the name '{name}' is used by the search itself, or by WGSL: choose another"
            )));
        }
        contract::check_items(text)?;
        let parsed = Parsed::new(text, &joined(&prelude(&header)))?;
        let defined = contract::check_functions(text, &parsed)?;
        check_header_against(text, &header, &defined)?;
        limits::check_module(text, &parsed)?;
        let notices = [contract::notices(text, &defined), signs::notices(text, &parsed)].concat();
        let guarded = guard(text, &parsed, header.max_actions, defined.own_playout)?;
        let loops_end = check_guarded(text, &header, &parsed, &guarded)?;
        let shader = shader(text, &header, &defined, guarded);
        Ok(Self { header, defined, shader, loops_end, notices })
    }

    /// The actions' names. `by_rules`: `action_name` and `may_repeat` of each action.
    fn names(&self, by_rules: &[([u32; 4], bool)]) -> Vec<String> {
        if let Some(names) = &self.header.action_names {
            return names.clone();
        }
        if !self.defined.has("action_name") {
            return (0..self.header.max_actions).map(|action| action.to_string()).collect();
        }
        let names = by_rules.iter().zip(0u32..).map(|((words, _), action)| {
            let bytes: Vec<u8> =
                words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte > 0).collect();
            let name = String::from_utf8(bytes)
                .ok()
                .filter(|name| name.chars().all(|c| c.is_ascii_graphic() && c != ','));
            name.filter(|name| !name.is_empty()).unwrap_or_else(|| action.to_string())
        });
        names.collect()
    }
}

fn check_header_against(text: &Text, header: &Header, defined: &Defined) -> Result<()> {
    let twice = [
        ("start", header.start.is_some(), "start_position"),
        ("action_names", header.action_names.is_some(), "action_name"),
    ];
    if let Some((key, _, function)) = twice.iter().find(|(_, has, function)| *has && defined.has(function)) {
        return Err(
            text.error(&format!("the header has {key} and the rules have {function}: leave one of them out"))
        );
    }
    if header.planes.is_some() != defined.has("planes") {
        return Err(text.error(match header.planes {
            Some(_) => "the header has planes, and there is no function planes; expected: \
                fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32",
            None => "there is a function planes, and the header does not say how many: add `//! planes = 4`, or so",
        }));
    }
    if header.planes.is_some() && header.board.is_none() {
        return Err(
            text.error("the header has planes, and no [board] with rows and columns, which they cover")
        );
    }
    if header.board.is_some() && !defined.has("cell") {
        let expected = "fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32";
        return Err(text.error(&format!(
            "the header has a [board], and there is no function cell; expected: {expected}"
        )));
    }
    if defined.has("cell") && header.board.is_none() {
        return Err(text
            .error("there is a function cell, and no [board] with rows, columns and glyphs in the header"));
    }
    Ok(())
}

/// Definitions that the rules may use, each a source of its own.
fn prelude(header: &Header) -> Vec<Source> {
    let own = header.constants.iter().map(|(name, value)| (name.as_str(), *value));
    let numbers = [
        ("MAX_ACTIONS", header.max_actions),
        ("STATE_WORDS", header.state_words),
        ("MAX_PLIES", header.max_plies),
        ("PLAYOUT_LANES", MOST_LANES),
    ];
    let mut text = constants(numbers.into_iter().chain(own));
    if header.tuning.playout_words > 0 {
        text += &bare_shader(header).declarations(PlayoutMemory::Workgroup { lanes: MOST_LANES }, 0, false);
    }
    [vec![Source::new("(header)", text)], files!["lib/game.wgsl", "lib/u64.wgsl", "lib/rng.wgsl"]].concat()
}

fn joined(sources: &[Source]) -> String {
    sources.iter().map(|source| source.text().to_owned() + "\n").collect()
}

fn bare_shader(header: &Header) -> GameShader {
    GameShader::new("", "", Vec::new(), header.tuning.playout_words)
}

/// Checks that the loops of the rules end, in the module with the guards.
fn check_guarded(text: &Text, header: &Header, parsed: &Parsed, guarded: &Guarded) -> Result<LoopsEnd> {
    if guarded.wrappers.is_empty() {
        return guard::check(text, parsed);
    }
    let mut before = prelude(header);
    before.extend(files!["lib/faults.wgsl", "lib/rules.wgsl"]);
    before.push(Source::new("(wrappers of guarded functions)", &guarded.wrappers));
    let rules = Text { file: text.file.clone(), text: guarded.rules.clone() };
    guard::check(&rules, &Parsed::new(&rules, &joined(&before))?)
}

/// The rules in the form of kernels.
fn shader(text: &Text, header: &Header, defined: &Defined, guarded: Guarded) -> GameShader {
    let mut parts = vec![Source::new(&text.file, guarded.rules)];
    if !defined.own_playout {
        parts.extend(match defined.has("action_weight") {
            true => files!["slots/by_weight.wgsl"],
            false => files!["slots/by_the_rules.wgsl"],
        });
        parts.extend(files!["slots/take_by_the_rules.wgsl"]);
        parts.extend(
            defined
                .has("compute_score")
                .then(|| files!["slots/score_by_the_rules.wgsl"])
                .into_iter()
                .flatten(),
        );
    } else if defined.has("playout_score") && !defined.has("playout_cut_off") {
        let never =
            "fn playout_cut_off(playout: ptr<function, Playout>, lane: u32) -> bool { return false; }\n";
        parts.push(Source::new("(missing optional functions)", never));
    }
    if defined.has("position_key") && !defined.has("may_repeat") {
        let never = "fn may_repeat(action: u32) -> bool { return false; }\n";
        parts.push(Source::new("(missing optional functions)", never));
    }
    parts.extend(defined.renamed.iter().map(|now| Source::new("(functions with former names)", *now)));
    if !guarded.wrappers.is_empty() {
        parts.push(Source::new("(wrappers of guarded functions)", guarded.wrappers));
        parts.extend(files!["lib/rules.wgsl"]);
    }
    let own = header.constants.iter().map(|(name, value)| (name.as_str(), *value));
    let mut shader = GameShader::new("(header)", constants(own), Vec::new(), header.tuning.playout_words)
        .with_ply_iterations(header.tuning.ply_iterations.unwrap_or(guarded.ply_iterations));
    if defined.has("run_playout") {
        shader = shader.with_run_playout(header.tuning.playout_run.unwrap_or(header.max_plies));
    }
    shader.parts =
        parts.into_iter().map(|source| (source.file().to_owned(), source.text().to_owned())).collect();
    shader.has_urgency = defined.has("action_urgency");
    shader.solves = defined.has("solved_outcome");
    shader.has_planes = defined.has("planes");
    shader.weighted = defined.has("action_weight");
    shader.stores_playouts = header.tuning.stores_playouts;
    shader.in_step = header.tuning.in_step;
    shader
}

impl Game for GameFile {
    type State = Box<[u32]>;
    type Playout = GameFilePlayout;

    fn name(&self) -> &str {
        &self.inner.read.header.name
    }
    /// A checksum of the text: different files are different games.
    fn rules(&self) -> Vec<(&'static str, RuleValue)> {
        vec![("checksum", RuleValue::Count(checksum(&self.inner.text.text)))]
    }
    fn max_actions(&self) -> u32 {
        self.inner.read.header.max_actions
    }
    fn max_plies(&self) -> u32 {
        self.inner.read.header.max_plies
    }
    fn state_words(&self) -> u32 {
        self.inner.read.header.state_words
    }
    fn vouch(&self) -> Vouch<Self> {
        self.inner.read.loops_end.vouch()
    }
    fn shader(&self) -> GameShader {
        self.inner.read.shader.clone()
    }

    fn start(&self) -> Self::State {
        self.inner.start.clone()
    }
    fn pack(&self, state: &Self::State, words: &mut [u32]) {
        words.copy_from_slice(state);
    }
    fn unpack(&self, words: &[u32]) -> Self::State {
        words.into()
    }

    fn is_action_legal(&self, state: &Self::State, turn: Player, action: u32) -> bool {
        self.expansion(state, turn).after(action).is_some()
    }
    fn legal_actions(&self, state: &Self::State, turn: Player) -> ActionBits {
        let mut actions = [0; ACTION_WORDS];
        for Successor { action, .. } in &self.expansion(state, turn).successors {
            actions[*action as usize / 64] |= 1 << (action % 64);
        }
        actions
    }
    fn action_urgency(&self, state: &Self::State, turn: Player, action: u32) -> u32 {
        if !self.inner.read.shader.has_urgency {
            return 1;
        }
        self.expansion(state, turn).after(action).map_or(0, |next| next.urgency)
    }
    fn planes(&self) -> Option<Planes> {
        let Header { planes, board, .. } = &self.inner.read.header;
        let board = board.as_ref()?;
        planes.map(|count| Planes { rows: board.rows, columns: board.columns, count })
    }
    fn cell_planes(&self, state: &Self::State, turn: Player, cell: u32) -> u32 {
        self.inner.referee.planes(state, turn).get(cell as usize).copied().unwrap_or(0)
    }
    fn batch_planes(&self, positions: &[(Self::State, Player)]) -> Vec<u32> {
        let views = self.referee().plane_views(positions).unwrap_or_else(|error| {
            self.inner.referee.object(error);
            Vec::new()
        });
        views.into_iter().flat_map(|view| view.cells).collect()
    }
    fn take_action(&self, state: &mut Self::State, turn: Player, action: u32) {
        if let Some(next) = self.expansion(state, turn).after(action) {
            self.inner.referee.took(next, turn.opponent());
            state.clone_from(&next.state);
        }
    }
    /// Without a last action the position is the start, where the game goes on.
    fn compute_outcome(
        &self,
        state: &Self::State,
        turn: Player,
        last_action: Option<u32>,
    ) -> Option<Outcome> {
        let (code, _) = self.inner.referee.verdict(state, turn, last_action?);
        if code > Outcome::FirstWins as u32 {
            let file = self.file();
            self.inner.referee.object(Error::invalid(format!(
                "{file}: compute_outcome gave {code}: return ONGOING, SECOND_WINS, DRAW or FIRST_WINS"
            )));
        }
        Outcome::from_code(code)
    }

    fn playout_begin(&self, state: &Self::State, turn: Player) -> GameFilePlayout {
        GameFilePlayout { state: state.clone(), turn }
    }
    fn legal_actions_playout(&self, playout: &mut GameFilePlayout) -> u32 {
        self.expansion(&playout.state, playout.turn).successors.len() as u32
    }
    fn take_action_playout(&self, playout: &mut GameFilePlayout, ordinal: u32) -> Option<Outcome> {
        let expansion = self.expansion(&playout.state, playout.turn);
        let next = expansion.successors.get(ordinal as usize)?;
        playout.state.clone_from(&next.state);
        playout.turn = playout.turn.opponent();
        Outcome::from_code(next.outcome)
    }
    fn has_weighted_playouts(&self) -> bool {
        self.inner.read.shader.weighted
    }
    /// A placeholder if there are scores; their values are known on devices alone.
    fn playout_score(&self, _playout: &GameFilePlayout) -> Option<i32> {
        self.inner.read.defined.is_scored().then_some(0)
    }
    fn forbids_repetition(&self) -> bool {
        self.inner.read.defined.has("position_key")
    }
    fn position_key(&self, state: &Self::State) -> u64 {
        self.inner.referee.verdict(state, Player::First, NO_ACTION).1
    }
    fn may_repeat(&self, action: u32) -> bool {
        self.inner.repeaters.get(action as usize) == Some(&true)
    }
    fn expansion_stride(&self) -> u32 {
        let usual = self.max_actions().next_power_of_two().clamp(4, 512);
        self.inner.read.header.tuning.expansion_stride.unwrap_or(usual)
    }
    fn rollout_round(&self) -> u32 {
        self.inner.read.header.tuning.rollout_round.unwrap_or(self.max_plies())
    }

    fn look_ahead(&self, positions: &[(Self::State, Player)]) {
        self.inner.referee.look_ahead(positions);
    }
    fn rules_error(&self) -> Option<Error> {
        self.inner.referee.rules_error()
    }
    fn check_runs_in_rust(&self) -> Result<()> {
        Err(needs_a_device(self.name()))
    }

    fn action_name(&self, action: u32) -> String {
        self.inner.names.get(action as usize).cloned().unwrap_or_else(|| action.to_string())
    }
    fn parse_action(&self, name: &str) -> Option<u32> {
        let at = self.inner.names.iter().position(|known| known.eq_ignore_ascii_case(name));
        at.map(|at| at as u32)
    }
    /// The comment before the rules.
    fn description(&self) -> String {
        let lines = self.inner.text.text.lines().skip_while(|line| !is_comment(line));
        let words = lines.take_while(|line| is_comment(line));
        words
            .map(|line| line.trim_start_matches('/').strip_prefix(' ').unwrap_or_default().to_owned() + "\n")
            .collect()
    }
    /// The board, or the words of the position if the file draws no board.
    fn board_rows(&self, state: &Self::State) -> Vec<String> {
        let Some(board) = &self.inner.read.header.board else {
            let words: Vec<_> = state.iter().map(|word| format!("{word:08x}")).collect();
            return vec![words.join(" ")];
        };
        let longest = board.glyphs.iter().map(|glyph| glyph.chars().count()).max();
        let between = if longest > Some(1) { " " } else { "" };
        self.board_cells(state).iter().map(|row| row.join(between)).collect()
    }
    fn board_cells(&self, state: &Self::State) -> Vec<Vec<String>> {
        let Some(board) = &self.inner.read.header.board else {
            let rows = self.board_rows(state);
            return rows.iter().map(|row| row.chars().map(String::from).collect()).collect();
        };
        let glyph = |&cell: &u32| board.glyphs.get(cell as usize).map_or("?", String::as_str).to_owned();
        let cells = self.inner.referee.cells(state);
        cells.chunks(board.columns as usize).map(|row| row.iter().map(glyph).collect()).collect()
    }
    fn parse_board(&self, _rows: &[&str]) -> Result<Self::State> {
        Err(Error::invalid(format!("boards of {} can't be read, only drawn: give its moves", self.name())))
    }
}
