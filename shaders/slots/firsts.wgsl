// Records of playouts for rapid action values. One node is played out for each leaf, one game a lane.

// Words of a record: its points (points_word); the points of the board where the first player was the first to play,
// then those of the second.
const RECORD_WORDS: u32 = 1u + 2u * FIRST_WORDS;

// [leaf][game][RECORD_WORDS]
@group(0) @binding(26) var<storage, read_write> firsts: array<u32>;

fn store_record(playout: u32, points: u32) {
    let record = playout * RECORD_WORDS;
    firsts[record] = points;
    for (var word = 0u; word < FIRST_WORDS; word++) {
        firsts[record + 1u + word] = first_word(FIRST, word);
        firsts[record + 1u + FIRST_WORDS + word] = first_word(SECOND, word);
    }
}
