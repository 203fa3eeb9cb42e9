//! Games in which something goes wrong.

use crate::support::prelude::*;
use mcts_wgpu::{
    Result,
    contest::{Choice, Played, RandomPlayer, play_game},
};
use std::thread::sleep;

/// A player with a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Faulty {
    Begins,
    Illegal,
    NoSuchAction,
    GivesUp,
    Sleeps,
}

impl Contestant<Connect4> for Faulty {
    fn begin(&mut self, _position: &Position<Connect4>) -> Result<()> {
        if *self == Self::Begins { Err(Error::invalid("no such program")) } else { Ok(()) }
    }

    fn choose(&mut self, position: &Position<Connect4>) -> Result<Choice> {
        match self {
            Self::NoSuchAction => Ok(Choice::new(u32::MAX)),
            Self::GivesUp if position.moves().len() > 3 => Err(Error::invalid("it has ended")),
            // Column 0 until it is full, and once more.
            Self::Illegal | Self::GivesUp => Ok(Choice::new(0)),
            Self::Sleeps => {
                sleep(Duration::from_millis(120));
                Ok(Choice::new(0))
            }
            Self::Begins => Err(Error::invalid("it did not begin")),
        }
    }
}

const LIMIT: Duration = Duration::from_millis(10);

fn game(mut players: [&mut dyn Contestant<Connect4>; 2], limit: Option<Duration>) -> Played {
    let [first, second] = &mut players;
    let start = Position::start(&Connect4::default());
    play_game(&start, [&mut **first, &mut **second], limit, &Stop::default())
        .expect("a game")
        .expect("an end")
}

#[test]
fn a_fault_loses_the_game() {
    let faults = [
        (Faulty::Begins, None, "could not begin: no such program"),
        (Faulty::Illegal, None, "is illegal in this position: the column is full"),
        (Faulty::NoSuchAction, None, "made an illegal move"),
        (Faulty::GivesUp, None, "gave no move: it has ended"),
        (Faulty::Sleeps, Some(LIMIT), "s for a move, of 0.01 s"),
    ];
    for (mut faulty, limit, what) in faults {
        for side in [Player::First, Player::Second] {
            let mut other = Patient;
            let played = match side {
                Player::First => game([&mut faulty, &mut other], limit),
                Player::Second => game([&mut other, &mut faulty], limit),
            };
            let fault = played.fault.expect("a fault");
            assert_eq!(fault.by, side, "{faulty:?}: {fault:?}");
            assert!(fault.what.contains(what), "{faulty:?}: {fault:?}");
            assert_eq!(played.result.points(side), 0.0);
            assert_eq!([played.seconds.len(), played.reports.len()], [played.moves.len(); 2]);
        }
    }
}

/// Leaves column 0 to the opponent: plays in columns 1 and 3 in turn, and blocks three discs in column 0.
struct Patient;

impl Contestant<Connect4> for Patient {
    fn begin(&mut self, _position: &Position<Connect4>) -> Result<()> {
        Ok(())
    }

    fn choose(&mut self, position: &Position<Connect4>) -> Result<Choice> {
        let own = position.moves().len() / 2;
        let column = if position.moves().iter().filter(|&&action| action == 0).count() == 3 {
            0
        } else {
            1 + own as u32 % 2 * 2
        };
        Ok(Choice::new(column))
    }
}

#[test]
fn a_game_has_its_moves_from_where_it_began() {
    let opening = position_after(&Connect4::default(), &["3", "3"]);
    let (mut first, mut second) = (RandomPlayer::new(1), RandomPlayer::new(2));
    let played = play_game(&opening, [&mut first, &mut second], None, &Stop::default());
    let played = played.expect("a game").expect("an end");
    let mut position = opening;
    played.moves.iter().for_each(|&action| position.play(action).expect("it is legal"));
    assert_eq!(position.outcome(), Some(played.result));
    assert_eq!((played.fault, played.reports.iter().flatten().count()), (None, 0));
}
