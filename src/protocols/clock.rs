//! Time management: the time to allot to a move.

use crate::rules::Player;
use std::time::Duration;

/// Part of the remaining time that is not used for searching: a search that has just begun may end a quarter of a
/// second late, and answers take time to arrive.
const RESERVE: Duration = Duration::from_millis(300);
/// 1 / `RESERVED_PART` of a move's time is reserved too, for a busy machine.
const RESERVED_PART: u32 = 33;
/// Moves assumed to remain in a game, minimum and maximum.
const MOVES: std::ops::RangeInclusive<u32> = 8..=50;

/// Time limits of a game: main time for all moves, then a period for every so many stones (Canadian byo-yomi).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Main time.
    pub main: Duration,
    /// Time for every [`stones`](Self::stones) moves after main time.
    pub period: Duration,
    /// Stones per period; 0 if there are no periods.
    pub stones: u32,
}

/// A player's remaining time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Remaining main time, or time of the period.
    pub time: Duration,
    /// Stones left in the period; 0 in main time.
    pub stones: u32,
}

/// The clocks of both players.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// None if time is unlimited.
    limits: Option<Limits>,
    left: [Option<Left>; 2],
}

impl Clock {
    /// Sets new limits, and resets the clocks.
    pub fn set(&mut self, limits: Option<Limits>) {
        self.limits = limits;
        self.restart();
    }

    /// Resets the clocks for a new game with the same limits.
    pub fn restart(&mut self) {
        self.left = [self.limits.map(full); 2];
    }

    /// Sets a player's clock to the referee's.
    pub fn show(&mut self, player: Player, left: Left) {
        self.left[player.index()] = Some(left);
    }

    /// Time for the next move, if `moves` moves remain in the game; none if time is unlimited.
    pub fn allot(&self, player: Player, moves: u32) -> Option<Duration> {
        let left = self.left[player.index()]?;
        let (time, most) = match left.stones {
            0 => {
                let later = self.limits.filter(|limits| limits.stones > 0);
                let later = later.map_or(Duration::ZERO, |limits| limits.period / limits.stones);
                (share(left.time, moves).saturating_add(later), left.time.saturating_add(later))
            }
            stones => (left.time / stones, left.time),
        };
        Some(time.min(but_the_reserve(most)))
    }

    /// Charges a move's time to a player.
    pub fn spend(&mut self, player: Player, time: Duration) {
        let Some(left) = &mut self.left[player.index()] else { return };
        let over = time.saturating_sub(left.time);
        left.time = left.time.saturating_sub(time);
        let Some(limits) = self.limits.filter(|limits| limits.stones > 0) else { return };
        if left.stones > 1 {
            left.stones -= 1;
        } else if left.stones == 1 {
            *left = Left { time: limits.period, stones: limits.stones };
        } else if left.time.is_zero() {
            // The move that used up main time counts as the first of the period.
            *left = Left { time: limits.period.saturating_sub(over), stones: limits.stones };
            self.spend(player, Duration::ZERO);
        }
    }
}

/// Time for a move that has exactly this much time: subtracts the reserve.
pub fn but_the_reserve(time: Duration) -> Duration {
    time.saturating_sub(RESERVE + time / RESERVED_PART)
}

/// Time for a move if all remaining moves share this much time.
pub fn share(left: Duration, moves: u32) -> Duration {
    left / moves.clamp(*MOVES.start(), *MOVES.end())
}

fn full(limits: Limits) -> Left {
    if limits.main.is_zero() {
        return Left { time: limits.period, stones: limits.stones };
    }
    Left { time: limits.main, stones: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn clock(main: f64, period: f64, stones: u32) -> Clock {
        let mut clock = Clock::default();
        clock.set(Some(Limits { main: seconds(main), period: seconds(period), stones }));
        clock
    }

    fn left(clock: &Clock) -> (f64, u32) {
        let left = clock.left[0].expect("time is limited");
        (left.time.as_secs_f64(), left.stones)
    }

    #[test]
    fn without_limits_there_is_no_share() {
        let mut clock = Clock::default();
        clock.spend(Player::First, seconds(5.0));
        assert_eq!(clock.allot(Player::First, 30), None);
        clock.show(Player::Second, Left { time: seconds(8.0), stones: 0 });
        assert_eq!(clock.allot(Player::First, 30), None);
        assert!(clock.allot(Player::Second, 30).is_some());
    }

    #[test]
    fn main_time_is_shared_out() {
        let mut clock = clock(100.0, 0.0, 0);
        assert_eq!(clock.allot(Player::First, 20), Some(seconds(5.0)));
        assert_eq!(clock.allot(Player::First, 0), Some(seconds(12.5)));
        assert_eq!(clock.allot(Player::First, 1000), Some(seconds(2.0)));
        clock.spend(Player::First, seconds(60.0));
        assert_eq!(clock.allot(Player::First, 20), Some(seconds(2.0)));
        assert_eq!(clock.allot(Player::Second, 20), Some(seconds(5.0)));
        clock.spend(Player::First, seconds(60.0));
        assert_eq!(clock.allot(Player::First, 20), Some(Duration::ZERO));
        clock.restart();
        assert_eq!(clock.allot(Player::First, 20), Some(seconds(5.0)));
    }

    #[test]
    fn periods_begin_anew() {
        let mut clock = clock(10.0, 6.0, 2);
        assert_eq!(clock.allot(Player::First, 10), Some(seconds(4.0)));
        clock.spend(Player::First, seconds(12.0));
        assert_eq!(left(&clock), (4.0, 1));
        clock.spend(Player::First, seconds(1.0));
        assert_eq!(left(&clock), (6.0, 2));
        assert_eq!(clock.allot(Player::First, 10), Some(seconds(3.0)));
        clock.spend(Player::First, seconds(2.0));
        assert_eq!(left(&clock), (4.0, 1));
        let alone = clock.allot(Player::First, 10).expect("time is limited");
        assert!((3.5..3.75).contains(&alone.as_secs_f64()), "{alone:?}");
    }

    #[test]
    fn seconds_a_move() {
        let mut clock = clock(0.0, 1.0, 1);
        for _ in 0..3 {
            assert_eq!(left(&clock), (1.0, 1));
            let time = clock.allot(Player::First, 30).expect("time is limited").as_secs_f64();
            assert!((0.6..0.71).contains(&time), "{time}");
            clock.spend(Player::First, seconds(0.9));
        }
    }

    /// No flag falls if every move is late by at most the reserve.
    #[test]
    fn time_never_runs_out() {
        for (main, period, stones) in
            [(5.0, 0.0, 0), (60.0, 0.0, 0), (3.0, 5.0, 3), (0.0, 2.0, 1), (0.0, 9.0, 25)]
        {
            for late in [0.0, 0.1, 0.27] {
                let mut clock = clock(main, period, stones);
                for _ in 0..300 {
                    let (before, in_period) = left(&clock);
                    let time = clock.allot(Player::First, 30).expect("time is limited");
                    let used = if time.is_zero() { Duration::ZERO } else { time + seconds(late) };
                    let more = if in_period == 0 && stones > 0 { period } else { 0.0 };
                    assert!(used.as_secs_f64() <= before + more, "{main} {period} {stones} {late}");
                    clock.spend(Player::First, used);
                }
            }
        }
    }

    #[test]
    fn any_times_are_taken() {
        let endless = Limits { main: Duration::MAX, period: Duration::MAX, stones: 1 };
        let mut clock = Clock::default();
        clock.set(Some(endless));
        assert!(clock.allot(Player::First, 30).is_some());
        clock.spend(Player::First, Duration::MAX);
        assert!(clock.allot(Player::First, 30).is_some());
        clock.show(Player::First, Left { time: Duration::MAX, stones: u32::MAX });
        assert!(clock.allot(Player::First, 30).is_some());
    }
}
