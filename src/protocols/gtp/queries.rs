//! Commands that return data of the position.

use super::{
    command::side,
    server::{Answer, GtpServer, text},
};
use crate::{
    protocols::{board, process::quoted},
    rules::Game,
    search::ActionReport,
};

/// Analysis commands for GoGui's board: the type of the answer, a label, the command.
const SHOWN: [[&str; 3]; 4] = [
    ["pspairs", "Values", "mcts-values"],
    ["pspairs", "Visits", "mcts-visits"],
    ["var", "Principal Variation", "mcts-principal_variation"],
    ["dboard", "Ownership", "mcts-ownership"],
];

impl<G: Game> GtpServer<G> {
    pub(super) fn query(&mut self, name: &str, arguments: &[&str]) -> Option<Answer> {
        Some(match (name, arguments) {
            ("showboard", []) => Ok(format!("\n{}", board::drawn(self.now()))),
            ("list_stones", [colour]) => self.list_stones(colour),
            ("final_score", []) => self.score(),
            ("final_status_list", [status]) => self.list_status(status),
            #[cfg(feature = "patterns")]
            ("printsgf", [] | [_]) => self.print_record(arguments.first().copied()),
            ("gogui-analyze_commands", []) => Ok(self.shown()),
            ("mcts-values", []) => self.pairs(|action| format!("{:.0}", 100.0 * action.q)),
            ("mcts-visits", []) => self.pairs(|action| action.n.to_string()),
            ("mcts-principal_variation", []) => self.principal_variation(),
            ("mcts-ownership", []) => self.ownership(),
            _ => return None,
        })
    }

    fn list_stones(&self, colour: &str) -> Answer {
        let side = side(colour)?;
        let game = self.now().game();
        let stones = board::stones(self.now());
        let stones = stones.ok_or_else(|| format!("{} has no names of points", board::title(game)))?;
        Ok(self.vertices(stones.into_iter().filter(|stone| stone.1 == side).map(|stone| stone.0)))
    }

    fn vertices(&self, actions: impl IntoIterator<Item = u32>) -> String {
        let names = actions.into_iter().map(|action| board::vertex(self.now().game(), action));
        names.collect::<Vec<_>>().join(" ")
    }

    /// The score; of a finished game of Go without dead stones.
    fn score(&mut self) -> Answer {
        let position = self.now().clone();
        let end = match position.outcome() {
            Some(_) => self.brain.dead.settled(&position).map_err(text)?,
            None => position,
        };
        board::lead(&end).ok_or_else(|| "cannot score: the game has not ended".into())
    }

    /// One chain a line.
    fn list_status(&mut self, status: &str) -> Answer {
        let position = self.now().clone();
        if position.game().owned_points() == 0 {
            return Err(format!("{} has no dead stones", board::title(position.game())));
        }
        let is_dead = match status {
            "dead" => true,
            "alive" => false,
            // Stones in seki are alive, and are not listed separately.
            "seki" => return Ok(String::new()),
            _ => return Err(format!("syntax error: {} is neither alive, seki nor dead", quoted(status))),
        };
        let dead = self.brain.dead.chains(&position).map_err(text)?;
        let all = position.game().chains(position.state()).into_iter().map(|(_, chain)| chain);
        let lines = all.filter(|chain| dead.contains(chain) == is_dead).map(|chain| self.vertices(chain));
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    /// The analysis commands that the game supports.
    fn shown(&self) -> String {
        let has = |command: &str| command != "mcts-ownership" || self.game.owned_points() > 0;
        let shown = SHOWN.iter().filter(|[_, _, command]| has(command)).map(|line| line.join("/"));
        shown.collect::<Vec<_>>().join("\n")
    }

    /// A text for each action with visits.
    fn pairs(&mut self, of: impl Fn(&ActionReport) -> String) -> Answer {
        let position = self.to_move(self.now().turn())?;
        let report = self.brain.analyse_for_a_move(&position).map_err(text)?;
        let looked_at = report.actions.iter().filter(|action| action.n > 0);
        let pairs = looked_at
            .map(|action| format!("{} {}", board::vertex(position.game(), action.index), of(action)));
        Ok(pairs.collect::<Vec<_>>().join("\n"))
    }

    fn principal_variation(&mut self) -> Answer {
        let position = self.to_move(self.now().turn())?;
        let report = self.brain.analyse_for_a_move(&position).map_err(text)?;
        Ok(self.vertices(report.principal_variation.iter().map(|action| action.index)))
    }

    /// Owners of points, from 1 (always Black) to -1 (always White), in rows from the top.
    fn ownership(&mut self) -> Answer {
        let position = self.to_move(self.now().turn())?;
        let report = self.brain.owners.run(&position, super::analysis::OWNER_GAMES).map_err(text)?;
        let owners =
            report.owners.ok_or_else(|| format!("{} has no ownership", board::title(position.game())))?;
        let share = |&sum: &i64| format!("{:.2}", sum as f64 / report.games as f64);
        let rows = board::rows_from_top(position.game(), &owners);
        let rows = rows.map(|row| row.iter().map(share).collect::<Vec<_>>().join(" "));
        Ok(format!("\n{}", rows.collect::<Vec<_>>().join("\n")))
    }
}
