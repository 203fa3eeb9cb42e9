//! Commands that load and write game records (SGF).

use super::server::{Answer, GtpServer, text};
use crate::{
    error::Result,
    games::Go,
    input::read_file,
    patterns::records::{GameRecord, RecordEvent, read_games, set_up},
    protocols::{board, process::quoted},
    rules::{Game, Player, Position},
};
use std::path::Path;

/// The greatest size of a game record in bytes.
const MOST_BYTES: u64 = 16 << 20;

impl<G: Game> GtpServer<G> {
    /// Loads the first game of a file, up to the move before `place`: the number of a move, or its vertex.
    pub(super) fn load(&mut self, file: &str, place: Option<&str>) -> Answer {
        let record = read(file).map_err(|why| format!("cannot load file: {why}"))?;
        let game = board::with_sides(self.now().game(), (record.rows, record.columns)).map_err(text)?;
        let game = match record.komi {
            Some(komi) => board::with_komi(&game, komi as f32).map_err(text)?,
            None => game,
        };
        let go: &Go = game.as_any().downcast_ref().ok_or("cannot load file: game records are of go")?;
        let before = place.map_or(Ok(usize::MAX), |place| moves_before(&record, go, place))?;
        let mut notes = record.notes.clone();
        let played =
            play(&record, go, before, &mut notes).map_err(|why| format!("cannot load file: {why}"))?;
        if let [earlier @ .., last] = &played[..] {
            self.begin(last.translated(&game))?;
            self.positions.splice(0..0, earlier.iter().map(|position| position.translated(&game)));
        }
        notes.iter().for_each(|note| (self.notice)(&format!("notice: {file}: {note}")));
        Ok(String::new())
    }

    /// Writes the game as SGF to the answer, or to a file.
    pub(super) fn print_record(&self, file: Option<&str>) -> Answer {
        let positions: Option<Vec<_>> = self.positions.iter().map(Position::of_type).collect();
        let sgf = GameRecord::of(&positions.ok_or("game records are of go")?).to_sgf();
        let Some(file) = file else { return Ok(sgf) };
        std::fs::write(file, sgf).map_err(|why| format!("cannot write {}: {why}", quoted(file)))?;
        Ok(String::new())
    }
}

/// The number of moves before `place`: the number of a move, or the vertex of the first move there.
fn moves_before(record: &GameRecord, go: &Go, place: &str) -> std::result::Result<usize, String> {
    if let Ok(number) = place.parse::<i64>() {
        let before = usize::try_from(number - 1).ok();
        return before.ok_or_else(|| format!("syntax error: {} is not the number of a move", quoted(place)));
    }
    let wanted = board::action(go, place).ok_or_else(|| {
        format!("syntax error: {} is neither the number of a move nor a vertex", quoted(place))
    })?;
    let mut actions = record.events.iter().filter_map(|event| match event {
        RecordEvent::Move(_, action) => Some(*action),
        RecordEvent::Setup { .. } => None,
    });
    actions
        .position(|action| action == wanted)
        .ok_or_else(|| format!("cannot load file: the game has no move at {}", board::vertex(go, wanted)))
}

fn read(file: &str) -> std::result::Result<GameRecord, String> {
    let path = Path::new(file);
    if !path.is_file() {
        return Err("there is no such file".into());
    }
    let bytes = read_file(path, MOST_BYTES).map_err(text)?;
    read_games(bytes).into_iter().next().ok_or("there is no game in it")?.map_err(text)
}

/// The opening and the position after each of the first `most` moves; the last one has the player of the next move to
/// move. A player may move out of turn, as with `play`. Stones that are set up between moves change the position after
/// the last move. An illegal last move is left out with a note.
fn play(record: &GameRecord, go: &Go, most: usize, notes: &mut Vec<String>) -> Result<Vec<Position<Go>>> {
    let mut now = record.opening(go)?;
    let mut earlier = Vec::new();
    let is_setup = |event: &&RecordEvent| matches!(event, RecordEvent::Setup { .. });
    let mut events = record.events.iter().skip_while(is_setup).peekable();
    while let Some(event) = events.next() {
        match event {
            RecordEvent::Setup { stones, turn } => now = set_up(&now, stones, *turn)?,
            &RecordEvent::Move(player, _) if earlier.len() == most => {
                now = board::with_turn(&now, player)?;
                break;
            }
            &RecordEvent::Move(player, action) => match after(&now, player, action) {
                Ok(next) => earlier.push(std::mem::replace(&mut now, next)),
                Err(why) if events.peek().is_none() => notes.push(format!("{why}; left out")),
                Err(why) => return Err(why),
            },
        }
    }
    earlier.push(now);
    Ok(earlier)
}

/// The position after a move, even if it is the other player's turn.
fn after(position: &Position<Go>, player: Player, action: u32) -> Result<Position<Go>> {
    board::with_turn(position, player)?.after(&[action])
}
