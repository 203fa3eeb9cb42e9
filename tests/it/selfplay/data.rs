//! Training data agree with the games.

use super::{config, evaluated, game, play};
use crate::support::prelude::*;
use mcts_wgpu::{contest::read_log, selfplay::SelfPlayConfig};
use safetensors::SafeTensors;

fn logged(folder: &Path) -> HashMap<u64, LoggedGame> {
    let mut games = HashMap::new();
    read_log(&folder.join("games.jsonl"), |game| {
        assert!(games.insert(game.game_number, game).is_none());
        Ok(())
    })
    .expect("the log can be read");
    games
}

/// The position of a logged game before a ply.
fn before(logged: &LoggedGame, ply: usize) -> Position<Connect4> {
    position_after(&game(), &logged.moves[..ply])
}

/// Checks the rows of a file; returns their number.
fn check_file(bytes: &[u8], games: &HashMap<u64, LoggedGame>, ended: &mut Vec<u64>) -> usize {
    let file = SafeTensors::deserialize(bytes).expect("a file of safetensors");
    let (_, header) = SafeTensors::read_metadata(bytes).expect("a header");
    let message = header.metadata().clone().expect("metadata");
    let of_message = ["format", "game", "seed"].map(|field| &*message[field]);
    assert_eq!(of_message, ["mcts-wgpu-data-1", "connect4", "7"]);
    let data = |name: &str| file.tensor(name).expect("the tensor is there").data().to_vec();
    let words = |name: &str| -> Vec<u16> { bytemuck::pod_collect_to_vec(&data(name)) };
    let (policy, plies) = (words("policy"), words("ply"));
    let numbers: Vec<u32> = bytemuck::pod_collect_to_vec(&data("game"));
    let (planes, outcomes) = (data("planes"), data("outcome"));
    assert_eq!(file.tensor("planes").expect("planes").shape(), [plies.len(), 4, 4, 5]);
    for row in 0..plies.len() {
        let (logged, ply) = (&games[&numbers[row].into()], usize::from(plies[row]));
        assert!(ply >= logged.opening.as_ref().map_or(0, |opening| opening.moves));
        let position = before(logged, ply);
        for (at, &bit) in planes[80 * row..80 * (row + 1)].iter().enumerate() {
            let cell = game().cell_planes(position.state(), position.turn(), at as u32 % 20);
            assert_eq!(u32::from(bit), cell >> (at / 20) & 1, "row {row}");
        }
        let policy = &policy[5 * row..5 * (row + 1)];
        assert_eq!(policy.iter().map(|&share| u32::from(share)).sum::<u32>(), 65_535);
        let legal = position.legal_actions();
        assert!((0..5).all(|action| policy[action] == 0 || legal.contains(&(action as u32))));
        let won = match logged.result {
            Outcome::Draw => 1,
            result if (result == Outcome::FirstWins) == (position.turn() == Player::First) => 0,
            _ => 2,
        };
        assert_eq!(outcomes[row], won, "row {row}");
    }
    let mut numbers: Vec<_> = numbers.into_iter().map(u64::from).collect();
    numbers.dedup();
    // A game is complete, and in one file.
    assert!(numbers.iter().all(|number| !ended.contains(number)));
    ended.extend(numbers);
    plies.len()
}

#[test]
fn rows_are_those_of_the_games() {
    for by_net in [true, false] {
        let folder = fresh_folder(&format!("selfplay-rows-{by_net}"));
        let summary = play(&evaluated(Engine::cpu(), &game(), by_net), &config(), &folder);
        let games = logged(&folder);
        assert_eq!((games.len() as u64, summary.tally.games), (14, 14));
        let (mut ended, mut rows) = (Vec::new(), 0);
        for (name, bytes) in files_in(&folder).iter().filter(|(name, _)| name.starts_with("data")) {
            let found = check_file(bytes, &games, &mut ended);
            assert!(found >= 30 || name.contains(&format!("{:05}", summary.files - 1)), "{name}");
            rows += found;
        }
        assert_eq!(rows as u64, summary.tally.rows);
        assert!(rows > 14 && summary.tally.full_rounds < summary.rounds);
        let moves: usize = games.values().map(|game| game.moves.len()).sum();
        assert_eq!(moves as u64, summary.tally.moves);
    }
}

/// A player that resigns loses in a position that goes on; without resignations, all games are played to their ends.
#[test]
fn logs_have_the_ends_of_games() {
    let engine = evaluated(Engine::cpu(), &game(), false);
    let mut resigned = [0, 0];
    for (resign, count) in [0.0, 0.45].into_iter().zip(&mut resigned) {
        let folder = fresh_folder(&format!("selfplay-endings-{resign}"));
        let config = SelfPlayConfig { resign, games: 40, parallel: Some(20), ..config() };
        let summary = play(&engine, &config, &folder);
        for game in logged(&folder).values() {
            let last = before(game, game.moves.len());
            match &game.resigned {
                Some(resigned) => {
                    assert_eq!((last.outcome(), last.turn()), (None, resigned.by));
                    assert_eq!(game.result.points(resigned.by), 0.0);
                    *count += 1;
                }
                None => assert_eq!(last.outcome(), Some(game.result)),
            }
        }
        assert_eq!(summary.tally.resigned, *count);
        let unresigned = (summary.tally.unresigned, summary.tally.wrong_resignations);
        assert!(if resign > 0.0 { unresigned.0 > 0 } else { unresigned == (0, 0) }, "{unresigned:?}");
    }
    assert!(resigned[0] == 0 && resigned[1] > 5, "{resigned:?}");
}
