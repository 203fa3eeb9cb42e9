//! name = "nim357"
//! max_actions = 21
//! state_words = 1
//! max_plies = 15
//! start = [0x753]
//! action_names = [
//!     "a1", "a2", "a3", "a4", "a5", "a6", "a7",
//!     "b1", "b2", "b3", "b4", "b5", "b6", "b7",
//!     "c1", "c2", "c3", "c4", "c5", "c6", "c7",
//! ]
//! [board]
//! rows = 3
//! columns = 7
//! glyphs = ".o"
// Nim with heaps of 3, 5 and 7. A player takes as many as they like, at least one, from one heap. Whoever takes the
// last one wins.
//
// The heaps are three nibbles of one word, the heap of 3 lowest. Action 7 * heap + taken - 1 takes `taken` of `heap`:
// b4 takes four of the heap of 5.
//
// The player to move wins if and only if the exclusive or of the heaps is not 0 (C. L. Bouton, "Nim, a game with a
// complete mathematical theory", Annals of Mathematics 3, 1901). Here it is 1, and a1, b1 and c1 win.

fn nim357_heap(state: ptr<function, State>, heap: u32) -> u32 {
    return ((*state)[0] >> (4u * heap)) & 15u;
}

fn is_action_legal(state: ptr<function, State>, turn: u32, action: u32) -> bool {
    return action % 7u < nim357_heap(state, action / 7u);
}

fn take_action(state: ptr<function, State>, turn: u32, action: u32) {
    (*state)[0] -= (action % 7u + 1u) << (4u * (action / 7u));
}

fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
    return select(ONGOING, wins(1u - turn), (*state)[0] == 0u);
}

fn cell(state: ptr<function, State>, row: u32, column: u32) -> u32 {
    return u32(column < nim357_heap(state, row));
}
