// The common start of a workgroup's playouts from one position: a copy takes a fraction of the time of the computation.

var<workgroup> sh_begun: Playout;
var<workgroup> sh_begun_words: array<vec4<u32>, max((PLAYOUT_WORDS + 3u) / 4u, 1u)>;

// Stores a lane's playout at its start. A barrier must follow.
fn keep_begun(playout: Playout, lane: u32) {
    sh_begun = playout;
    for (var word = 0u; word < PLAYOUT_WORDS; word++) {
        sh_begun_words[word / 4u][word % 4u] = sh_playout[word * PLAYOUT_LANES + lane];
    }
}

// A copy of that playout, in any lane. Sixteen loads overlap; one by one, each would wait for the one before.
fn copy_begun(lane: u32) -> Playout {
    var word = 0u;
    for (; word + 16u <= PLAYOUT_WORDS; word += 16u) {
        let block = word / 4u;
        let a = sh_begun_words[block];
        let b = sh_begun_words[block + 1u];
        let c = sh_begun_words[block + 2u];
        let d = sh_begun_words[block + 3u];
        store_begun(word, a, lane);
        store_begun(word + 4u, b, lane);
        store_begun(word + 8u, c, lane);
        store_begun(word + 12u, d, lane);
    }
    for (; word + 4u <= PLAYOUT_WORDS; word += 4u) {
        store_begun(word, sh_begun_words[word / 4u], lane);
    }
    for (; word < PLAYOUT_WORDS; word++) {
        sh_playout[word * PLAYOUT_LANES + lane] = sh_begun_words[word / 4u][word % 4u];
    }
    return sh_begun;
}

fn store_begun(word: u32, words: vec4<u32>, lane: u32) {
    let at = word * PLAYOUT_LANES + lane;
    sh_playout[at] = words.x;
    sh_playout[at + PLAYOUT_LANES] = words.y;
    sh_playout[at + 2u * PLAYOUT_LANES] = words.z;
    sh_playout[at + 3u * PLAYOUT_LANES] = words.w;
}
