// Rollouts that count the owners of points at the end of games. Twin of `owners` in src/reference/rollout.rs.

fn rollout_count_owners(playout: ptr<function, Playout>, lane: u32) {
    find_owners(playout, lane);
    for (var point = 0u; point < OWNED_POINTS; point++) {
        let owner = owner_of(point);
        if owner != 0 {
            // The high word of -1 is all ones.
            let sum = ROLLOUT_COUNTS + point;
            rollout_add_in_group(sum, vec2<u32>(bitcast<u32>(owner), bitcast<u32>(owner >> 31u)));
        }
    }
}
