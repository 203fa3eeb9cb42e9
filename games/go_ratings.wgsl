// Ratings of patterns, from the table of src/games/go/policy.rs (device_words).

// The ratings of a point for the first player in the low half, for the second in the high one, given the neighbours that
// have a stone of the first and of the second player; both have what is off the board.
fn go_ratings(first: u32, second: u32) -> u32 {
    return game_tables[first | (second << GO_NEIGHBOURS)];
}
