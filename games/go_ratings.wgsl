// Ratings of patterns, from the table of src/games/go/policy.rs (device_words).

// The rating of a pattern: both bits of a neighbour are set where it is off the board.
fn go_rating(own: u32, opposing: u32) -> u32 {
    let index = own | (opposing << GO_NEIGHBOURS);
    return (game_tables[index >> 1u] >> (16u * (index & 1u))) & 0xffffu;
}
