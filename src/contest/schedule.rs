//! The games of a contest: their players, sides and openings.

use super::{
    game::{Played, Scoring},
    log::{LoggedGame, LoggedOpening, described},
    spec::Spec,
};
use crate::{
    error::{Error, Result},
    rules::{Game, Position, names_of, rules_of},
};
use std::collections::HashSet;

/// A player of a match or a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Entrant {
    /// Its name in logs and tables.
    pub name: String,
    /// The player.
    pub spec: Spec,
}

/// A part of a tournament, for machines that play it together: the games whose number is `index` modulo `of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TournamentPart {
    /// The index of the part, from 0.
    pub index: u64,
    /// The number of parts.
    pub of: u64,
}

/// All games of a match or a round robin. Game n is of pair n modulo the number of pairs, so that a schedule with more
/// games begins with the same ones. A pair changes sides after each game; its games 2k and 2k + 1 have the same
/// opening.
#[derive(Debug, Clone)]
pub struct GameSchedule<G: Game> {
    /// The players.
    pub players: Vec<Entrant>,
    /// Games of each pair.
    pub games: u64,
    /// First positions of games, at least one.
    starts: Vec<Position<G>>,
    /// The starts are openings of a list.
    has_openings: bool,
    /// In Go.
    scoring: Option<Scoring>,
    part: TournamentPart,
    pairs: Vec<[usize; 2]>,
}

/// A game of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// Its number.
    pub number: u64,
    /// Indices of the first and the second player among the entrants.
    pub players: [usize; 2],
    /// Index of its first position.
    start: usize,
}

impl<G: Game> GameSchedule<G> {
    /// A round robin with `games` games of each pair, from the start of the game or from the openings in turn.
    ///
    /// # Errors
    /// Bad input for fewer than two players, two players of one name, no games, or an opening that ends the game.
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

    /// The same schedule with the first player's games only.
    #[must_use]
    pub fn with_first_alone(mut self) -> Self {
        self.pairs.retain(|pair| pair.contains(&0));
        self
    }

    /// The same schedule with this scoring of Go; other games have none.
    #[must_use]
    pub fn scored_by(self, scoring: Scoring) -> Self {
        Self { scoring: self.scoring.map(|_| scoring), ..self }
    }

    /// Whether dead stones are taken off the board before a game is scored.
    pub(super) fn leaves_out_dead_stones(&self) -> bool {
        self.scoring == Some(Scoring::DeadStones)
    }

    /// The same schedule with the games of one part only.
    #[must_use]
    pub fn part(self, part: TournamentPart) -> Self {
        Self { part, ..self }
    }

    /// The game.
    pub fn game(&self) -> &G {
        self.starts[0].game()
    }

    /// Pairs of players, by their indices.
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// The number of games in this part.
    pub fn len(&self) -> u64 {
        let all = self.games * self.pairs.len() as u64;
        all.saturating_sub(self.part.index).div_ceil(self.part.of)
    }

    /// Whether this part has no games.
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

    /// All data that games depend on, as text.
    pub(super) fn in_words(&self) -> String {
        let Self { players, games, has_openings, scoring, part, pairs, .. } = self;
        let starts: Vec<_> = self.starts.iter().map(Position::moves).collect();
        let game = described(self.game());
        format!("{game} {players:?} {games} {has_openings} {scoring:?} {part:?} {pairs:?} {starts:?}")
    }

    /// The first position of a game.
    pub fn start(&self, planned: Planned) -> &Position<G> {
        &self.starts[planned.start]
    }

    /// Adds the number of a logged game to `noted`.
    ///
    /// # Errors
    /// Bad input if the game is of another match, or was noted before.
    pub fn note(&self, game: &LoggedGame, noted: &mut HashSet<u64>) -> Result<()> {
        self.check(game)?;
        if noted.insert(game.game_number) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "game {} is in the logs twice: leave out one of the logs",
            game.game_number
        )))
    }

    /// The games of this part that are not in `noted`, by number.
    pub fn pending(&self, noted: HashSet<u64>) -> impl Iterator<Item = Planned> + Send + '_ {
        let TournamentPart { index, of } = self.part;
        let own = (0..self.len()).map(move |place| index + place * of);
        own.filter(move |number| !noted.contains(number)).map(|number| self.planned(number))
    }

    /// The number of games of this part that are not in `noted`.
    pub fn left(&self, noted: &HashSet<u64>) -> u64 {
        let TournamentPart { index, of } = self.part;
        self.len() - noted.iter().filter(|&number| number % of == index).count() as u64
    }

    /// Checks that a logged game is of this schedule.
    fn check(&self, game: &LoggedGame) -> Result<()> {
        let differs = |what: &str, logged: &str, wanted: &str| {
            Err(Error::invalid(format!(
                "the log is of another match: in its game {}, {what} is {logged} instead of {wanted}; name another \
                 log",
                game.game_number
            )))
        };
        if game.game_number >= self.games * self.pairs.len() as u64 {
            return Err(Error::invalid(format!(
                "the log has a game {}, but the number of games is {}: raise it, or name another log",
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
                return differs(
                    what,
                    &player_text(name, text),
                    &player_text(&wanted.name, wanted.spec.text()),
                );
            }
        }
        let opening = self.start(planned).move_names();
        let logged = &game.moves[..game.opening.as_ref().map_or(0, |it| it.moves).min(game.moves.len())];
        if opening != logged {
            return differs("the opening", &moves_text(logged), &moves_text(&opening));
        }
        Ok(())
    }

    /// The log entry of a finished game.
    pub fn logged(&self, planned: Planned, played: Played) -> LoggedGame {
        let [first, second] = planned.players.map(|place| &self.players[place]);
        let (game, start) = (self.game(), self.start(planned));
        let before = start.moves().len();
        let mut moves = start.move_names();
        moves.extend(names_of(game, &played.moves));
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
            dead: names_of(game, &played.dead),
            seconds: vec![None; before].into_iter().chain(played.seconds.into_iter().map(Some)).collect(),
            reports: vec![None; before].into_iter().chain(played.reports).collect(),
        }
    }
}

fn player_text(name: &str, text: &str) -> String {
    if name == text { format!("'{name}'") } else { format!("'{name}' ({text})") }
}

fn moves_text(moves: &[String]) -> String {
    if moves.is_empty() { "none".into() } else { moves.join(",") }
}
