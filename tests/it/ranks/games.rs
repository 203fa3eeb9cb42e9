//! Tournaments over ranks.

use super::assert_failed;
use crate::{
    contest::entrants,
    support::{prelude::*, ranks::on_ranks},
};
use mcts_wgpu::{
    Ranks, Result,
    contest::{Conduct, Event, External, Host, Log, play_across, play_all, read_log},
};
use std::{num::NonZeroUsize, sync::OnceLock};

/// The CPU for all ranks, and a program that only some ranks have.
struct TestHost {
    has_programs: bool,
    /// Set once a rank without programs is asked for one: the others have none before.
    missed: Arc<OnceLock<()>>,
    stop: Stop,
}

impl Host for TestHost {
    fn engine(&self, _adapter: Option<&str>) -> Result<Engine> {
        Ok(Engine::cpu())
    }

    fn external<G: Game>(&self, _external: &External, game: &G) -> Result<Box<dyn Contestant<G>>> {
        if self.has_programs {
            self.missed.wait();
        } else {
            self.missed.get_or_init(|| ());
            return Err(Error::invalid("there is no such program"));
        }
        "random".parse::<mcts_wgpu::contest::Spec>()?.open(game, self)
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

fn host(has_programs: bool) -> TestHost {
    TestHost { has_programs, missed: Arc::new(OnceLock::from(())), stop: Stop::default() }
}

fn schedule(texts: &[&str], games: u64) -> GameSchedule<Connect4> {
    GameSchedule::new(&Connect4::default(), entrants(texts), games, Vec::new()).expect("a schedule")
}

fn all() -> GameSchedule<Connect4> {
    schedule(&["vanilla:steps=20", "ocp-thrifty:steps=9,trees=2,playouts=4", "random"], 4)
}

fn parallel(games: usize) -> Conduct {
    Conduct { parallel: NonZeroUsize::new(games).expect("at least one"), ..Conduct::default() }
}

/// The properties of games that do not depend on the clock, by number.
fn message(path: &Path) -> Vec<(u64, String, Vec<String>)> {
    let mut games = Vec::new();
    let keep = |game: LoggedGame| {
        games.push((
            game.game_number,
            format!("{} {} {:?}", game.first, game.second, game.result),
            game.moves,
        ));
        Ok(())
    };
    read_log(path, keep).expect("the log is read");
    games.sort();
    games
}

/// Plays the games that the log lacks; the observer of each rank may break after so many calls.
fn play(ranks: &Ranks, path: &Path, breaks: impl Fn(usize, bool) -> bool) -> Result<usize> {
    let (schedule, mut noted) = (all(), HashSet::new());
    let mut log = (ranks.rank() == 0)
        .then(|| Log::open(path, |game| schedule.note(&game, &mut noted)).expect("the log is written").0);
    let mut games = 0;
    let pending = schedule.pending(noted);
    let on = (&host(true), parallel(1 + ranks.rank() % 2));
    play_across(ranks, &schedule, pending, on, log.as_mut(), |event| {
        let is_game = matches!(event, Event::Game(_));
        games += usize::from(is_game);
        if breaks(games, is_game) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(games)
}

fn expected() -> Vec<(u64, String, Vec<String>)> {
    let path = fresh_file("ranks_alone.jsonl");
    let (schedule, mut log) = (all(), Log::open(&path, |_| Ok(())).expect("the log is written").0);
    let pending = schedule.pending(HashSet::new());
    let on = (&host(true), parallel(1));
    play_all(&schedule, pending, on, Some(&mut log), |_| ControlFlow::Continue(()))
        .expect("the games are played");
    message(&path)
}

#[test]
fn games_are_those_of_one_machine_and_a_match_goes_on() {
    let expected = expected();
    assert_eq!(expected.len(), 12);
    for size in [1, 2, 3] {
        let path = fresh_file(&format!("ranks_{size}.jsonl"));
        let games = on_ranks(size, |ranks| play(ranks, &path, |_, _| false).expect("the games are played"));
        assert_eq!((games[0], games[1..].iter().sum::<usize>()), (12, 0));
        assert_eq!(message(&path), expected);
        let games = on_ranks(size, |ranks| play(ranks, &path, |_, _| false).expect("there are no games"));
        assert_eq!(games, vec![0; size]);

        let path = fresh_file(&format!("ranks_{size}_early.jsonl"));
        on_ranks(size, |ranks| play(ranks, &path, |games, _| games == 3).expect("the games are played"));
        let early = message(&path).len();
        assert!((3..12).contains(&early), "{early}");
        let games = on_ranks(size, |ranks| play(ranks, &path, |_, _| false).expect("the games are played"));
        assert_eq!(games[0], 12 - early);
        assert_eq!(message(&path), expected);
    }
}

/// As after a signal to this rank alone.
#[test]
fn any_rank_ends_the_games_of_all() {
    let path = fresh_file("ranks_stopped.jsonl");
    let long = schedule(&["vanilla:time=3000", "random"], 9);
    on_ranks(3, |ranks| {
        let breaks =
            |_: Event<'_>| if ranks.rank() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let pending = long.pending(HashSet::new());
        play_across(ranks, &long, pending, (&host(true), parallel(1)), None, breaks).expect("it ends");
    });
    let stop = Stop::when(|| true);
    let on_stop = on_ranks(2, |ranks| {
        let stop = if ranks.rank() == 1 { stop.clone() } else { Stop::default() };
        let host = TestHost { stop, ..host(true) };
        let pending = long.pending(HashSet::new());
        play_across(ranks, &long, pending, (&host, parallel(2)), None, |_| ControlFlow::Continue(()))
    });
    assert_eq!(on_stop, [Ok(()), Ok(())]);
    assert!(!path.exists());
}

/// No game ends before the rank without the program begins one, however late.
#[test]
fn an_error_of_one_rank_is_one_of_all() {
    let games = schedule(&["gtp:program", "random"], 50);
    let path = fresh_file("ranks_failed.jsonl");
    for lacking in [0, 1, 2] {
        let missed = Arc::new(OnceLock::new());
        let ended = on_ranks(3, |ranks| {
            let mut log =
                (ranks.rank() == 0).then(|| Log::open(&path, |_| Ok(())).expect("the log is written").0);
            let host = TestHost { missed: missed.clone(), ..host(ranks.rank() != lacking) };
            let pending = games.pending(HashSet::new());
            play_across(ranks, &games, pending, (&host, parallel(1)), log.as_mut(), |_| {
                ControlFlow::Continue(())
            })
        });
        assert_failed(&ended, lacking, ErrorKind::BadInput);
    }
    let different = on_ranks(2, |ranks| {
        let games = schedule(&["random", "random:seed=1"], 2 + ranks.rank() as u64);
        let pending = games.pending(HashSet::new());
        play_across(ranks, &games, pending, (&host(true), parallel(1)), None, |_| ControlFlow::Continue(()))
    });
    assert_failed(&different, 1, ErrorKind::BadInput);
}
