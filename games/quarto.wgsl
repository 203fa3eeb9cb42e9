//! name = "quarto"
//! max_actions = 272
//! state_words = 4
//! max_plies = 17
//! [board]
//! rows = 6
//! columns = 4
//! glyphs = ". 0123456789ABCDEF"
// Quarto (Blaise Mueller, 1991) on 4 x 4 squares. Sixteen pieces differ in four properties, each of which a piece has
// or lacks: a piece is a number of four bits, written as a digit from 0 to F. The opponent chooses the piece that a
// player has to place. Who completes a line of four (a row, a column or a diagonal) whose pieces all have a property,
// or all lack it, wins. A full board without such a line is a draw, and so is the game with best play (Goossens 1998).
//
// Action 256 + piece, the first ply, gives the second player a piece. Action 16 * square + piece places the piece that
// the player was given on `square`, 4 * row + column with row 0 at the bottom, and gives the opponent `piece`. Where
// none is left to give, `piece` is the one that is placed. b2-7 places on b2 and gives 7; give-7 is the first ply. A
// placement that wins gives a piece, too, which changes nothing.
//
// state[0] has the squares taken in its low half, the pieces given in its high half. state[1] and state[2] have a board
// of 16 bits for each property, of the squares whose pieces have it, two to a word. state[3] is the piece to place plus
// 1, and 0 at the start, which is all zeros. The piece to place is drawn below the board.

const QUARTO_GIVE: u32 = 256u;
const QUARTO_ROW: u32 = 0x000fu;
const QUARTO_COLUMN: u32 = 0x1111u;
const QUARTO_RISING: u32 = 0x8421u;
const QUARTO_FALLING: u32 = 0x1248u;

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    let piece = action % 16u;
    let given = (*state)[0] >> 16u;
    let is_start = (*state)[3] == 0u;
    if is_start || action >= QUARTO_GIVE {
        return is_start && action >= QUARTO_GIVE;
    }
    let is_free = (((*state)[0] >> (action / 16u)) & 1u) == 0u;
    let is_left = ((given >> piece) & 1u) == 0u;
    return is_free && select(is_left, piece + 1u == (*state)[3], given == 0xffffu);
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    if action < QUARTO_GIVE {
        let square = action / 16u;
        let placed = (*state)[3] - 1u;
        (*state)[0] |= 1u << square;
        (*state)[1] |= ((placed & 1u) | ((placed & 2u) << 15u)) << square;
        (*state)[2] |= (((placed >> 2u) & 1u) | ((placed & 8u) << 13u)) << square;
    }
    (*state)[0] |= 0x10000u << (action % 16u);
    (*state)[3] = action % 16u + 1u;
}

// Whether all pieces of a full line have a property, or all lack one.
fn quarto_is_won(taken: u32, has: vec4<u32>, line: u32) -> bool {
    let within = has & vec4<u32>(line);
    let is_common = (within == vec4<u32>(line)) | (within == vec4<u32>(0u));
    return (taken & line) == line && any(is_common);
}

// Only a line of the last square can be new.
fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    let taken = (*state)[0] & 0xffffu;
    let square = last_action / 16u;
    let low = vec4<u32>((*state)[1], (*state)[1] >> 16u, (*state)[2], (*state)[2] >> 16u);
    let has = low & vec4<u32>(0xffffu);
    let is_row = quarto_is_won(taken, has, QUARTO_ROW << (square & 12u));
    let is_column = quarto_is_won(taken, has, QUARTO_COLUMN << (square & 3u));
    let is_diagonal = quarto_is_won(taken, has, QUARTO_RISING) || quarto_is_won(taken, has, QUARTO_FALLING);
    if last_action < QUARTO_GIVE && (is_row || is_column || is_diagonal) {
        return wins(1u - turn);
    }
    return select(ONGOING, DRAW, taken == 0xffffu);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    if row > 3u {
        let is_held = row == 5u && column == 0u && (*state)[3] != 0u && ((*state)[0] & 0xffffu) != 0xffffu;
        return select(1u, (*state)[3] + 1u, is_held);
    }
    let square = 4u * (3u - row) + column;
    let pairs = vec2<u32>((*state)[1], (*state)[2]) >> vec2<u32>(square);
    let piece = (pairs.x & 1u) | ((pairs.x >> 15u) & 2u) | ((pairs.y & 1u) << 2u) | ((pairs.y >> 13u) & 8u);
    return select(0u, piece + 2u, (((*state)[0] >> square) & 1u) != 0u);
}

// a1-0 to d4-F, and give-0 to give-F.
fn action_name(action: u32) -> vec4<u32> {
    let piece = action % 16u;
    let digit = piece + select(0x30u, 0x37u, piece > 9u);
    if action >= QUARTO_GIVE {
        return vec4<u32>(0x65766967u, 0x2du | (digit << 8u), 0u, 0u);
    }
    let square = action / 16u;
    return vec4<u32>((0x61u + square % 4u) | ((0x31u + square / 4u) << 8u) | 0x2d0000u | (digit << 24u), 0u, 0u, 0u);
}
