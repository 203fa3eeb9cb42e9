// Go for alpha-beta: two bits a point, as in the paper; moves are undone without a second copy of the board.
//
// Points lie in rows of STRIDE = size + 1, the last column and a row above and below being wall: a point and its
// neighbours are p and p - STRIDE, p - 1, p + 1, p + STRIDE. Plane 0 has the first player's stones, plane 1 the
// second's, a wall has both bits; plane 2 marks a chain or region during a search. board_aux holds the ko (0: none) in
// bits 0 to 9, and the passes just played in bits 10 and 11.
//
// A captured chain leaves a region of empty points that is bounded by the captor's stones alone, so that undoing the
// move finds it again: an undo is board_aux before the move and four bits, the neighbours that were captured.

struct Try {
    legal: bool,
    ends: bool,
    gain: i32,
    // Bit k: the chain at neighbour k is captured (one bit a chain).
    captures: u32,
    // No neighbour is empty or of the same colour.
    lone: bool,
}

const GO_KO: u32 = 0x3ffu;
const GO_NOWHERE: u32 = 0xffffu;
const GO_MARKS: u32 = 2u * PLANE_WORDS;

// Contents of the points that a flood enters; of the last two, the players' stones, no liberty ends the flood.
const GO_EMPTY: u32 = 0u;
const GO_FIRST: u32 = 1u;
const GO_SECOND: u32 = 2u;
const GO_NOT_SECOND: u32 = 3u;
const GO_NOT_FIRST: u32 = 4u;
const GO_ALL_FIRST: u32 = 5u;
const GO_ALL_SECOND: u32 = 6u;

fn go_word(word: u32) -> u32 {
    return sh_board[word * LANES + lane];
}

// 0 empty, 1 first player, 2 second player, 3 wall
fn go_point(point: u32) -> u32 {
    let word = point >> 5u;
    let bit = point & 31u;
    return ((go_word(word) >> bit) & 1u) | (((go_word(PLANE_WORDS + word) >> bit) & 1u) << 1u);
}

fn go_is_marked(point: u32) -> bool {
    return ((go_word(GO_MARKS + (point >> 5u)) >> (point & 31u)) & 1u) != 0u;
}

fn go_neighbour(point: u32, k: u32) -> u32 {
    return point + vec4<u32>(0u, STRIDE - 1u, STRIDE + 1u, 2u * STRIDE)[k] - STRIDE;
}

fn go_bit(point: u32, word: u32) -> u32 {
    return select(0u, 1u << (point & 31u), (point >> 5u) == word);
}

fn go_allowed(kind: u32, word: u32) -> u32 {
    let first = go_word(word);
    let second = go_word(PLANE_WORDS + word);
    switch kind {
        case GO_EMPTY: { return ~(first | second); }
        case GO_FIRST, GO_ALL_FIRST: { return first & ~second; }
        case GO_SECOND, GO_ALL_SECOND: { return second & ~first; }
        case GO_NOT_SECOND: { return ~second; }
        default: { return ~first; }
    }
}

// One word of the points of a plane and all their neighbours.
fn go_spread(plane: u32, word: u32) -> u32 {
    let here = go_word(plane + word);
    var below = 0u;
    var above = 0u;
    if word > 0u {
        below = go_word(plane + word - 1u);
    }
    if word + 1u < PLANE_WORDS {
        above = go_word(plane + word + 1u);
    }
    return here | (here << 1u) | (here >> 1u) | (here << STRIDE) | (here >> STRIDE) | (below >> 31u) | (above << 31u)
        | (below >> (32u - STRIDE)) | (above << (32u - STRIDE));
}

// Grows the marked words low..high over the points of `kind` until nothing changes. Returns true as soon as a chain
// (GO_FIRST, GO_SECOND) has a liberty other than `except`; false means that the marks are complete.
fn go_grow(kind: u32, except: u32, start_low: u32, start_high: u32) -> bool {
    let is_chain = kind == GO_FIRST || kind == GO_SECOND;
    var low = start_low;
    var high = start_high;
    for (var sweep = 0u; sweep < 32u * PLANE_WORDS; sweep++) {
        var changed = false;
        let last = min(high + 1u, PLANE_WORDS - 1u);
        for (var word = max(low, 1u) - 1u; word <= last; word++) {
            work += 1u;
            let near = go_spread(GO_MARKS, word);
            if is_chain && (near & go_allowed(GO_EMPTY, word) & ~go_bit(except, word)) != 0u {
                return true;
            }
            let grown = near & go_allowed(kind, word);
            if grown != go_word(GO_MARKS + word) {
                sh_board[(GO_MARKS + word) * LANES + lane] = grown;
                changed = true;
                low = min(low, word);
                high = max(high, word);
            }
        }
        if !changed {
            break;
        }
    }
    return false;
}

// Marks the chain or region around a point.
fn go_flood(start: u32, kind: u32, except: u32) -> bool {
    work += 2u * PLANE_WORDS;
    for (var word = 0u; word < PLANE_WORDS; word++) {
        sh_board[(GO_MARKS + word) * LANES + lane] = go_bit(start, word);
    }
    return go_grow(kind, except, start >> 5u, start >> 5u);
}

// Whether the chain of a stone has a liberty other than `except`. Most stones have one of their own.
fn go_breathes(stone: u32, kind: u32, except: u32) -> bool {
    for (var k = 0u; k < 4u; k++) {
        let near = go_neighbour(stone, k);
        if near != except && go_point(near) == 0u {
            return true;
        }
    }
    return go_flood(stone, kind, except);
}

// The liberties that the captor's stones get from the marked chain, once a stone stands on `point`.
fn go_capture_gain(point: u32, captor: u32) -> i32 {
    var gain = 0u;
    for (var word = 0u; word < PLANE_WORDS; word++) {
        let marks = go_word(GO_MARKS + word);
        if marks == 0u {
            continue;
        }
        let here = go_captor(point, captor, word);
        var below = 0u;
        var above = 0u;
        if word > 0u {
            below = go_captor(point, captor, word - 1u);
        }
        if word + 1u < PLANE_WORDS {
            above = go_captor(point, captor, word + 1u);
        }
        gain += countOneBits(marks & ((here << 1u) | (below >> 31u)));
        gain += countOneBits(marks & ((here >> 1u) | (above << 31u)));
        gain += countOneBits(marks & ((here << STRIDE) | (below >> (32u - STRIDE))));
        gain += countOneBits(marks & ((here >> STRIDE) | (above << (32u - STRIDE))));
    }
    return i32(gain);
}

fn go_captor(point: u32, captor: u32, word: u32) -> u32 {
    return go_allowed(captor, word) | go_bit(point, word);
}

fn board_is_vacant(point: u32) -> bool {
    return go_point(point) == 0u;
}

// Whether `side` may play on this vacant point, and the gain of its score. Captures aside, the point's neighbours
// less two for each of its own side: the stone's own liberties, less those it takes from its side, plus those it takes
// from the opponent.
fn board_try(point: u32, side: u32) -> Try {
    let mine = side + 1u;
    let theirs = 2u - side;
    let near = vec4<u32>(
        go_point(point - STRIDE), go_point(point - 1u), go_point(point + 1u), go_point(point + STRIDE)
    );
    let own = go_count(near, mine);
    let open = go_count(near, 0u);
    var found = Try(open != 0u, false, 4 - i32(go_count(near, 3u)) - 2 * i32(own), 0u, own + open == 0u);
    if (board_aux & GO_KO) == point {
        found.legal = false;
        return found;
    }
    if open == 0u || any(near == vec4<u32>(theirs)) {
        go_try_chains(point, near, mine, theirs, &found);
    }
    return found;
}

fn go_count(near: vec4<u32>, colour: u32) -> u32 {
    return countOneBits(dot(vec4<u32>(near == vec4<u32>(colour)), vec4<u32>(1u, 2u, 4u, 8u)));
}

// The neighbouring chains: first the opponent's, which may be captured, then its own, which may have a liberty.
fn go_try_chains(point: u32, near: vec4<u32>, mine: u32, theirs: u32, found: ptr<function, Try>) {
    var counted = 0u;
    work += 16u;
    for (var i = 0u; i < 8u; i++) {
        let k = i & 3u;
        let kind = select(theirs, mine, i >= 4u);
        if near[k] != kind || (i < 4u && ((counted >> k) & 1u) != 0u) {
            continue;
        }
        if i >= 4u && (*found).legal {
            return;
        }
        let breathes = go_breathes(go_neighbour(point, k), kind, point);
        if i >= 4u {
            (*found).legal = breathes;
        } else if !breathes {
            (*found).legal = true;
            (*found).captures |= 1u << k;
            (*found).gain += go_capture_gain(point, mine);
            for (var other = k; other < 4u; other++) {
                counted |= u32(go_is_marked(go_neighbour(point, other))) << other;
            }
        }
    }
}

fn board_make(point: u32, side: u32, found: Try) -> Undo {
    let undo = Undo(board_aux | (found.captures << 12u));
    let at = (side * PLANE_WORDS + (point >> 5u)) * LANES + lane;
    sh_board[at] |= 1u << (point & 31u);
    board_aux = 0u;
    if found.captures != 0u {
        go_capture(point, side, found);
    }
    return undo;
}

fn go_capture(point: u32, side: u32, found: Try) {
    var stones = 0u;
    for (var k = 0u; k < 4u; k++) {
        if ((found.captures >> k) & 1u) == 0u {
            continue;
        }
        let near = go_neighbour(point, k);
        _ = go_flood(near, 2u - side, GO_NOWHERE);
        for (var word = 0u; word < PLANE_WORDS; word++) {
            let marks = go_word(GO_MARKS + word);
            stones += countOneBits(marks);
            sh_board[((1u - side) * PLANE_WORDS + word) * LANES + lane] &= ~marks;
        }
        if found.lone && stones == 1u {
            board_aux = near;
        }
    }
    if stones != 1u {
        board_aux = 0u;
    }
}

fn board_unmake(point: u32, side: u32, undo: Undo) {
    board_aux = undo[0] & 0xfffu;
    if point == PASS {
        return;
    }
    for (var k = 0u; k < 4u; k++) {
        if ((undo[0] >> (12u + k)) & 1u) == 0u {
            continue;
        }
        _ = go_flood(go_neighbour(point, k), GO_EMPTY, GO_NOWHERE);
        for (var word = 0u; word < PLANE_WORDS; word++) {
            sh_board[((1u - side) * PLANE_WORDS + word) * LANES + lane] |= go_word(GO_MARKS + word);
        }
    }
    let at = (side * PLANE_WORDS + (point >> 5u)) * LANES + lane;
    sh_board[at] &= ~(1u << (point & 31u));
}

fn board_pass() -> Undo {
    let undo = Undo(board_aux);
    board_aux = ((board_aux >> 10u) + 1u) << 10u;
    return undo;
}

// No legal point: the second pass ends the game, by area.
fn board_stuck(side: u32, score: i32) -> Stuck {
    if (board_aux >> 10u) == 0u {
        return Stuck(false, true, score);
    }
    let area = go_reach(GO_NOT_SECOND) - go_reach(GO_NOT_FIRST);
    return Stuck(true, true, AREA_UNIT * select(area, -area, side == 1u));
}

// The stones of one side and the empty points that they reach. Points that both reach cancel out in the difference.
fn go_reach(kind: u32) -> i32 {
    let colour = select(GO_SECOND, GO_FIRST, kind == GO_NOT_SECOND);
    for (var word = 0u; word < PLANE_WORDS; word++) {
        sh_board[(GO_MARKS + word) * LANES + lane] = go_allowed(colour, word);
    }
    _ = go_grow(kind, GO_NOWHERE, 0u, PLANE_WORDS - 1u);
    var reached = 0u;
    for (var word = 0u; word < PLANE_WORDS; word++) {
        reached += countOneBits(go_word(GO_MARKS + word));
    }
    return i32(reached);
}

// Pruning of the last plies. A stone that captures nothing adds 4 to its player's score, less the level of its point:
// the walls around it and twice the own stones there. Levels are counted for 32 points at once, as planes of four bits.

// Above all levels.
const GO_NO_LEVEL: u32 = 15u;

// 32 points and their surroundings, one bit a point.
struct GoWord {
    vacant: u32,
    // Vacant points and stones with an empty neighbour, and with two.
    open: u32,
    wide: u32,
    // The level for the mover and for the opponent.
    level: vec4<u32>,
    reply: vec4<u32>,
}

// The best moves of both sides in a position.
struct GoSurvey {
    // The mover's least level on a point where it may certainly play, such a point, and their number.
    level: u32,
    point: u32,
    count: u32,
    // The opponent's least level on a point that is left after the mover's next stone, unless that stone is on it; the
    // point, if it is the only one.
    reply: u32,
    reply_point: u32,
    // There is a vacant point without an empty neighbour.
    tight: bool,
    // A stone of the opponent may be in atari; GO_MARKS has those that may.
    weak: bool,
}

// The neighbours of 32 points, by direction.
fn go_around(below: u32, here: u32, above: u32) -> vec4<u32> {
    return vec4<u32>(
        (here << 1u) | (below >> 31u), (here >> 1u) | (above << 31u),
        (here << STRIDE) | (below >> (32u - STRIDE)), (here >> STRIDE) | (above << (32u - STRIDE))
    );
}

// The number of set bits among four, as planes of 1, 2 and 4.
fn go_sum(bits: vec4<u32>) -> vec3<u32> {
    let odd = bits.xz ^ bits.yw;
    let two = bits.xz & bits.yw;
    return vec3<u32>(odd.x ^ odd.y, two.x ^ two.y ^ (odd.x & odd.y), two.x & two.y);
}

fn go_level(walls: vec3<u32>, own: vec3<u32>) -> vec4<u32> {
    let both = walls.y & own.x;
    return vec4<u32>(walls.x, walls.y ^ own.x, own.y | both, own.z);
}

// Reads one word of points. Beyond the planes is wall.
fn go_look(word: u32, side: u32) -> GoWord {
    var own = vec3<u32>(~0u);
    var other = vec3<u32>(~0u);
    let mine = side * PLANE_WORDS + word;
    let theirs = (1u - side) * PLANE_WORDS + word;
    if word > 0u {
        own.x = go_word(mine - 1u);
        other.x = go_word(theirs - 1u);
    }
    own.y = go_word(mine);
    other.y = go_word(theirs);
    if word + 1u < PLANE_WORDS {
        own.z = go_word(mine + 1u);
        other.z = go_word(theirs + 1u);
    }
    let wall = own & other;
    let vacant = ~(own | other);
    own &= ~wall;
    other &= ~wall;
    let walls = go_sum(go_around(wall.x, wall.y, wall.z));
    let empty = go_sum(go_around(vacant.x, vacant.y, vacant.z));
    let near_own = go_sum(go_around(own.x, own.y, own.z));
    let near_other = go_sum(go_around(other.x, other.y, other.z));
    let wide = empty.y | empty.z;
    return GoWord(vacant.y, empty.x | wide, wide, go_level(walls, near_own), go_level(walls, near_other));
}

// The least level in a set of points that is not empty, and the points with it.
fn go_least(level: vec4<u32>, points: u32) -> vec2<u32> {
    var least = vec2<u32>(0u, points);
    least = go_narrow(least, level.w);
    least = go_narrow(least, level.z);
    least = go_narrow(least, level.y);
    return go_narrow(least, level.x);
}

fn go_narrow(found: vec2<u32>, bit: u32) -> vec2<u32> {
    let without = found.y & ~bit;
    return vec2<u32>(found.x * 2u + u32(without == 0u), select(without, found.y, without == 0u));
}

// The points whose level is less than `bound`, and those where it equals it.
fn go_compare(level: vec4<u32>, bound: u32) -> vec2<u32> {
    var found = vec2<u32>(0u, ~0u);
    found = go_compare_bit(found, level.w, (bound & 8u) != 0u);
    found = go_compare_bit(found, level.z, (bound & 4u) != 0u);
    found = go_compare_bit(found, level.y, (bound & 2u) != 0u);
    return go_compare_bit(found, level.x, (bound & 1u) != 0u);
}

fn go_compare_bit(found: vec2<u32>, bit: u32, is_set: bool) -> vec2<u32> {
    if is_set {
        return vec2<u32>(found.x | (found.y & ~bit), found.y & bit);
    }
    return vec2<u32>(found.x, found.y & ~bit);
}

fn go_survey(side: u32) -> GoSurvey {
    var found = GoSurvey(GO_NO_LEVEL, NO_MOVE, 0u, GO_NO_LEVEL, NO_MOVE, false, false);
    var weak = 0u;
    work += PLANE_WORDS;
    for (var word = 0u; word < PLANE_WORDS; word++) {
        let here = go_look(word, side);
        found.tight = found.tight || (here.vacant & ~here.open) != 0u;
        // The ko is not among them: it is surrounded by walls and stones of the side that took it.
        let certain = here.vacant & here.open;
        let least = go_least(here.level, certain);
        found.count += countOneBits(certain);
        if certain != 0u && least.x < found.level {
            found.level = least.x;
            found.point = 32u * word + firstTrailingBit(least.y);
        }
        let left = here.vacant & here.wide;
        let reply = go_least(here.reply, left);
        if left != 0u && reply.x <= found.reply {
            let is_only = reply.x < found.reply && countOneBits(reply.y) == 1u;
            found.reply_point = select(NO_MOVE, 32u * word + firstTrailingBit(reply.y), is_only);
            found.reply = reply.x;
        }
        let theirs = go_allowed(GO_SECOND - side, word);
        weak |= theirs & ~here.wide;
        sh_board[(GO_MARKS + word) * LANES + lane] = theirs & here.wide;
    }
    if weak != 0u {
        found.weak = go_mark_weak(GO_ALL_SECOND - side);
    }
    return found;
}

// Marks the stones of one side that may be in atari: those without two liberties of their own (the marked ones have
// them) whose chain has no marked stone. Returns whether there are any.
fn go_mark_weak(kind: u32) -> bool {
    _ = go_grow(kind, GO_NOWHERE, 0u, PLANE_WORDS - 1u);
    var weak = 0u;
    work += PLANE_WORDS;
    for (var word = 0u; word < PLANE_WORDS; word++) {
        let marks = go_allowed(kind, word) & ~go_word(GO_MARKS + word);
        sh_board[(GO_MARKS + word) * LANES + lane] = marks;
        weak |= marks;
    }
    return weak != 0u;
}

// The moves of the last two plies that have to be tried. Moves that gain no more than `bar` need not be; with `left` 2,
// the gain is that of the move less the least gain of the opponent's reply.
fn board_glance(side: u32, left: u32, after: u32, killer: u32, bar: i32, enough: i32) -> Glance {
    let survey = go_survey(side);
    let gain = 4 - i32(survey.level);
    let is_last = left == 1u;
    if is_last && survey.count != 0u && gain >= enough {
        return Glance(survey.point, gain, survey.count, EXHAUSTED);
    }
    // If no point is certain, all have to be tried, as there may be no move.
    var limit = i32(GO_NO_LEVEL);
    if survey.count != 0u && is_last {
        limit = 4 - max(bar, gain);
    } else if survey.count != 0u && survey.reply != GO_NO_LEVEL {
        limit = i32(survey.reply) - bar;
    }
    let next = go_next(side, is_last, after, killer, u32(clamp(limit, 0, i32(GO_NO_LEVEL))), survey);
    return Glance(select(NO_MOVE, survey.point, is_last), gain, survey.count, next);
}

// The move to be tried after `after`, as level << 10 | point: captures, which a level does not measure, and vacant
// points whose level is less than `limit`. At the last ply the survey covers the points where one may certainly play;
// before it, also the only best reply, as the survey does not cover the position after taking it.
fn go_next(side: u32, is_last: bool, after: u32, killer: u32, limit: u32, survey: GoSurvey) -> u32 {
    var next = EXHAUSTED;
    let is_settled = survey.level >= limit && survey.reply_point == NO_MOVE;
    if !survey.weak && !survey.tight && (is_last || is_settled) {
        return next;
    }
    work += PLANE_WORDS;
    for (var word = 0u; word < PLANE_WORDS; word++) {
        let here = go_look(word, side);
        var level = here.level;
        var points = go_compare(level, limit).x;
        if is_last {
            points &= ~here.open;
        } else {
            points |= go_bit(survey.reply_point, word);
        }
        if survey.weak {
            let captures = go_spread(GO_MARKS, word);
            points |= captures;
            level &= vec4<u32>(~captures);
        }
        let order = go_compare(level, after >> 10u);
        points &= ~(order.x | (order.y & go_up_to(after & NO_MOVE, word)));
        points &= here.vacant & ~go_bit(killer, word);
        if points != 0u {
            let least = go_least(level, points);
            next = min(next, (least.x << 10u) | (32u * word + firstTrailingBit(least.y)));
        }
    }
    return next;
}

// The points of a word up to this one.
fn go_up_to(point: u32, word: u32) -> u32 {
    let here = (2u << (point & 31u)) - 1u;
    return select(select(0u, here, word == (point >> 5u)), ~0u, word < (point >> 5u));
}
