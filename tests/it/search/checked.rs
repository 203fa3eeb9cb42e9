//! Checks change no result, and find mistakes that nothing else finds.

use crate::support::prelude::*;
use mcts_wgpu::{Result, engine::Checks};

fn config(leaves: u32) -> Config {
    let variant = Variant::OCP_PRODIGAL;
    Config { trees: 1, playouts: 4, seed: 3, variant, leaf_batch: leaves, reuse: true, ..Config::paper() }
}

type Prints = [String; 2];

/// The fingerprints of a search, and of one that continues on its trees.
fn fingerprints<G: Game>(device: &Device, game: &G, config: &Config) -> Result<Prints> {
    let engine = engine_of(device);
    let mut search = Search::with_config(&engine, game.clone(), *config)?;
    let mut position = Position::start(game);
    let first = search.run(&position, Budget::steps(9))?;
    position.play(first.best.expect("the game goes on").index)?;
    Ok([first.fingerprint, search.run(&position, Budget::steps(5))?.fingerprint])
}

fn on_the_first_adapter(check: impl Fn(&Device) + Sync) {
    each_fast_adapter(|adapter| {
        if adapter.info().index == 0 {
            check(&device(adapter));
        }
    });
}

#[test]
fn results_are_the_same() {
    let few = connect4_of(4, 4);
    let go = go_of(4, 0.5).with_superko(true);
    let leaves = config(7);
    let rapid = Config { rave: 100, prior_visits: 16, ..config(5) };
    on_the_first_adapter(|device| {
        let memory = device.checked(Checks::Memory);
        assert_eq!(fingerprints(&memory, &few, &leaves), fingerprints(device, &few, &leaves));
        let all = device.checked(Checks::All);
        assert_eq!(fingerprints(&all, &go, &rapid), fingerprints(device, &go, &rapid));
    });
}

/// A kernel that reads words that it has not written: wgpu clears buffers, and leaves workgroup memory as it was.
#[test]
fn reads_of_unwritten_words_show() {
    let game = connect4_of(4, 4);
    let config = config(7);
    on_the_first_adapter(|device| {
        let right = fingerprints(device, &game, &config).expect("the searches run")[0].clone();
        let first = |device: &Device| fingerprints(device, &game, &config).map(|[first, _]| first);
        let unwritten = device.with_mistake("stats[root] = vec4<u32>(0u);", "");
        assert_eq!(first(&unwritten), Ok(right.clone()), "there are zeros");
        assert_ne!(first(&unwritten.checked(Checks::Memory)), Ok(right));
        let unshared = device.with_mistake("atomicStore(&sh_faults, 0u);", "");
        let error = first(&unshared.checked(Checks::All)).expect_err("a pattern for faults");
        assert_eq!(error.kind(), ErrorKind::CutShort, "{error}");
    });
}
