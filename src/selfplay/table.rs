//! A game in progress: moves, rows and resignations from the results of searches.

use super::{
    config::{ResolvedConfig, Round},
    numbers::{Purpose, number},
};
use crate::{
    error::{Error, Result},
    exact::rng::below,
    rules::{Game, Outcome, Player, Position},
    search::{ProvenValue, RootCounts},
};
use serde::{Deserialize, Serialize};

/// The sum of a row's policy.
pub const POLICY_SUM: u64 = 65_535;
/// Hopeless moves of its own in a row at which a player resigns.
const HOPELESS_MOVES: u32 = 3;

/// A position of a game that becomes training data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub ply: u16,
    /// [action]: the policy.
    pub policy: Vec<u16>,
}

/// A game, all but its position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub number: u64,
    /// Its random plies.
    pub opening: usize,
    pub rows: Vec<Row>,
    /// Hopeless moves of either player in a row, up to its last one.
    hopeless: [u32; 2],
    /// The player who would have resigned first, in a game without resignation.
    pub would_resign: Option<Player>,
}

/// The end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    pub result: Outcome,
    /// The player who resigned.
    pub resigned: Option<Player>,
}

impl Table {
    /// A game at the first position that is searched.
    ///
    /// # Errors
    /// An error of the rules.
    pub fn begin<G: Game>(resolved: &ResolvedConfig, game: &G, number_: u64) -> Result<(Self, Position<G>)> {
        let draw = |purpose, ply: usize| number(resolved.seed(), purpose, number_, ply as u64);
        let plies = below(draw(Purpose::OpeningLength, 0), u64::from(resolved.config.opening_plies) + 1);
        let mut position = Position::start(game);
        for ply in 0..plies as usize {
            let actions = position.legal_actions();
            let Some(&action) =
                actions.get(below(draw(Purpose::OpeningMove, ply), actions.len() as u64) as usize)
            else {
                break;
            };
            position.play(action)?;
            if position.outcome().is_some() {
                position.undo();
                break;
            }
        }
        let opening = position.moves().len();
        let table = Self { number: number_, opening, rows: Vec::new(), hopeless: [0; 2], would_resign: None };
        Ok((table, position))
    }

    /// Makes the next move, or resigns.
    ///
    /// # Errors
    /// Bad input for a game longer than its greatest number of plies; an error of the rules.
    pub fn play<G: Game>(
        &mut self,
        resolved: &ResolvedConfig,
        round: Round,
        position: &mut Position<G>,
        found: &RootCounts,
    ) -> Result<Option<End>> {
        let (game, ply) = (position.game().clone(), position.moves().len());
        let weights = weights(found);
        if round.is_full {
            let improved = found.policy.as_deref().filter(|_| found.proven.is_none());
            let policy = scaled(improved.unwrap_or(&weights), game.max_actions());
            self.rows.push(Row { ply: ply as u16, policy });
        }
        let turn = position.turn();
        if self.is_hopeless(turn, resolved.config.resign, found) {
            if resolved.may_resign(self.number) {
                return Ok(Some(End { result: turn.opponent().wins(), resigned: Some(turn) }));
            }
            self.would_resign.get_or_insert(turn);
        }
        // Gumbel variables make enough noise.
        let is_drawn = found.policy.is_none() && (ply as u64) < resolved.temperature_plies;
        let action = match is_drawn {
            true => drawn(&weights, number(resolved.seed(), Purpose::Move, self.number, ply as u64)),
            false => found.best,
        };
        position
            .play(action.ok_or_else(|| Error::invalid("a search from an ongoing position found no move"))?)?;
        if position.outcome().is_none() && ply + 1 >= game.max_plies() as usize {
            return Err(Error::invalid(format!(
                "game {} goes on after {} plies, and a game of {} has no more: let its rules end it, or say more plies",
                self.number,
                ply + 1,
                game.name()
            )));
        }
        Ok(position.outcome().map(|outcome| End { result: outcome, resigned: None }))
    }

    /// Whether the player has now had enough hopeless moves in a row.
    fn is_hopeless(&mut self, turn: Player, below: f64, found: &RootCounts) -> bool {
        let value = found.proven.map(ProvenValue::points).or(found.value);
        let moves = &mut self.hopeless[turn.index()];
        *moves = if value.is_some_and(|value| value < below) { *moves + 1 } else { 0 };
        *moves >= HOPELESS_MOVES
    }
}

/// The weights of moves and policies: the visits, without proven losses. Once the root is proven, trees do not grow,
/// and their visits are meaningless: then the best action alone has weight.
fn weights(found: &RootCounts) -> Vec<(u32, u64)> {
    let open = found.visits.iter().filter(|(action, n)| *n > 0 && !found.lost.contains(action));
    let open: Vec<_> = open.copied().collect();
    let is_undecided = found.proven.is_none() && !open.is_empty();
    if is_undecided { open } else { found.best.into_iter().map(|best| (best, 1)).collect() }
}

/// An action in proportion to its weight.
fn drawn(weights: &[(u32, u64)], number: u64) -> Option<u32> {
    let mut left = below(number, weights.iter().map(|(_, weight)| weight).sum());
    let drawn = weights.iter().find(|(_, weight)| {
        let is_here = left < *weight;
        left = left.saturating_sub(*weight);
        is_here
    });
    drawn.map(|(action, _)| *action)
}

/// Weights as shares of [`POLICY_SUM`], which they add up to: rounded down, and the greatest remainders up.
fn scaled(weights: &[(u32, u64)], actions: u32) -> Vec<u16> {
    let total: u128 = weights.iter().map(|(_, weight)| u128::from(*weight)).sum();
    let mut policy = vec![0; actions as usize];
    let mut left = POLICY_SUM;
    let mut remainders = Vec::new();
    for &(action, weight) in weights {
        let exact = u128::from(weight) * u128::from(POLICY_SUM);
        let share = (exact / total) as u16;
        policy[action as usize] = share;
        left -= u64::from(share);
        remainders.push((exact % total, action));
    }
    remainders.sort_by(|(a, of_a), (b, of_b)| b.cmp(a).then(of_a.cmp(of_b)));
    remainders.iter().take(left as usize).for_each(|(_, action)| policy[*action as usize] += 1);
    policy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::Engine,
        games::Connect4,
        selfplay::{SelfPlayConfig, SelfPlayTally},
    };

    /// Plays the first games of a config, in which the values of X's moves are these, and O's are 1; returns the end of
    /// the first one in which players may resign, or may not, and the player who would have resigned.
    fn resignations(values: &[f64], may_resign: bool) -> (Option<(End, usize)>, Option<Player>) {
        let game = Connect4::default();
        let config = SelfPlayConfig {
            resign: 0.2,
            opening_plies: 0,
            temperature_plies: Some(0),
            ..SelfPlayConfig::default()
        };
        let resolved = ResolvedConfig::new(&config, &game, &Engine::cpu());
        let number =
            (0..).find(|&number| resolved.may_resign(number) == may_resign).expect("there are such games");
        let (mut table, mut position) = Table::begin(&resolved, &game, number).expect("a game");
        for value in values.iter().flat_map(|&value| [value, 1.0]) {
            // No player wins that early by these columns.
            let best = Some(position.moves().len() as u32 % 7);
            let found = RootCounts { best, value: Some(value), ..RootCounts::default() };
            let ended =
                table.play(&resolved, resolved.round(0), &mut position, &found).expect("a legal move");
            if let Some(end) = ended {
                return (Some((end, position.moves().len())), table.would_resign);
            }
        }
        (None, table.would_resign)
    }

    #[test]
    fn three_hopeless_moves_in_a_row_are_resigned() {
        let lost = End { result: Outcome::SecondWins, resigned: Some(Player::First) };
        for (values, ends) in [
            (&[0.19, 0.1, 0.0, 0.0][..], Some((lost, 4))),
            (&[0.1, 0.1, 0.2, 0.1, 0.1], None),
            (&[0.1, 0.3, 0.1, 0.1, 0.1], Some((lost, 8))),
        ] {
            assert_eq!(resignations(values, true), (ends, None), "{values:?}");
            let would = ends.map(|_| Player::First);
            assert_eq!(resignations(values, false), (None, would), "{values:?}");
        }
    }

    #[test]
    fn resignations_that_were_not_lost_are_counted() {
        let mut tally = SelfPlayTally::default();
        let end = |result| End { result, resigned: None };
        let table =
            |would_resign| Table { number: 0, opening: 0, rows: Vec::new(), hopeless: [0; 2], would_resign };
        for (would, result) in [
            (Some(Player::First), Outcome::FirstWins),
            (Some(Player::First), Outcome::SecondWins),
            (Some(Player::Second), Outcome::Draw),
            (None, Outcome::Draw),
        ] {
            tally.add(&table(would), 10, end(result));
        }
        let resigned = End { result: Outcome::FirstWins, resigned: Some(Player::Second) };
        tally.add(&table(None), 7, resigned);
        assert_eq!((tally.unresigned, tally.wrong_resignations, tally.resigned), (3, 2, 1));
        assert_eq!((tally.first_wins, tally.second_wins, tally.draws, tally.moves), (2, 1, 2, 47));
    }

    #[test]
    fn policies_add_up() {
        for weights in [vec![(0, 1), (1, 1), (2, 1)], vec![(3, 7)], vec![(1, u64::MAX >> 2), (2, 1)]] {
            let policy = scaled(&weights, 4);
            assert_eq!(policy.iter().map(|&share| u64::from(share)).sum::<u64>(), POLICY_SUM);
        }
        // 21845 each, and what is left of 65,536 goes to the greatest remainder.
        assert_eq!(scaled(&[(0, 2), (2, 1), (3, 4)], 4), [18724, 0, 9362, 37449]);
    }

    #[test]
    fn moves_are_drawn_in_proportion() {
        let weights = [(2, 1), (5, 3)];
        let quarters = [0, 1, 2, 3].map(|quarter| drawn(&weights, (quarter << 62) + 1));
        assert_eq!(quarters, [Some(2), Some(5), Some(5), Some(5)]);
        assert_eq!(drawn(&[], 1), None);
    }

    #[test]
    fn the_best_action_stands_for_a_proven_root() {
        let found = RootCounts {
            visits: vec![(0, 5), (1, 9), (2, 0), (4, 1)],
            policy: None,
            lost: vec![1],
            best: Some(4),
            value: Some(0.5),
            proven: None,
            is_full: false,
        };
        assert_eq!(weights(&found), [(0, 5), (4, 1)]);
        let unseen = RootCounts { lost: vec![0, 1, 4], best: Some(2), ..found.clone() };
        assert_eq!(weights(&unseen), [(2, 1)]);
        assert_eq!(weights(&RootCounts { proven: Some(ProvenValue::Draw), ..found }), [(4, 1)]);
    }
}
