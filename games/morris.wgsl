//! name = "morris"
//! max_actions = 169
//! state_words = 3
//! max_plies = 300
//! start = [0x09000000, 0x09000000, 0]
//! [board]
//! rows = 7
//! columns = 7
//! glyphs = ".XO-| "
// Nine men's morris on 24 points, with flying. Both players first put nine men on empty points, one a turn. After that
// a man moves along a line to an empty point beside it. A player with three men left moves any of them to any empty
// point. Whoever gets three men in a row on a line, a mill, takes one man of the other player off: none that stands in
// a mill, unless all do. A player with fewer than three men left or without a move has lost. After 300 plies the game
// is a draw. With best play and without that limit it is one (Ralph Gasser, "Solving Nine Men's Morris", Games of No
// Chance, 1996).
//
// Turns always alternate. So the opponent passes before the owner of a new mill takes a man, and before a player who
// has lifted a man to fly puts it down. Actions, for point p:
//   p               puts a man on p, from the hand or after a lift
//   24 + p          takes the other player's man from p
//   48 + p          lifts one's own man from p, to put it down elsewhere
//   72 + 4 * p + d  moves a man from p clockwise (d = 0), against the clock (1), outward (2), or inward (3)
//   168             passes, where the other player is in the middle of a turn
//
// Points 0 to 7 are the outer square, clockwise from its upper left corner, 8 to 15 the middle one, 16 to 23 the inner
// one. A square is a byte of a word, its corners the even bits. Words 0 and 1 of the state have the men of the first
// and second player on the board (bits 0 to 23) and in the hand (from bit 24 on). Word 2 has the stage of the turn
// (bits 0 to 2), the point from which a man was lifted (3 to 7), and the number of plies (from bit 8 on).

const MORRIS_TAKE: u32 = 24u;
const MORRIS_LIFT: u32 = 48u;
const MORRIS_SLIDE: u32 = 72u;
const MORRIS_PASS: u32 = 168u;

// Stages of a turn. A pass ends an AWAITS, and the stage after it begins.
const MORRIS_FREE: u32 = 0u;
const MORRIS_AWAITS_TAKE: u32 = 1u;
const MORRIS_TAKES: u32 = 2u;
const MORRIS_AWAITS_LANDING: u32 = 3u;
const MORRIS_LANDS: u32 = 4u;

const MORRIS_POINTS: u32 = 0x00ffffffu;
const MORRIS_ONE_IN_HAND: u32 = 0x01000000u;
const MORRIS_ONE_PLY: u32 = 0x100u;
// The points from which a side of a square begins, clockwise, and the outer points of the lines across the squares.
const MORRIS_CORNERS: u32 = 0x00555555u;
const MORRIS_SPOKES: u32 = 0x000000aau;

fn morris_men(state: ptr<function, State>, player: u32) -> u32 {
    return (*state)[player] & MORRIS_POINTS;
}

fn morris_in_hand(state: ptr<function, State>, player: u32) -> u32 {
    return (*state)[player] >> 24u;
}

fn morris_stage(state: ptr<function, State>) -> u32 {
    return (*state)[2] & 7u;
}

fn morris_empty(state: ptr<function, State>) -> u32 {
    return MORRIS_POINTS & ~((*state)[FIRST] | (*state)[SECOND]);
}

// Points one step further on their squares.
fn morris_clockwise(points: u32) -> u32 {
    return ((points << 1u) & 0x00fefefeu) | ((points >> 7u) & 0x00010101u);
}

fn morris_against_clock(points: u32) -> u32 {
    return ((points >> 1u) & 0x007f7f7fu) | ((points << 7u) & 0x00808080u);
}

// Points moved one step in each direction of a slide. Only the middles of sides have lines outward and inward.
fn morris_slid(points: u32) -> vec4<u32> {
    return vec4<u32>(
        morris_clockwise(points),
        morris_against_clock(points),
        (points >> 8u) & 0x0000aaaau,
        (points << 8u) & 0x00aaaa00u,
    );
}

// The men that stand in mills.
fn morris_in_mills(men: u32) -> u32 {
    let second = morris_against_clock(men);
    let sides = men & second & morris_against_clock(second) & MORRIS_CORNERS;
    let middles = morris_clockwise(sides);
    let spokes = men & (men >> 8u) & (men >> 16u) & MORRIS_SPOKES;
    return sides | middles | morris_clockwise(middles) | (0x10101u * spokes);
}

fn morris_can_slide(state: ptr<function, State>, player: u32) -> bool {
    let goals = morris_slid(morris_men(state, player)) & vec4<u32>(morris_empty(state));
    return any(goals != vec4<u32>(0u));
}

// The points of the other player's men that may be taken.
fn morris_prey(state: ptr<function, State>, turn: u32) -> u32 {
    let men = morris_men(state, 1u - turn);
    let outside = men & ~morris_in_mills(men);
    return select(outside, men, outside == 0u);
}

// In a free turn: put a man, fly, or slide.
fn morris_is_free_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let men = morris_men(state, turn);
    if morris_in_hand(state, turn) > 0u {
        return action < MORRIS_TAKE && ((morris_empty(state) >> action) & 1u) != 0u;
    }
    if countOneBits(men) == 3u {
        return action >= MORRIS_LIFT && action < MORRIS_SLIDE && ((men >> (action - MORRIS_LIFT)) & 1u) != 0u;
    }
    if action < MORRIS_SLIDE || action == MORRIS_PASS {
        return false;
    }
    let man = men & (1u << ((action - MORRIS_SLIDE) / 4u));
    return (morris_slid(man)[action % 4u] & morris_empty(state)) != 0u;
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    switch morris_stage(state) {
        case MORRIS_FREE: {
            return morris_is_free_action_legal(state, turn, action);
        }
        case MORRIS_TAKES: {
            let point = action - MORRIS_TAKE;
            return point < 24u && ((morris_prey(state, turn) >> point) & 1u) != 0u;
        }
        case MORRIS_LANDS: {
            let origin = ((*state)[2] >> 3u) & 31u;
            return action < MORRIS_TAKE && action != origin && ((morris_empty(state) >> action) & 1u) != 0u;
        }
        default: {
            return action == MORRIS_PASS;
        }
    }
}

// A man has come to a point, which may close a mill.
fn morris_stage_after(state: ptr<function, State>, turn: u32, goal: u32) -> u32 {
    let in_mills = morris_in_mills(morris_men(state, turn));
    return select(MORRIS_FREE, MORRIS_AWAITS_TAKE, (in_mills & goal) != 0u);
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    let plies = ((*state)[2] & ~(MORRIS_ONE_PLY - 1u)) + MORRIS_ONE_PLY;
    var stage = MORRIS_FREE;
    if action < MORRIS_TAKE {
        let from_hand = select(0u, MORRIS_ONE_IN_HAND, morris_stage(state) == MORRIS_FREE);
        (*state)[turn] = ((*state)[turn] | (1u << action)) - from_hand;
        stage = morris_stage_after(state, turn, 1u << action);
    } else if action < MORRIS_LIFT {
        (*state)[1u - turn] &= ~(1u << (action - MORRIS_TAKE));
    } else if action < MORRIS_SLIDE {
        (*state)[turn] &= ~(1u << (action - MORRIS_LIFT));
        stage = MORRIS_AWAITS_LANDING | ((action - MORRIS_LIFT) << 3u);
    } else if action < MORRIS_PASS {
        let man = 1u << ((action - MORRIS_SLIDE) / 4u);
        let goal = morris_slid(man)[action % 4u];
        (*state)[turn] ^= man | goal;
        stage = morris_stage_after(state, turn, goal);
    } else {
        stage = ((*state)[2] & 0xffu) + 1u;
    }
    (*state)[2] = plies | stage;
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let men = countOneBits(morris_men(state, turn));
    let in_hand = morris_in_hand(state, turn);
    let must_slide = in_hand == 0u && men > 3u;
    let has_lost = men + in_hand < 3u || (must_slide && !morris_can_slide(state, turn));
    if morris_stage(state) == MORRIS_FREE && has_lost {
        return wins(1u - turn);
    }
    return select(ONGOING, DRAW, (*state)[2] >= MAX_PLIES * MORRIS_ONE_PLY);
}

// A point by its column, a to g, and its row, 1 to 7 from the bottom. On each square the points lie, clockwise, in its
// columns 0, 1, 2, 2, 2, 1, 0, 0 and rows 0, 0, 0, 1, 2, 2, 2, 1.
fn morris_point_name(point: u32) -> u32 {
    let shift = 2u * (point % 8u);
    let distance = 3u - point / 8u;
    let column = 3u + ((0x06a4u >> shift) & 3u) * distance - distance;
    let row = 3u + ((0x6a40u >> shift) & 3u) * distance - distance;
    return (97u + column) | ((55u - row) << 8u);
}

// a7 puts a man on a point, xa7 takes one, a7^ lifts one, a7-d7 moves one.
fn action_name(action: u32) -> vec4<u32> {
    if action < MORRIS_TAKE {
        return vec4<u32>(morris_point_name(action), 0u, 0u, 0u);
    }
    if action < MORRIS_LIFT {
        return vec4<u32>(120u | (morris_point_name(action - MORRIS_TAKE) << 8u), 0u, 0u, 0u);
    }
    if action < MORRIS_SLIDE {
        return vec4<u32>(morris_point_name(action - MORRIS_LIFT) | (94u << 16u), 0u, 0u, 0u);
    }
    if action == MORRIS_PASS {
        return vec4<u32>(0x73736170u, 0u, 0u, 0u);
    }
    let point = (action - MORRIS_SLIDE) / 4u;
    let along = (point & 24u) | ((point + select(7u, 1u, (action & 1u) == 0u)) & 7u);
    let across = (point + select(8u, 16u, (action & 1u) == 0u)) % 24u;
    let goal = morris_point_name(select(along, across, (action & 2u) != 0u));
    return vec4<u32>(morris_point_name(point) | (45u << 16u) | (goal << 24u), goal >> 8u, 0u, 0u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    // Steps down and to the right of the middle; row 3 of column 3 is in none of the squares.
    let y = i32(row) - 3;
    let x = i32(column) - 3;
    let distance = max(abs(x), abs(y));
    if distance == 0 {
        return 5u;
    }
    if x != 0 && y != 0 && abs(x) != abs(y) {
        return select(4u, 3u, abs(y) == distance);
    }
    // The point's number on its square, clockwise from the upper left corner.
    var number = 0u;
    if y < 0 {
        number = u32(sign(x) + 1);
    } else if y > 0 {
        number = u32(5 - sign(x));
    } else {
        number = select(7u, 3u, x > 0);
    }
    let point = u32(3 - distance) * 8u + number;
    return (((*state)[FIRST] >> point) & 1u) + 2u * (((*state)[SECOND] >> point) & 1u);
}
