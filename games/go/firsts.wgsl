// The points at which each player was the first to play in a playout, for rapid action values. An invocation plays one
// playout. Composed after rules.wgsl, in searches with rapid action values. The twin is in src/games/go/playout.rs.

var<private> go_black_firsts: GoPlane;
var<private> go_white_firsts: GoPlane;

fn go_note_first(stone: GoPlane, turn: u32) {
    let fresh = go_without(stone, go_or(go_black_firsts, go_white_firsts));
    if turn == FIRST {
        go_black_firsts = go_or(go_black_firsts, fresh);
    } else {
        go_white_firsts = go_or(go_white_firsts, fresh);
    }
}

// The bits of 32 points, as in a packed plane.
fn first_word(player: u32, word: u32) -> u32 {
    if player == FIRST {
        return go_word_of(go_black_firsts, word);
    }
    return go_word_of(go_white_firsts, word);
}

fn go_word_of(p: GoPlane, word: u32) -> u32 {
    var four = p.a;
    if GO_WORDS > 4u && word >= 4u {
        four = p.b;
    }
    if GO_WORDS > 8u && word >= 8u {
        four = p.c;
    }
    return four[word & 3u];
}

fn first_place(action: u32) -> u32 {
    return select(NO_FIRST_PLACE, action + action / GO_COLUMNS, action < GO_PASS);
}
