//! The same files on every engine.

use super::{config, evaluated, game, play};
use crate::support::prelude::*;
use mcts_wgpu::selfplay::{self, SelfPlayConfig};

#[test]
fn every_engine_writes_the_same_files() {
    let by_gumbel = || {
        let settings = Settings { gumbel: Some(4), ..config().settings };
        SelfPlayConfig { settings, steps: 12, ..config() }
    };
    let ways = [("net", true, config()), ("playouts", false, config()), ("gumbel", true, by_gumbel())];
    let mut all = Vec::new();
    for (way, by_net, config) in ways {
        let folder = fresh_folder(&format!("selfplay-cpu-{way}"));
        let summary = play(&evaluated(Engine::cpu(), &game(), by_net), &config, &folder);
        assert!(summary.finished && summary.files > 1, "{summary:?}");
        let expected = files_in(&folder);
        each_adapter(|adapter| {
            let name = format!("{}-{way}", adapter.info().backend.name());
            if compiles_slowly(adapter) {
                return;
            }
            let folder = fresh_folder(&format!("selfplay-{}-{name}", adapter.info().index));
            play(&evaluated(opened(adapter), &game(), by_net), &config, &folder);
            assert!(files_in(&folder) == expected, "{name}");
        });
        all.push(expected);
    }
    assert!(all[0] != all[1] && all[0] != all[2]);
}

/// The rules of the file run on a device, and are the built-in's.
#[test]
fn games_of_a_file_give_the_data_of_the_built_in() {
    fn data<G: Game>(engine: &Engine, game: G, name: &str) -> Vec<Vec<u8>> {
        // The defaults of the file are not those of the game.
        let settings = Settings { ucb_c: Some(1.0), ..config().settings };
        let config = SelfPlayConfig {
            settings,
            games: 3,
            steps: 6,
            parallel: Some(3),
            rows_per_file: 100,
            ..config()
        };
        let folder = fresh_folder(&format!("selfplay-{name}"));
        let engine = evaluated(engine.clone(), &game, true);
        selfplay::run(&engine, game, &config, &folder, |_| ControlFlow::Continue(()))
            .expect("they are played");
        files_in(&folder)
            .into_iter()
            .filter(|(name, _)| name.ends_with("safetensors"))
            .map(|(_, file)| file)
            .collect()
    }
    let expected = data(&Engine::cpu(), Connect4::default(), "built-in");
    assert_eq!(expected.len(), 1);
    each_fast_adapter(|adapter| {
        let engine = opened(adapter);
        let rules = Connect4::default().shader().source;
        let game = GameFile::from_wgsl("connect4.wgsl", &rules, &engine).expect("the file is right");
        assert!(data(&engine, game, &format!("file-{}", adapter.info().index)) == expected);
    });
}
