//! A search of Connect 4 whose leaves are evaluated by a network in ONNX, with the crate tract; and evaluations per
//! second on one core, beside those of a network of integers of 6 blocks of 64 channels.
//!
//! The model takes `[1, 4, 6, 7]` planes (f32, 0 or 1) and gives two outputs: `[1, 7]` logits of the actions, and
//! `[1, 3]` logits of a win, a draw and a loss of the player to move. `model.py` writes one of random numbers.

use mcts_wgpu::{
    Budget, Engine, Network, Position, Search,
    games::Connect4,
    net::{Evaluator, Leaves, Sizes, Trunk},
};
use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};
use tract_onnx::prelude::*;

type Failed = Box<dyn Error + Send + Sync>;

/// Planes, rows and columns of Connect 4, and its actions.
const SHAPE: [usize; 3] = [4, 6, 7];
const CELLS: usize = 6 * 7;
const ACTIONS: usize = 7;
/// The length and the number of runs: other work on the machine makes some of them slower.
const RUN: Duration = Duration::from_millis(400);
const RUNS: usize = 5;

/// A model of one leaf at a time: on one core, batches are no faster.
struct Model {
    name: String,
    plan: Arc<TypedRunnableModel>,
}

impl Model {
    fn open(path: &str) -> TractResult<Self> {
        let [planes, rows, columns] = SHAPE;
        let model = tract_onnx::onnx()
            .model_for_path(path)?
            .with_input_fact(0, f32::fact([1, planes, rows, columns]).into())?;
        Ok(Self { name: path.into(), plan: model.into_optimized()?.into_runnable()? })
    }
}

impl Evaluator for Model {
    fn name(&self) -> &str {
        &self.name
    }

    fn evaluate(&self, leaves: Leaves<'_>, policy: &mut [f32], value: &mut [f32]) -> Result<(), Failed> {
        let [planes, rows, columns] = leaves.shape;
        let outputs = policy.chunks_mut(leaves.actions).zip(value.chunks_mut(3));
        for (leaf, (policy, value)) in leaves.planes.chunks(planes * rows * columns).zip(outputs) {
            let bits: Vec<f32> = leaf.iter().map(|&bit| f32::from(bit)).collect();
            let input = Tensor::from_shape(&[1, planes, rows, columns], &bits)?;
            let outputs = self.plan.run(tvec!(input.into()))?;
            let [of_actions, of_outcomes] = &outputs[..] else {
                return Err("the model has other outputs than policy and value".into());
            };
            for (to, from) in [(policy, of_actions), (value, of_outcomes)] {
                let logits = from.to_plain_array_view::<f32>()?;
                if logits.len() != to.len() {
                    return Err(format!("an output has {} logits: give {}", logits.len(), to.len()).into());
                }
                to.iter_mut().zip(&logits).for_each(|(to, &logit)| *to = logit);
            }
        }
        Ok(())
    }
}

/// Evaluations per second in the fastest run; a call makes `count`.
fn rate(count: usize, mut evaluate: impl FnMut() -> Result<(), Failed>) -> Result<f64, Failed> {
    evaluate()?;
    let mut best = 0.0_f64;
    for _ in 0..RUNS {
        let (began, mut calls) = (Instant::now(), 0);
        while began.elapsed() < RUN {
            evaluate()?;
            calls += 1;
        }
        best = best.max((calls * count) as f64 / began.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn main() -> Result<(), Failed> {
    let path = std::env::args().nth(1).ok_or("give the file of a model: model.py writes one")?;
    let (game, model) = (Connect4::default(), Arc::new(Model::open(&path)?));
    let engine = Engine::cpu().with_evaluator(model.clone());
    let mut search = Search::new(&engine, game.clone(), Default::default())?;
    let report = search.run(&Position::start(&game), Budget::steps(200))?;
    println!("{report}\nevaluator: {}, exact: {}\n", report.net.as_deref().unwrap_or("none"), report.exact);

    let count = 64;
    let cells: Vec<u32> =
        (0..(count * CELLS) as u32).map(|cell| cell.wrapping_mul(0x9e37_79b9) >> 28).collect();
    let bit = |board: &[u32], at: usize| (board[at % CELLS] >> (at / CELLS) & 1) as u8;
    let boards = cells.chunks(CELLS);
    let planes: Vec<u8> =
        boards.flat_map(|board| (0..SHAPE[0] * CELLS).map(move |at| bit(board, at))).collect();
    let (mut policy, mut value) = (vec![0.0; count * ACTIONS], vec![0.0; count * 3]);
    let leaves = Leaves::new(&planes, SHAPE, ACTIONS);
    let by_model = rate(count, || model.evaluate(leaves, &mut policy, &mut value))?;
    let network = Network::random(Sizes::of_game(&game, Trunk::Conv, 6, 64)?, 1)?;
    let mut outputs = vec![0; count * (ACTIONS + 3)];
    let by_network = rate(count, || {
        network.evaluate(&cells, &mut outputs);
        Ok(())
    })?;
    println!("evaluations/s on one core: {by_model:.0} by {path}, {by_network:.0} by 6 x 64 in integers");
    Ok(())
}
