//! Searches whose leaves a network evaluates: the same on every engine, whatever their slices and devices.

use super::priors::found;
use crate::support::{positions::RandomGames, prelude::*};
use mcts_wgpu::DrawValue;
use rayon::ThreadPoolBuilder;
use std::fmt::Debug;

fn evaluated(leaf_batch: u32) -> Settings {
    Settings { leaf_batch: Some(leaf_batch), trees: Some(3), reuse: Some(true), ..Settings::default() }
}

/// A batch of positions, a search, and one that continues on its trees; whole steps or cut ones.
fn results<G: Game>(
    engine: Engine,
    game: &G,
    net: &Arc<Network>,
    settings: &Settings,
    units: Option<u32>,
) -> Vec<impl PartialEq + Debug + use<G>> {
    let engine = engine.with_network(Some(net.clone()));
    let mut search = search_by(&engine, game.clone(), settings.clone());
    search.cut_steps(units);
    let (start, mut player) = (Position::start(game), RandomGames::new(game, 9));
    let batch = [start.clone(), player.before_a_win(2), player.before_a_win(5), player.finished()];
    let mut reports = search.batch(&batch, 9);
    reports.extend(search.moves(start, &[20, 8]));
    assert!(reports[5].trees_info.reused_nodes > 0, "{}", game.name());
    reports.iter().map(found).collect()
}

#[test]
fn every_engine_grows_the_same_trees() {
    fn check<G: Game>(game: &G, net: &Arc<Network>, settings: &Settings) {
        let expected = results(Engine::cpu(), game, net, settings, None);
        assert_eq!(results(Engine::cpu(), game, net, settings, Some(3)), expected, "CPU, cut");
        each_adapter(|adapter| {
            if compiles_slowly(adapter) && game.max_actions() > 16 {
                return;
            }
            let name = format!("{} {}", adapter.info().backend.name(), game.name());
            assert_eq!(results(opened(adapter), game, net, settings, None), expected, "{name}");
            if compiles_slowly(adapter) {
                return;
            }
            if game.max_actions() > 16 && !is_thorough() {
                return;
            }
            assert_eq!(results(opened(adapter), game, net, settings, Some(4)), expected, "{name}, cut");
            // `parity::networks` has networks of all kinds by either kernel.
            if game.max_actions() <= 16 {
                let plain = opened(adapter).with_net_kernel(NetKernel::Plain);
                assert_eq!(results(plain, game, net, settings, None), expected, "{name}, plain products");
            }
            let two = Engine::devices_of(devices(adapter, 2));
            assert_eq!(results(two, game, net, settings, None), expected, "{name}, two devices");
            let device = device(adapter);
            if device.subgroup() > 0 && game.max_actions() > 16 {
                let engine = engine_of(&device.without_subgroups());
                assert_eq!(results(engine, game, net, settings, None), expected, "{name}, by lanes");
            }
        });
    }
    let connect4 = Connect4::default();
    check(&connect4, &network(&connect4, Trunk::Conv, 1, 16), &evaluated(7));
    check(
        &connect4,
        &network(&connect4, Trunk::Dense, 1, 32),
        &Settings { solver: Some(false), ..evaluated(1) },
    );
    check(&Othello, &network(&Othello, Trunk::Conv, 1, 16), &evaluated(5));
    let go = go_of(5, 7.5).with_superko(true);
    let settings = Settings { draw_value: Some(DrawValue::None), ..evaluated(20) };
    check(&go, &network(&go, Trunk::Dense, 1, 16), &settings);
    let gomoku = gomoku_of(6);
    check(&gomoku, &network(&gomoku, Trunk::Conv, 0, 32), &Settings { pruning: Some(false), ..evaluated(9) });
}

/// With noise at the root, with sequential halving, and with playouts.
#[test]
fn every_engine_explores_the_same_at_the_root() {
    let base = Settings { leaf_batch: Some(5), ..Settings::default() };
    let ways = [
        Settings { root_noise: Some(0.25), trees: Some(2), ..base.clone() },
        Settings { gumbel: Some(16), gumbel_visits: Some(40), playout_weight: Some(0.25), ..base.clone() },
        Settings { playout_weight: Some(1.0), policy: Some("random".into()), ..base },
    ];
    fn check<G: Game>(game: &G, net: &Arc<Network>, settings: &Settings) {
        let run = |engine: Engine, units| {
            let engine = engine.with_network(Some(net.clone()));
            let mut search = search_by(&engine, game.clone(), settings.clone());
            search.cut_steps(units);
            let batch = [Position::start(game), RandomGames::new(game, 9).before_a_win(2)];
            let runs = [0; 2].map(|_| search.batch(&batch, 12));
            runs.iter().flatten().map(found).collect::<Vec<_>>()
        };
        let expected = run(Engine::cpu(), None);
        assert_eq!(run(Engine::cpu(), Some(3)), expected, "CPU, cut");
        // Random streams continue from run to run.
        assert_ne!(expected[..2], expected[2..]);
        each_adapter(|adapter| {
            if compiles_slowly(adapter) && game.max_actions() > 16 {
                return;
            }
            assert_eq!(run(opened(adapter), None), expected);
            if !compiles_slowly(adapter) {
                assert_eq!(run(opened(adapter), Some(4)), expected, "cut");
                let two = Engine::devices_of(devices(adapter, 2));
                assert_eq!(run(two, None), expected, "two devices");
                let lanes = engine_of(&device(adapter).without_subgroups());
                assert_eq!(run(lanes, None), expected, "by lanes");
            }
        });
    }
    let connect4 = Connect4::default();
    let net = network(&connect4, Trunk::Dense, 0, 16);
    ways.iter().for_each(|settings| check(&connect4, &net, settings));
    let net = network(&Othello, Trunk::Conv, 0, 16);
    check(&Othello, &net, &ways[1]);
}

/// The root of a reused tree gets noise when its moves have been played.
#[test]
fn every_engine_gives_reused_roots_the_same_noise() {
    let game = Connect4::default();
    let net = network(&game, Trunk::Dense, 0, 16);
    let searched = |engine: Engine, root_noise| {
        let base = Settings { trees: Some(2), leaf_batch: Some(5), ..Settings::default() };
        let settings = Settings { root_noise: Some(root_noise), reuse: Some(true), ..base };
        search_by(&engine.with_network(Some(net.clone())), game.clone(), settings)
    };
    let played = |engine: Engine| {
        let (mut search, mut position) = (searched(engine, 0.5), Position::start(&game));
        let mut reports = vec![search.steps(&position, 40)];
        for _ in 0..3 {
            let best = reports[reports.len() - 1].best.as_ref().expect("there is a move");
            position.play(best.index).expect("the move is legal");
            reports.push(search.steps(&position, 10));
        }
        assert!(reports[1..].iter().all(|report| report.trees_info.reused_nodes > 0));
        reports
    };
    let all = |reports: &[Report]| reports.iter().map(found).collect::<Vec<_>>();
    let expected = played(Engine::cpu());
    for noisy in &expected {
        let moves = noisy.position.moves.clone().expect("it has moves");
        let position = Position::from_moves(&game, &moves).expect("they are legal");
        let plain = searched(Engine::cpu(), 0.0).steps(&position, 10);
        let priors = noisy.actions.iter().zip(&plain.actions).map(|(one, other)| (one.prior, other.prior));
        let far = priors.map(|(one, other)| (one.unwrap_or(0.0) - other.unwrap_or(0.0)).abs()).sum::<f64>();
        assert!(far > 0.1, "{far}");
    }
    each_adapter(|adapter| {
        let engines = [opened(adapter), Engine::devices_of(devices(adapter, 2))];
        for engine in cases(adapter, &engines) {
            assert_eq!(all(&played(engine.clone())), all(&expected));
        }
    });
}

/// The visits of the root's children follow the schedule of the paper, and the best action is the better of the last
/// two.
#[test]
fn halving_gives_visits_out_by_its_schedule() {
    let net = network(&Connect4::default(), Trunk::Conv, 1, 16);
    let engine = Engine::cpu().with_network(Some(net));
    let settings = Settings {
        leaf_batch: Some(1),
        solver: Some(false),
        gumbel: Some(4),
        gumbel_visits: Some(32),
        ..Settings::default()
    };
    let report = run(&engine, settings.clone(), 33);
    let mut visits: Vec<_> = report.actions.iter().map(|action| action.n).collect();
    visits.sort_unstable();
    // Two phases of 16 visits: 4 each for four children, and 8 each for two.
    assert_eq!(visits, [0, 0, 0, 4, 4, 12, 12]);
    let best = report.best.as_ref().expect("there is a move");
    assert_eq!(best.n, 12);
    let sum = |of: fn(&mcts_wgpu::search::ActionReport) -> Option<f64>| {
        report.actions.iter().map(|action| of(action).expect("there is a network")).sum::<f64>()
    };
    assert!(
        (sum(|action| action.prior) - 1.0).abs() < 1e-3 && (sum(|action| action.policy) - 1.0).abs() < 1e-3
    );
    let plain = run(&engine, Settings { gumbel: None, ..settings.clone() }, 33);
    assert!(plain.actions.iter().all(|action| action.policy.is_none()));
    for (action, other) in report.actions.iter().zip(&plain.actions) {
        // Logits are kept in 256ths of a bit.
        let [prior, same] = [action, other].map(|action| action.prior.unwrap_or(0.0));
        assert!((prior - same).abs() < 2e-3, "{action:?} {other:?}");
    }
    let noisy = run(&engine, Settings { gumbel: None, root_noise: Some(1.0), ..settings }, 33);
    let far = noisy.actions.iter().zip(&plain.actions);
    assert!(far.map(|(a, b)| (a.prior.unwrap_or(0.0) - b.prior.unwrap_or(0.0)).abs()).sum::<f64>() > 0.1);
}

#[test]
fn the_number_of_threads_changes_no_tree() {
    let go = go_of(5, 7.5);
    let net = network(&go, Trunk::Conv, 2, 32);
    let with = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        let settings = Settings { trees: Some(1), ..evaluated(16) };
        pool.install(|| results(Engine::cpu(), &go, &net, &settings, None))
    };
    let expected = with(1);
    [2, 3, 16].into_iter().for_each(|threads| assert_eq!(with(threads), expected, "{threads} threads"));
}

fn run(engine: &Engine, settings: Settings, steps: u64) -> Report {
    let game = Connect4::default();
    search_by(engine, game.clone(), settings).steps(&Position::start(&game), steps)
}

/// The first step evaluates the root alone, the others a leaf each; visits without a new evaluation are undone.
#[test]
fn reports_have_priors_visits_and_the_network() {
    let net = network(&Connect4::default(), Trunk::Conv, 1, 16);
    let by_network = Engine::cpu().with_network(Some(net.clone()));
    let report = run(&by_network, Settings { leaf_batch: Some(1), ..Settings::default() }, 60);
    let mut outputs = vec![0; 10];
    let empty = vec![0b1100; 42];
    net.evaluate(&empty, &mut outputs);
    let weights: Vec<_> = outputs[..7].iter().map(|&logit| (f64::from(logit) / 256.0).exp2()).collect();
    let total: f64 = weights.iter().sum();
    for (action, weight) in report.actions.iter().zip(&weights) {
        let prior = action.prior.expect("there is a network");
        assert!((prior - weight / total).abs() < 1e-4, "{prior}, not {}", weight / total);
    }
    assert_eq!(report.n_root, 60);
    assert_eq!(report.actions.iter().map(|action| action.n).sum::<u64>(), 59);
    assert_eq!((report.net.as_deref(), report.net_digest.as_deref()), (Some("random-3"), Some(&*hex(&net))));
    let text = report.to_string();
    assert!(text.contains("prior"), "{text}");
    // Many leaves of one root: all but one of the first step are visits of the same node.
    let many = run(&by_network, Settings { leaf_batch: Some(40), ..Settings::default() }, 1);
    assert_eq!((many.n_root, many.trees_info.max_size), (1, 8));
    let played = run(&Engine::cpu(), Settings { net: Some("none".into()), ..Settings::default() }, 4);
    assert!(played.net.is_none() && played.net_digest.is_none());
    assert!(played.actions.iter().all(|action| action.prior.is_none()));
}

fn hex(net: &Network) -> String {
    format!("{:016x}", net.digest())
}

#[test]
fn settings_name_a_file_or_none() {
    let game = Connect4::default();
    let net = network(&game, Trunk::Dense, 0, 16);
    let path = std::env::temp_dir().join(format!("mcts-wgpu-net-{}.safetensors", std::process::id()));
    fs::write(&path, net.to_bytes()).expect("the file is written");
    let file = Settings { net: path.to_str().map(Into::into), ..Settings::default() };
    let none = Settings { net: Some("none".into()), ..Settings::default() };
    let given = Engine::cpu().with_network(Some(network(&game, Trunk::Conv, 0, 16)));
    let [of_file, of_none] = [file.clone(), none].map(|settings| run(&given, settings, 9));
    assert_eq!((of_file.net_digest, of_file.net), (Some(hex(&net)), file.net.clone()));
    assert_eq!((of_none.net_digest, of_none.net), (None, None));
    fs::remove_file(&path).expect("the file is there");
    let error = Search::new(&Engine::cpu(), game, file).expect_err("the file is gone").to_string();
    assert!(error.contains("mcts-wgpu-net-") && error.contains(".safetensors"), "{error}");
}

/// An adapter has the requested kernel, with the same results, or refuses it.
#[test]
fn missing_kernels_are_reported() {
    let game = Connect4::default();
    let net = network(&game, Trunk::Conv, 1, 16);
    let expected = results(Engine::cpu(), &game, &net, &evaluated(7), None);
    each_adapter(|adapter| {
        let engine = opened(adapter).with_net_kernel(NetKernel::Tensor).with_network(Some(net.clone()));
        match Search::new(&engine, game.clone(), evaluated(7)) {
            Ok(_) => assert_eq!(results(engine, &game, &net, &evaluated(7), None), expected),
            Err(error) => {
                assert!(error.is_bad_input() && error.to_string().contains("--net-kernel auto"), "{error}")
            }
        }
    });
}

#[test]
fn settings_against_a_network_are_refused() {
    let game = Connect4::default();
    let of = |net: Arc<Network>, settings: Settings| {
        let engine = Engine::cpu().with_network(Some(net));
        Search::new(&engine, game.clone(), settings).expect_err("it is refused").to_string()
    };
    let net = network(&game, Trunk::Dense, 0, 16);
    let acp = Settings { variant: Some(Variant::ACP_PRODIGAL), ..Settings::default() };
    let message = of(net.clone(), acp);
    assert!(message.contains("network") && message.contains("ocp-prodigal"), "{message}");
    let fused = Settings { schedule: Some(Schedule::Fused), leaf_batch: Some(1), ..Settings::default() };
    assert!(of(net.clone(), fused).contains("staged"));
    for other in [network(&Othello, Trunk::Conv, 0, 16), network(&connect4_of(5, 7), Trunk::Conv, 0, 16)] {
        let message = of(other, Settings::default());
        assert_has(&message, &["is for", "give one for connect4 on 6 x 7"]);
    }
    let wrong = Sizes { channels: 20, ..net.sizes().clone() };
    assert!(Network::random(wrong, 1).is_err_and(|error| error.to_string().contains("channels = 20")));
    let gumbel = Settings { gumbel: Some(8), ..Settings::default() };
    for (settings, message) in [
        (Settings { trees: Some(2), ..gumbel.clone() }, "1 tree"),
        (Settings { reuse: Some(true), ..gumbel.clone() }, "reuse=false"),
        (Settings { root_noise: Some(0.1), ..gumbel.clone() }, "root noise 0"),
        (Settings { gumbel: Some(1), ..Settings::default() }, "from 2 to 255"),
        (Settings { gumbel_visits: Some(0), ..gumbel }, "1 or more"),
        (Settings { root_noise: Some(1.5), ..Settings::default() }, "from 0 to 1"),
        (Settings { playout_weight: Some(f32::NAN), ..Settings::default() }, "from 0 to 1"),
    ] {
        let found = of(net.clone(), settings);
        assert!(found.contains(message), "{found}, not {message}");
    }
    let none = Some("none".into());
    let gumbel = Settings { gumbel: Some(8), playout_weight: Some(0.5), net: none, ..Settings::default() };
    assert_eq!(gumbel.idle(&game), ["gumbel", "playout_weight"]);
    // Settings without effect are refused, too, if they are out of range.
    for settings in [
        Settings { root_noise: Some(1.5), ..Settings::default() },
        Settings { gumbel: Some(1), ..Settings::default() },
        Settings { net: Some("none".into()), playout_weight: Some(-1.0), ..Settings::default() },
    ] {
        assert!(settings.validate().is_err());
        assert!(Search::new(&Engine::cpu(), game.clone(), settings).is_err());
    }
    let playouts = Settings { playouts: Some(3), ..Settings::default() };
    assert!(of(net.clone(), playouts).contains("power of two"));
    // Settings without effect beside a network have notices.
    let idle = Settings { net: Some("n".into()), rave: Some(4), playouts: Some(8), ..Settings::default() };
    assert_eq!(idle.idle(&game), ["rave", "playouts"]);
}
