//! Searches whose leaves a user's evaluator evaluates: the network's trees, if it returns the network's outputs.

use super::priors::found;
use crate::support::{positions::RandomGames, prelude::*, ranks::on_ranks};
use mcts_wgpu::net::{Evaluator, Leaves};
use std::{
    error,
    f64::consts::LN_2,
    fmt::Debug,
    sync::atomic::{AtomicUsize, Ordering},
};

/// A network as an evaluator, which makes a mistake in its call of this number.
struct Wrapped {
    network: Arc<Network>,
    calls: AtomicUsize,
    wrong: Option<(usize, Wrong)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Fails,
    IsNan,
    IsLeftOut,
}

impl Wrapped {
    fn new(network: &Arc<Network>, wrong: Option<(usize, Wrong)>) -> Arc<Self> {
        Arc::new(Self { network: network.clone(), calls: AtomicUsize::new(0), wrong })
    }
}

impl Evaluator for Wrapped {
    fn name(&self) -> &str {
        "wrapped"
    }

    fn evaluate(
        &self,
        leaves: Leaves<'_>,
        policy: &mut [f32],
        value: &mut [f32],
    ) -> Result<(), Box<dyn error::Error + Send + Sync>> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let wrong = self.wrong.and_then(|(at, wrong)| (at == call).then_some(wrong));
        if wrong == Some(Wrong::Fails) {
            return Err("the model is gone".into());
        }
        let [planes, rows, columns] = leaves.shape;
        let cells = rows * columns;
        let cell = |leaf: &[u8], cell: usize| {
            (0..planes).fold(0, |word, plane| word | u32::from(leaf[plane * cells + cell]) << plane)
        };
        let boards = leaves.planes.chunks(planes * cells);
        let boards: Vec<u32> = boards.flat_map(|leaf| (0..cells).map(move |at| cell(leaf, at))).collect();
        let mut outputs = vec![0; leaves.count * (leaves.actions + 3)];
        self.network.evaluate(&boards, &mut outputs);
        let logit = |output: &i32| (f64::from(*output) * LN_2 / 256.0) as f32;
        let written = leaves.count - usize::from(wrong == Some(Wrong::IsLeftOut));
        for (at, outputs) in outputs.chunks(leaves.actions + 3).enumerate().take(written) {
            let (of_actions, of_outcomes) = outputs.split_at(leaves.actions);
            let policy = &mut policy[at * leaves.actions..];
            policy.iter_mut().zip(of_actions).for_each(|(to, output)| *to = logit(output));
            value[3 * at..].iter_mut().zip(of_outcomes).for_each(|(to, output)| *to = logit(output));
        }
        if wrong == Some(Wrong::IsNan) {
            value[3 * (leaves.count - 1) + 1] = f32::NAN;
        }
        Ok(())
    }
}

fn settings(leaf_batch: u32) -> Settings {
    Settings { leaf_batch: Some(leaf_batch), trees: Some(3), reuse: Some(true), ..Settings::default() }
}

/// A batch of positions, a search, and one that continues on its trees; the trees begin with so many nodes.
fn results<G: Game>(engine: &Engine, game: &G, first: Option<u32>) -> Vec<impl PartialEq + Debug + use<G>> {
    let mut search = search_by(engine, game.clone(), settings(7));
    if let Some(nodes) = first {
        search.grow_from(nodes, 5 * 16 * u64::from(nodes));
    }
    let (start, mut player) = (Position::start(game), RandomGames::new(game, 9));
    let batch = [start.clone(), player.before_a_win(2), player.finished()];
    let mut reports = search.batch(&batch, 9);
    reports.extend(search.moves(start, &[20, 8]));
    reports.iter().map(found).collect()
}

#[test]
fn an_evaluator_grows_the_trees_of_the_network_that_it_asks() {
    let (connect4, go) = (Connect4::default(), go_of(5, 7.5));
    let net = network(&go, Trunk::Conv, 1, 16);
    let expected = results(&Engine::cpu().with_network(Some(net.clone())), &go, None);
    let engine = Engine::cpu().with_evaluator(Wrapped::new(&net, None));
    assert_eq!(results(&engine, &go, None), expected);
    let net = network(&connect4, Trunk::Conv, 1, 16);
    let expected = results(&Engine::cpu().with_network(Some(net.clone())), &connect4, None);
    each_engine(|engine| {
        let engine = engine.clone().with_evaluator(Wrapped::new(&net, None));
        assert_eq!(results(&engine, &connect4, None), expected, "{}", engine.info().adapter);
    });
    // In several chunks, which move.
    each_fast_adapter(|adapter| {
        let engine = opened(adapter).with_evaluator(Wrapped::new(&net, None));
        assert_eq!(results(&engine, &connect4, Some(40)), expected, "{}", adapter.info().name);
    });
}

#[test]
fn reports_mark_evaluators_as_inexact() {
    let game = Connect4::default();
    let net = network(&game, Trunk::Dense, 0, 16);
    let report =
        |engine: Engine| search_by(&engine, game.clone(), settings(2)).steps(&Position::start(&game), 4);
    let evaluated = report(Engine::cpu().with_evaluator(Wrapped::new(&net, None)));
    let of_net = (evaluated.net.as_deref(), evaluated.net_digest, evaluated.exact);
    assert_eq!(of_net, (Some("wrapped"), None, false));
    // The last evaluator counts.
    let both = Engine::cpu().with_evaluator(Wrapped::new(&net, None)).with_network(Some(net.clone()));
    assert!(both.evaluator().is_none());
    let exact = report(both);
    assert_eq!((exact.net.as_deref(), exact.exact), (Some("random-3"), true));
}

fn refused(engine: &Engine, settings: Settings) -> String {
    let error = Search::new(engine, Connect4::default(), settings).expect_err("it is refused");
    assert!(error.is_bad_input(), "{error}");
    error.to_string()
}

/// An error ends the run; the next one begins anew.
#[test]
fn errors_of_an_evaluator_end_the_run() {
    let game = Connect4::default();
    let net = network(&game, Trunk::Dense, 0, 16);
    let run = |search: &mut Search<Connect4>| {
        search.run(&Position::start(&game), Budget::steps(6)).map(|report| report.fingerprint)
    };
    let open = |engine: &Engine, wrong| {
        let engine = engine.clone().with_evaluator(Wrapped::new(&net, wrong));
        let settings = Settings { trees: Some(2), ..settings(3) };
        search_by(&engine, game.clone(), settings)
    };
    each_engine(|engine| {
        let expected = run(&mut open(engine, None)).expect("it runs");
        for (wrong, what) in [
            (Wrong::Fails, "the evaluator wrapped: the model is gone"),
            (Wrong::IsNan, " has the logit of a draw, NaN: give finite numbers"),
            (Wrong::IsLeftOut, " has the logit of action 0, NaN: give finite numbers"),
        ] {
            let mut search = open(engine, Some((3, wrong)));
            let error: Error = run(&mut search).expect_err("it fails");
            assert!(error.is_evaluator() && error.to_string().contains(what), "{error}");
            if wrong != Wrong::Fails {
                assert!(error.to_string().starts_with("the evaluator wrapped: leaf "), "{error}");
            }
            assert_eq!(run(&mut search).expect("it runs again"), expected);
        }
    });
}

#[test]
fn an_evaluator_evaluates_for_one_engine() {
    let net = network(&Connect4::default(), Trunk::Dense, 0, 16);
    let one = "an evaluator needs one adapter or the CPU engine";
    each_adapter(|adapter| {
        let two = Engine::devices_of(devices(adapter, 2)).with_evaluator(Wrapped::new(&net, None));
        assert!(refused(&two, settings(2)).contains(one));
    });
    for message in on_ranks(2, |ranks| {
        let engine = Engine::cpu().over(ranks).with_evaluator(Wrapped::new(&net, None));
        Search::new(&engine, Connect4::default(), settings(2)).expect_err("it is refused").to_string()
    }) {
        assert!(message.contains(one), "{message}");
    }
    let engine = Engine::cpu().with_evaluator(Wrapped::new(&net, None));
    let fused = Settings { schedule: Some(mcts_wgpu::Schedule::Fused), ..settings(1) };
    let message = refused(&engine, fused);
    assert!(message.contains("evaluator") && message.contains("staged"), "{message}");
}
