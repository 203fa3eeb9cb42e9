// Ratings of patterns, from the table of src/games/go/policy.rs (device_words).

// The ratings of a point, the first player's in the low half and the second player's in the high one, given the
// neighbours that have a stone of the first and of the second player. A neighbour off the board counts as both.
fn go_ratings(first: u32, second: u32) -> u32 {
    return game_tables[first | (second << GO_NEIGHBOURS)];
}
