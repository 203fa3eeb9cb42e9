//! Vanilla MCTS, the opponent by which searches on an engine are measured.

use super::{
    Choice, Contestant, Stop,
    ending::only_move,
    reports::{MoveReport, VanillaAction, VanillaPerformance, VanillaReport, VanillaTree},
    uct::{Grown, Node, Rule, Tree},
};
use crate::{
    error::{Error, Result},
    exact::ucb::ln,
    forest::DrawValue,
    rules::{Game, GameVisitor, Player, Position},
    search::Budget,
};
use rand_pcg::{Pcg64Mcg, rand_core::SeedableRng};
use std::time::{Duration, Instant};

/// Settings of vanilla MCTS.
#[derive(Debug, Clone, PartialEq)]
pub struct VanillaConfig {
    /// C, the UCB constant: 0 to 1,000,000.
    pub ucb_c: f32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The value of a draw.
    pub draw_value: DrawValue,
    /// Limits of a move.
    pub budget: Budget,
}

impl Default for VanillaConfig {
    /// C = 2, seed 0, five seconds.
    fn default() -> Self {
        Self { ucb_c: 2.0, seed: 0, draw_value: DrawValue::Half, budget: Budget::default() }
    }
}

/// Textbook Monte Carlo tree search: one thread, one tree, one playout per step, UCT.
///
/// Selection takes the child with the greatest q + C sqrt(ln(N) / n); unvisited children come first, in random order.
/// The first visit of a node plays a random game from it, the second visit expands it. Each move begins with a new
/// tree. With a budget of steps, a game depends on the seed and on its number only.
///
/// ```
/// use mcts_wgpu::{Budget, Position, contest::{Contestant, Vanilla, VanillaConfig}, games::Connect4};
/// let game = Connect4::default();
/// let config = VanillaConfig { budget: Budget::steps(500), ..VanillaConfig::default() };
/// let mut player = Vanilla::new(game.clone(), config, Default::default())?;
/// let position = Position::from_moves(&game, &["3", "2", "3", "2", "3", "2"])?;
/// player.begin(&position)?;
/// assert_eq!(player.choose(&position)?.action, 3);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug)]
pub struct Vanilla<G> {
    game: G,
    config: VanillaConfig,
    stop: Stop,
    /// The seed of the current game.
    seed: u64,
    move_limit: Option<Duration>,
    tree: Tree,
}

impl<G: Game> Vanilla<G> {
    /// Playouts use the policy of the game.
    ///
    /// # Errors
    /// Bad input for a C or a budget out of range, or for a game without rules in Rust.
    pub fn new(game: G, config: VanillaConfig, stop: Stop) -> Result<Self> {
        config.budget.validate()?;
        if !(0.0..=1e6).contains(&config.ucb_c) {
            return Err(Error::invalid(format!(
                "UCB constant {}: give a number from 0 to 1000000",
                config.ucb_c
            )));
        }
        if game.check_runs_in_rust().is_err() {
            return Err(Error::invalid(format!(
                "vanilla MCTS plays on the CPU, but the rules of {} run on devices only: choose another player",
                game.name()
            )));
        }
        let half_wins_of_draw = config.draw_value.win_points() - 1;
        let (seed, rule) = (config.seed, Rule { ucb_c: config.ucb_c, half_wins_of_draw });
        Ok(Self { game, config, stop, seed, move_limit: None, tree: Tree::new(rule, seed) })
    }

    /// Searches a position within a budget.
    ///
    /// # Errors
    /// Bad input if the game is over, or a playout does not end.
    pub fn search(&mut self, position: &Position<G>, budget: Budget) -> Result<VanillaReport> {
        if position.outcome().is_some() {
            return Err(Error::invalid("the game is over in this position: there is no move to search for"));
        }
        let began = Instant::now();
        let (tree, stop) = (&mut self.tree, &self.stop);
        let grown = self.game.reveal(Growth { tree, position, budget, stop })?;
        let mut children: Vec<Node> = self.tree.children().to_vec();
        children.sort_unstable_by_key(|child| child.action());
        Ok(self.report(position.turn(), &children, grown, began.elapsed().as_secs_f64()))
    }

    fn report(&self, turn: Player, children: &[Node], grown: Grown, seconds: f64) -> VanillaReport {
        let action = |&child: &Node| {
            let (index, n, n_wins) = (child.action(), child.n(), child.wins());
            let q = if n == 0 { 0.0 } else { n_wins / n as f64 };
            let width = f64::from(self.config.ucb_c) * (ln(grown.steps) / n as f64).sqrt();
            let win_flag = child.outcome() == Some(turn.wins());
            let name = self.game.action_name(index);
            VanillaAction { index, name, n, n_wins, q, ucb: (n > 0).then_some(q + width), win_flag }
        };
        let actions: Vec<_> = children.iter().map(action).collect();
        let rate = grown.steps as f64 / seconds.max(1e-9);
        VanillaReport {
            version: env!("CARGO_PKG_VERSION").into(),
            game: self.game.name().into(),
            policy: self.game.policy(),
            seed: self.seed,
            ucb_c: self.config.ucb_c,
            best: best(&actions).cloned(),
            n_root: grown.steps,
            actions,
            performance: VanillaPerformance {
                steps: grown.steps,
                steps_per_second: rate,
                playouts: grown.steps,
                playouts_per_second: rate,
                seconds,
            },
            trees_info: VanillaTree {
                count: 1,
                mean_depth: grown.depth_sum as f64 / grown.nodes as f64,
                max_depth: grown.max_depth,
                mean_size: grown.nodes as f64,
                max_size: u32::try_from(grown.nodes).unwrap_or(u32::MAX),
                full: grown.full,
            },
        }
    }
}

/// The growth of a tree, by the game itself.
struct Growth<'a, G: Game> {
    tree: &'a mut Tree,
    position: &'a Position<G>,
    budget: Budget,
    stop: &'a Stop,
}

impl<G: Game> GameVisitor for Growth<'_, G> {
    type Output = Result<Grown>;

    fn visit<H: Game>(self, game: &H) -> Result<Grown> {
        self.tree.grow((game, &self.position.translated(game)), self.budget, self.stop)
    }
}

/// The action to play: a proven win, else the one with the most playouts, then the most wins, then the first one.
fn best(actions: &[VanillaAction]) -> Option<&VanillaAction> {
    let better = |a: &VanillaAction, b: &VanillaAction| {
        (a.win_flag, a.n).cmp(&(b.win_flag, b.n)).then(a.n_wins.total_cmp(&b.n_wins))
    };
    actions.iter().rev().max_by(|a, b| better(a, b))
}

impl<G: Game> Contestant<G> for Vanilla<G> {
    fn number(&mut self, game: u64) {
        self.seed = self.config.seed.wrapping_add(game);
    }

    fn limit(&mut self, move_limit: Option<Duration>) {
        self.move_limit = move_limit;
    }

    fn begin(&mut self, _position: &Position<G>) -> Result<()> {
        self.tree.numbers = Pcg64Mcg::seed_from_u64(self.seed);
        Ok(())
    }

    fn choose(&mut self, position: &Position<G>) -> Result<Choice> {
        if let Some(only) = only_move(position) {
            return Ok(Choice::new(only));
        }
        let report = self.search(position, self.config.budget.at_most(self.move_limit))?;
        let best = report.best.as_ref().ok_or_else(|| Error::invalid("there is no legal action"))?;
        let action = best.index;
        Ok(Choice { report: Some(MoveReport::Vanilla(report.into())), ..Choice::new(action) })
    }
}
