//! Settings: none, some or all.

use crate::support::{circle::Circle, prelude::*};
use mcts_wgpu::{SearchDefaults, contest::Spec};

fn config(settings: &Settings) -> Config {
    settings.resolve(&Connect4::default(), &Engine::cpu())
}

fn sizes(config: &Config) -> (Variant, u32, u32, u32) {
    (config.variant, config.trees, config.playouts, config.leaf_batch)
}

/// Software adapters have the sizes of the CPU engine: they use the same cores.
#[test]
fn sizes_suit_the_engine_where_none_are_chosen() {
    let chosen = config(&Settings::default());
    assert_eq!(sizes(&chosen), (Variant::OCP_PRODIGAL, 4, 1, 8));
    assert!(chosen.solver && chosen.pruning);
    // More games of Othello take hardly longer than one.
    let of_othello = Settings::default().resolve(&Othello, &Engine::cpu());
    assert_eq!(sizes(&of_othello), (Variant::OCP_PRODIGAL, 4, 16, 8));
    each_adapter(|adapter| {
        let found = Settings::default().resolve(&Connect4::default(), &opened(adapter));
        if adapter.info().kind == mcts_wgpu::engine::AdapterKind::Software {
            assert_eq!(found, chosen);
        } else {
            assert_eq!(sizes(&found), (Variant::OCP_PRODIGAL, 16, 8, 64));
        }
    });
}

/// Networks are the default on the CPU engine and on one GPU. Several devices share trees, and software adapters
/// evaluate networks slowly.
#[test]
fn networks_are_the_default_where_they_win() {
    fn found<G: Game>(game: &G, settings: &Settings, engine: Engine) -> Option<String> {
        let engine = settings.with_net(game, engine).expect("a network that is included");
        engine.network().map(|net| net.name().to_owned())
    }
    let (none, connect4) = (Settings::default(), Connect4::default());
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(found(&connect4, &none, Engine::cpu()), named("connect4"));
    assert_eq!(found(&Gomoku::default(), &none, Engine::cpu()), named("gomoku"));
    assert_eq!(found(&Othello, &none, Engine::cpu()), named("othello"));
    for (size, komi, net) in [(9, 5.5, named("go")), (9, 0.5, None), (13, 7.5, None)] {
        assert_eq!(found(&go_of(size, komi), &none, Engine::cpu()), net, "{size} {komi}");
    }
    assert_eq!(found(&connect4_of(5, 7), &none, Engine::cpu()), None);
    assert_eq!(found(&gomoku_of(13), &none, Engine::cpu()), None);
    assert_eq!(found(&connect4, &Settings { trees: Some(2), ..none.clone() }, Engine::cpu()), None);
    let other = Settings { net: named("othello"), ..none.clone() };
    assert_eq!(found(&connect4, &other, Engine::cpu()), named("othello"));
    each_adapter(|adapter| {
        let is_software = adapter.info().kind == mcts_wgpu::engine::AdapterKind::Software;
        let engine = opened(adapter);
        assert_eq!(found(&connect4, &none, engine.clone()).is_none(), is_software);
        let devices = engine.devices().expect("a device");
        let devices = [devices, devices].concat();
        assert_eq!(found(&connect4, &none, Engine::devices_of(devices)), None);
    });
}

#[test]
fn sizes_that_are_chosen_go_with_those_of_the_original() {
    let acp = Variant::ACP_PRODIGAL;
    let none = Settings::default();
    for (settings, expected) in [
        (Settings { trees: Some(3), ..none.clone() }, (acp, 3, 128, 1)),
        (Settings { playouts: Some(4), ..none.clone() }, (acp, 8, 4, 1)),
        (Settings { variant: Some(Variant::OCP_THRIFTY), ..none.clone() }, (Variant::OCP_THRIFTY, 8, 128, 1)),
        (Settings { schedule: Some(Schedule::Fused), ..none.clone() }, (acp, 8, 128, 1)),
        (Settings { leaf_batch: Some(16), ..none.clone() }, (Variant::OCP_PRODIGAL, 4, 1, 16)),
        (Settings { leaf_batch: Some(16), trees: Some(2), ..none.clone() }, (acp, 2, 128, 16)),
    ] {
        assert_eq!(sizes(&config(&settings)), expected, "{settings:?}");
        assert_eq!(config(&settings).ucb_c, Connect4::default().search_defaults().ucb_c);
    }
    assert_eq!(Settings { playouts: Some(4), ..none.clone() }.trees_and_playouts(), Some((8, 4)));
    assert_eq!(none.trees_and_playouts(), None);
}

#[test]
fn the_constant_suits_the_game_unless_one_is_chosen() {
    fn of<G: Game>(game: &G, settings: &Settings) -> f32 {
        settings.resolve(game, &Engine::cpu()).ucb_c
    }
    let go = go_of(9, 7.5);
    let [none, chosen] = [None, Some(1.25)].map(|ucb_c| Settings { ucb_c, ..Settings::default() });
    let all = |settings: &Settings| {
        let (connect4, gomoku) = (Connect4::default(), Gomoku::default());
        [of(&connect4, settings), of(&gomoku, settings), of(&Othello, settings), of(&go, settings)]
    };
    assert_eq!(all(&none), [0.7, 0.3, 0.3, 0.15]);
    assert_eq!(all(&chosen), [1.25; 4]);
    assert_eq!(all(&Settings::original()), [2.0; 4]);
}

#[test]
fn the_policy_suits_the_game_unless_sizes_or_another_one_are_chosen() {
    fn policy<G: Game>(game: G, settings: &Settings) -> String {
        settings.with_policy(game).expect("a policy of the game").policy()
    }
    let go = || go_of(9, 7.5);
    let none = Settings::default();
    assert_eq!(policy(go(), &none), "tactical");
    let seeded = Settings { seed: Some(3), ..none.clone() };
    assert_eq!(policy(go().with_sides(5, 6).expect("a board"), &seeded), "tactical");
    assert_eq!(policy(go().with_policy("m2").expect("a policy"), &none), "m2");
    assert_eq!(policy(Gomoku::default(), &none), "random");
    assert_eq!(policy(Connect4::default(), &none), "tactical");
    let (trees, schedule) = (Some(4), Some(Schedule::Fused));
    let [few, fused] = [Settings { trees, ..none.clone() }, Settings { schedule, ..none.clone() }];
    for chosen in [Settings::original(), few, fused] {
        assert_eq!(policy(go(), &chosen), "random", "{chosen:?}");
        // Connect 4's policy is for all sizes, but not for the original.
        let of_connect4 = if chosen.policy.is_some() { "random" } else { "tactical" };
        assert_eq!(policy(Connect4::default(), &chosen), of_connect4, "{chosen:?}");
    }
}

#[test]
fn the_original_is_as_it_was_and_can_be_changed() {
    let original = Settings::original();
    assert_eq!(config(&original), Config::original());
    let changed = Settings { pruning: Some(true), seed: Some(7), reuse: Some(true), ..original };
    assert_eq!(config(&changed), Config { pruning: true, seed: 7, reuse: true, ..Config::original() });
}

/// Sizes that one kind of engine can search are not refused by the others.
#[test]
fn sizes_for_another_engine_are_not_refused() {
    let with = |search_defaults| Circle { search_defaults, ..Circle::new(3) };
    let on_cpus = SearchDefaults { cpu_playouts: 3, ..SearchDefaults::default() };
    let on_gpus = SearchDefaults { playouts: 3, ..SearchDefaults::default() };
    let none = Settings::default();
    none.check(&with(on_cpus), 1).expect("GPUs can");
    none.check(&with(on_gpus), 1).expect("CPUs can");
    let error = none.check(&with(SearchDefaults { playouts: 3, ..on_cpus }), 1).expect_err("nobody can");
    assert!(error.to_string().contains("3 playouts"), "{error}");
}

/// Notices of settings without effect, and their values in reports.
#[test]
fn settings_without_effect_are_reported() {
    let settings = Settings { rave: Some(100), pruning: Some(true), ..Settings::default() };
    let go = go_of(9, 7.5);
    assert_eq!((settings.idle(&Othello), settings.idle(&go)), (vec!["rave", "pruning"], vec![]));
    // Kernels and moves considered by Gumbel need a network; the original needs nothing that a game may lack.
    let of_nets =
        Settings { gumbel_visits: Some(9), net_kernel: Some(NetKernel::Dot), ..Settings::default() };
    assert_eq!(of_nets.idle(&go), ["gumbel_visits"], "its network is the default");
    let played = Settings { net: Some("none".into()), ..of_nets.clone() };
    assert_eq!(played.idle(&go), ["gumbel_visits", "net_kernel"]);
    let evaluated = Settings { net: Some("n".into()), ..of_nets };
    assert_eq!(evaluated.idle(&go), ["gumbel_visits"]);
    assert!(Settings { gumbel: Some(4), ..evaluated }.idle(&go).is_empty());
    assert!(Settings::original().idle(&Othello).is_empty());
    let player: Spec = "default:rave=100,prunes=true".parse().expect("a player");
    assert_eq!((player.idle(&Othello), player.idle(&go)), (vec!["rave", "pruning"], vec![]));
    let config = settings.resolve(&Othello, &Engine::cpu());
    let report = search_on(&Engine::cpu(), Othello, config).steps(&Position::start(&Othello), 2);
    assert_eq!((report.config.rave, report.config.pruning), (0, false));
}

#[test]
fn bad_settings_are_refused_without_an_engine() {
    let error =
        |settings: Settings| settings.check(&Connect4::default(), 1).expect_err("a bad choice").to_string();
    assert!(error(Settings { playouts: Some(100), ..Settings::default() }).contains("power of two"));
    assert!(error(Settings { leaf_batch: Some(0), ..Settings::default() }).contains("batch of 0"));
    assert!(error(Settings { ucb_c: Some(-1.0), ..Settings::default() }).contains("UCB constant -1"));
    Settings::default().check(&Connect4::default(), 1000).expect("a search of many positions");
}

/// Each setting by its name, by its former name if it had one, and in JSON and TOML.
#[test]
fn settings_are_read_from_texts_and_files() {
    let given = r#"
        variant = "acp-thrifty"; trees = 3; playouts = 16; leaf_batch = 2; ucb_c = 1.5;
        draw_value = "none"; solver = false; pruning = false; prior_visits = 9; rave = 300;
        root_noise = 0.25; gumbel = 16; gumbel_visits = 32; playout_weight = 0.5;
        seed = 18446744073709551615; schedule = "staged"; reuse = true; memory = 0.5; node_limit = 1000;
        net = "mine.safetensors"; net_kernel = "dot"; policy = "m2""#;
    let given: Vec<_> = given.split(';').filter_map(|one| one.trim().split_once(" = ")).collect();
    assert!(given.iter().map(|(name, _)| name).eq(Settings::NAMES));
    let mut all = Settings::default();
    for (name, value) in given {
        let mut one = Settings::default();
        one.set(name, value.trim_matches('"')).expect("a setting");
        assert_ne!(one, Settings::default());
        let former = Settings::FORMER.iter().find(|(_, now)| *now == name).map(|(former, _)| *former);
        for name in [Some(name), former].into_iter().flatten() {
            let mut by_text = Settings::default();
            by_text.set(name, value.trim_matches('"')).expect("a setting");
            let json = format!(r#"{{"{name}": {value}}}"#);
            assert_eq!(by_text, one, "{name}");
            assert_eq!(serde_json::from_str::<Settings>(&json).expect("JSON"), one, "{name}");
            // Whole numbers of TOML have 63 bits.
            if name != "seed" {
                assert_eq!(toml::from_str::<Settings>(&format!("{name} = {value}")).expect("TOML"), one);
            }
        }
        all = all.or(one);
    }
    assert_eq!((all.memory, all.clone().or(Settings::original()).trees), (Some(1 << 29), Some(3)));
    let former =
        "leaves leaf_batch c ucb_c draws draw_value proofs solver prunes pruning knowledge prior_visits";
    let pairs = Settings::FORMER.iter().flat_map(|&(former, now)| [former, now]);
    assert!(pairs.eq(former.split(' ')), "{:?}", Settings::FORMER);
    // Without a network there are no settings of its exploration.
    let none = Settings { root_noise: Some(0.0), gumbel: Some(0), playout_weight: Some(0.0), ..all.clone() };
    let config = Settings { net: None, net_kernel: None, policy: None, ..none };
    assert_eq!(Settings::from(config.resolve(&go_of(9, 7.5), &Engine::cpu())), config);
    let text = serde_json::to_string(&all).expect("JSON");
    assert_eq!(serde_json::from_str::<Settings>(&text).expect("JSON"), all);
    assert!(serde_json::from_str::<Settings>(r#"{"tree": 1}"#).is_err());
    for wrong in ["trees=x", "solver=0", "memory=-1", "memory=5000", "tree=1"] {
        let (name, value) = wrong.split_once('=').expect("a pair");
        let refused = Settings::default().set(name, value);
        assert!(refused.is_err_and(|error| error.is_bad_input()), "{wrong}");
    }
}

/// The config of a report repeats its search.
#[test]
fn a_report_has_all_settings() {
    let game = Settings::default().with_policy(Connect4::default()).expect("a policy");
    let searched = |mut search: Search<Connect4>| search.steps(&Position::start(&Connect4::default()), 20);
    let net = Some("none".into());
    let settings = Settings { seed: Some(5), solver: Some(false), net, ..Settings::default() };
    let first = searched(search_by(&Engine::cpu(), Connect4::default(), settings));
    let text = serde_json::to_string(&first).expect("JSON");
    let read: mcts_wgpu::Report = serde_json::from_str(&text).expect("a report");
    let again = searched(search_on(&Engine::cpu(), game, read.config));
    assert_eq!((again.fingerprint, again.config), (first.fingerprint, first.config));
    assert_eq!((first.policy.as_str(), first.config.seed, first.config.solver), ("tactical", 5, false));
}
