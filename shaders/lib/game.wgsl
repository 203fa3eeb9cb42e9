// Definitions that games and stages share: players, outcomes, packed positions. The contract is games/README.md, the
// Rust side src/rules/game.rs. Needs the generated constants MAX_ACTIONS, STATE_WORDS and PLAYOUT_LANES.

// Players; the opponent of `turn` is `1u - turn`.
const FIRST: u32 = 0u;
const SECOND: u32 = 1u;

const ONGOING: u32 = 0u;
const SECOND_WINS: u32 = 1u;
const DRAW: u32 = 2u;
const FIRST_WINS: u32 = 3u;

// An unknown last action.
const NO_ACTION: u32 = 0xffffffffu;

// The greatest urgency of an action (action_urgency).
const MAX_URGENCY: u32 = 4u;
// The least urgency whose actions may replace all less urgent ones without changing the outcome of best play.
const FORCING_URGENCY: u32 = 2u;

// The greatest value of action_prior: the mover wins.
const MAX_PRIOR: u32 = 64u;

// The place of an action that plays at none (first_place).
const NO_FIRST_PLACE: u32 = 0xffffffffu;

// A part of a playout: its outcome at the end of the part, and the plies made.
struct PlayoutRun {
    outcome: u32,
    plies: u32,
}

alias State = array<u32, STATE_WORDS>;

// The first planes of most games: own stones, the opponent's, ones, and ones where the first player is to move. `stone`
// is the owner of the stone at the place, as in `cell`: 0 none, 1 the first player, 2 the second player.
fn stone_planes(stone: u32, turn: u32) -> u32 {
    let seen = select(stone, (stone >> 1u) | ((stone & 1u) << 1u), turn == SECOND);
    return seen | 4u | ((1u - turn) << 3u);
}

// The outcome in which `player` has won.
fn wins(player: u32) -> u32 {
    return FIRST_WINS - 2u * player;
}
