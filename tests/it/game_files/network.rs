//! The network of games/breakthrough.wgsl.

use super::text;
use crate::support::prelude::*;

/// As on an NVIDIA H200, with another kernel.
const TREE: &str = "2db000833353917d";

#[test]
fn the_network_of_breakthrough_has_the_same_tree_on_every_adapter() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games/breakthrough.safetensors");
    let text = text("breakthrough");
    let net = path.to_str().expect("its name is text");
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let game = GameFile::from_wgsl("breakthrough.wgsl", &text, &engine).expect("the file is a game");
        let settings =
            Settings { net: Some(net.into()), trees: Some(1), leaf_batch: Some(8), ..Settings::default() };
        let mut search = Search::new(&engine, game.clone(), settings).expect("the network suits the game");
        let report = search.steps(&Position::start(&game), 4);
        assert_eq!(report.fingerprint, TREE);
    });
}
