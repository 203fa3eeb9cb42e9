//! Which games are to be played: who plays whom, with which side, from which opening.

use super::{
    game::{Played, Scoring},
    log::{LoggedGame, LoggedOpening, described, rules_of},
    spec::Spec,
};
use crate::{
    error::{Error, Result},
    rules::{Game, Position},
};
use std::collections::HashSet;

/// A player of a match or a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Entrant {
    /// What it is called in logs and tables.
    pub name: String,
    /// What plays.
    pub spec: Spec,
}

/// One share of many, for machines that play a tournament together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TournamentPart {
    /// Which one, from 0 on.
    pub index: u64,
    /// How many there are.
    pub of: u64,
}

/// All games of a match or a round robin. The games of a pair are spread over it: game n is of pair n modulo the
/// number of pairs, so that more games can be added later on. A pair changes sides from game to game, and its games
/// 2k and 2k + 1 begin with the same opening.
#[derive(Debug, Clone)]
pub struct GameSchedule<G: Game> {
    /// Who plays; all meet each other.
    pub players: Vec<Entrant>,
    /// Games of each pair.
    pub games: u64,
    /// Positions that games begin with, at least one.
    starts: Vec<Position<G>>,
    /// Are the starts openings of a list?
    has_openings: bool,
    /// In Go.
    scoring: Option<Scoring>,
    part: TournamentPart,
    pairs: Vec<[usize; 2]>,
}

/// A game that is to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// Its number.
    pub number: u64,
    /// Places of the first and of the second player among the entrants.
    pub players: [usize; 2],
    /// Place of what it begins with.
    start: usize,
}

impl<G: Game> GameSchedule<G> {
    /// So many games of each pair, from the start of the game or from the openings in turn.
    ///
    /// # Errors
    /// Bad input for fewer than two players, for names that come twice, for no games, or for an opening after which
    /// the game is over.
    pub fn new(game: &G, players: Vec<Entrant>, games: u64, openings: Vec<Position<G>>) -> Result<Self> {
        if players.len() < 2 {
            return Err(Error::invalid("fewer than two players: give at least two"));
        }
        for (place, player) in players.iter().enumerate() {
            if players[..place].iter().any(|other| other.name == player.name) {
                return Err(Error::invalid(format!(
                    "two players are called '{}': give each a name of its own",
                    player.name
                )));
            }
        }
        let pairs: Vec<_> =
            (0..players.len()).flat_map(|a| (a + 1..players.len()).map(move |b| [a, b])).collect();
        if games == 0 || games.checked_mul(pairs.len() as u64).is_none() {
            return Err(Error::invalid(format!("{games} games: give at least 1, and not too many")));
        }
        if let Some(over) = openings.iter().position(|opening| opening.outcome().is_some()) {
            return Err(Error::invalid(format!("after opening {} the game is over: leave it out", over + 1)));
        }
        let has_openings = !openings.is_empty();
        let starts = if has_openings { openings } else { vec![Position::start(game)] };
        let scoring = Scoring::usual(game);
        let part = TournamentPart { index: 0, of: 1 };
        Ok(Self { players, games, starts, has_openings, scoring, part, pairs })
    }

    /// Only the pairs of the first player: the others do not meet one another.
    #[must_use]
    pub fn with_first_alone(mut self) -> Self {
        self.pairs.retain(|pair| pair.contains(&0));
        self
    }

    /// With games of Go scored so; other games have no scoring.
    #[must_use]
    pub fn scored_by(self, scoring: Scoring) -> Self {
        Self { scoring: self.scoring.map(|_| scoring), ..self }
    }

    /// Are dead stones taken off the board before a game is scored?
    pub(super) fn leaves_out_dead_stones(&self) -> bool {
        self.scoring == Some(Scoring::DeadStones)
    }

    /// Only the games of one part.
    #[must_use]
    pub fn part(self, part: TournamentPart) -> Self {
        Self { part, ..self }
    }

    /// The game.
    pub fn game(&self) -> &G {
        self.starts[0].game()
    }

    /// Pairs of players, by their places.
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// How many games there are in this part.
    pub fn len(&self) -> u64 {
        let all = self.games * self.pairs.len() as u64;
        all.saturating_sub(self.part.index).div_ceil(self.part.of)
    }

    /// Are there no games in this part?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A game by its number.
    pub(super) fn planned(&self, number: u64) -> Planned {
        let pairs = self.pairs.len() as u64;
        let (round, [a, b]) = (number / pairs, self.pairs[(number % pairs) as usize]);
        let players = if round % 2 == 0 { [a, b] } else { [b, a] };
        Planned { number, players, start: (round / 2 % self.starts.len() as u64) as usize }
    }

    /// All that games depend on.
    pub(super) fn in_words(&self) -> String {
        let Self { players, games, has_openings, scoring, part, pairs, .. } = self;
        let starts: Vec<_> = self.starts.iter().map(Position::moves).collect();
        let game = described(self.game());
        format!("{game} {players:?} {games} {has_openings} {scoring:?} {part:?} {pairs:?} {starts:?}")
    }

    /// The position that the first game begins with.
    pub(super) fn first_start(&self) -> &Position<G> {
        &self.starts[0]
    }

    /// The position that a game begins with.
    pub fn start(&self, planned: Planned) -> &Position<G> {
        &self.starts[planned.start]
    }

    /// Notes the number of a game that a log has.
    ///
    /// # Errors
    /// Bad input where it is of another match, or was noted before.
    pub fn note(&self, game: &LoggedGame, noted: &mut HashSet<u64>) -> Result<()> {
        self.check(game)?;
        if noted.insert(game.game_number) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "game {} is in the logs twice: was it written by two programs, or was a log given twice? Leave one out",
            game.game_number
        )))
    }

    /// The games of this part that were not noted, by their numbers.
    pub fn pending(&self, noted: HashSet<u64>) -> impl Iterator<Item = Planned> + Send + '_ {
        self.own().filter(move |number| !noted.contains(number)).map(|number| self.planned(number))
    }

    /// How many games of this part were not noted.
    pub fn left(&self, noted: &HashSet<u64>) -> u64 {
        let TournamentPart { index, of } = self.part;
        self.len() - noted.iter().filter(|&number| number % of == index).count() as u64
    }

    /// Numbers of the games of this part.
    fn own(&self) -> impl Iterator<Item = u64> + Send + use<G> {
        let TournamentPart { index, of } = self.part;
        (0..self.len()).map(move |place| index + place * of)
    }

    /// Is a game of a log one of these?
    fn check(&self, game: &LoggedGame) -> Result<()> {
        let differs = |what: &str, logged: &str, wanted: &str| {
            Err(Error::invalid(format!(
                "the log is of another match: its game {} has {what} {logged}, and here it is {wanted}; give another \
                 log",
                game.game_number
            )))
        };
        if game.game_number >= self.games * self.pairs.len() as u64 {
            return Err(Error::invalid(format!(
                "the log has a game {}, and here are {}: give more games, or another log",
                game.game_number,
                self.games * self.pairs.len() as u64
            )));
        }
        let [own, logged] = [described(self.game()), game.described()];
        if own != logged {
            return differs("the game", &logged, &own);
        }
        let [own, logged] = [self.scoring, game.scoring].map(|it| it.unwrap_or(Scoring::Area).name());
        if own != logged {
            return differs("the scoring", logged, own);
        }
        let planned = self.planned(game.game_number);
        let [first, second] = planned.players.map(|place| &self.players[place]);
        let sides = [
            ("first player", (&game.first, &game.first_player), first),
            ("second player", (&game.second, &game.second_player), second),
        ];
        for (what, (name, text), wanted) in sides {
            if (name.as_str(), text.as_str()) != (wanted.name.as_str(), wanted.spec.text()) {
                return differs(what, &told(name, text), &told(&wanted.name, wanted.spec.text()));
            }
        }
        let opening = names(self.start(planned));
        let logged = &game.moves[..game.opening.as_ref().map_or(0, |it| it.moves).min(game.moves.len())];
        if opening != logged {
            return differs("the opening", &told_moves(logged), &told_moves(&opening));
        }
        Ok(())
    }

    /// A game that was played, as a log has it.
    pub fn logged(&self, planned: Planned, played: Played) -> LoggedGame {
        let [first, second] = planned.players.map(|place| &self.players[place]);
        let (game, start) = (self.game(), self.start(planned));
        let before = start.moves().len();
        let mut moves = names(start);
        moves.extend(played.moves.iter().map(|&action| game.action_name(action)));
        let opening = LoggedOpening { number: planned.start as u64 + 1, moves: before };
        let idle = |player: &Entrant| player.spec.idle(game).into_iter().map(str::to_owned).collect();
        LoggedGame {
            version: env!("CARGO_PKG_VERSION").into(),
            game: game.name().into(),
            rules: rules_of(game),
            game_number: planned.number,
            first: first.name.clone(),
            second: second.name.clone(),
            first_player: first.spec.text().into(),
            second_player: second.spec.text().into(),
            first_idle: idle(first),
            second_idle: idle(second),
            opening: self.has_openings.then_some(opening),
            moves,
            result: played.result,
            fault: played.fault,
            resigned: played.resigned,
            scoring: self.scoring,
            dead: played.dead.iter().map(|&stone| game.action_name(stone)).collect(),
            seconds: vec![None; before].into_iter().chain(played.seconds.into_iter().map(Some)).collect(),
            reports: vec![None; before].into_iter().chain(played.reports).collect(),
        }
    }
}

/// Names of the moves of a position.
fn names<G: Game>(position: &Position<G>) -> Vec<String> {
    position.moves().iter().map(|&action| position.game().action_name(action)).collect()
}

fn told(name: &str, text: &str) -> String {
    if name == text { format!("'{name}'") } else { format!("'{name}' ({text})") }
}

fn told_moves(moves: &[String]) -> String {
    if moves.is_empty() { "none".into() } else { moves.join(",") }
}
