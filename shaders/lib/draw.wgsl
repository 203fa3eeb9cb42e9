// The draw from a playout's list of actions: the twin of draw_ordinal in src/reference/playout.rs. Needs the generated
// constant WEIGHTED_PLAYOUTS.

fn draw_ordinal(rng: ptr<function, Rng>, count: u32) -> u32 {
    if WEIGHTED_PLAYOUTS {
        return rng_weighted_ordinal(rng_next(rng), count);
    }
    return rng_pick(rng, count);
}
