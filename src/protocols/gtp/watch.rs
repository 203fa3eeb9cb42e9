//! Searches that a controller looks on at.

use super::{
    analysis::{OWNER_GAMES, Style, Wish},
    command::{Command, colour},
    server::{Answer, GtpServer, text},
};
use crate::{
    error::Error,
    protocols::{Brain, lines::Lines},
    rollout::RolloutReport,
    rules::{Game, Position},
    search::Budget,
};
use std::{
    io::{self, Write},
    time::Instant,
};

impl<G: Game> GtpServer<G> {
    /// Tells what is known of a position until the next line comes.
    pub(super) fn analyse(
        &mut self,
        style: Style,
        command: &Command,
        lines: &mut Lines,
        output: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let mut begin = Instant::now();
        let begun = Wish::parse(style, &command.arguments).and_then(|wish| {
            let side = wish.player.unwrap_or(self.now().turn());
            let position = self.to_move(colour(side))?;
            let playouts = playouts(&wish, &mut self.brain, &position)?;
            let line = self.look(&wish, &position, playouts.as_ref(), lines)?;
            Ok((wish, position, playouts, line))
        });
        let (wish, position, playouts, mut line) = match begun {
            Ok(begun) => begun,
            Err(why) => {
                write!(output, "{}", command.answer(&Err(why)))?;
                return output.flush();
            }
        };
        writeln!(output, "={}", command.id)?;
        loop {
            if !line.is_empty() {
                writeln!(output, "{line}")?;
            }
            output.flush()?;
            // A search ends at once where its root is proven: the next line comes no earlier for that.
            if lines.is_ready_by(begin + wish.interval) {
                break;
            }
            begin = Instant::now();
            match self.look(&wish, &position, playouts.as_ref(), lines) {
                Ok(next) => line = next,
                Err(_) => break,
            }
        }
        writeln!(output)?;
        output.flush()
    }

    fn look(
        &mut self,
        wish: &Wish,
        position: &Position<G>,
        playouts: Option<&RolloutReport>,
        lines: &mut Lines,
    ) -> Answer {
        let budget = Budget::time(wish.interval);
        let report = self.brain.analyse(position, budget, |_| lines.is_ready()).map_err(text)?;
        Ok(wish.line(position, &report, playouts))
    }

    /// `genmove` that tells what is known meanwhile, and moves at once where the next line comes.
    pub(super) fn generate_aloud(
        &mut self,
        style: Style,
        command: &Command,
        lines: &mut Lines,
        output: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let (mut begun, mut written) = (false, Ok(()));
        let answer = Wish::parse(style, &command.arguments).and_then(|wish| {
            let side = wish.player.unwrap_or(self.now().turn());
            if let Some(answer) = self.after_the_end(side, true) {
                return answer;
            }
            self.generate(side, true, |brain, position, time| {
                let playouts = playouts(&wish, brain, position).map_err(Error::invalid)?;
                begun = true;
                written = writeln!(output, "={}", command.id).and_then(|()| output.flush());
                let tell = |report: &_| {
                    let line = wish.line(position, report, playouts.as_ref());
                    if !line.is_empty() && written.is_ok() {
                        written = writeln!(output, "{line}").and_then(|()| output.flush());
                    }
                };
                brain.choose_aloud(position, time, wish.interval, tell, || lines.is_ready())
            })
        });
        written?;
        match answer {
            Err(_) if begun => writeln!(output)?,
            Err(why) => write!(output, "{}", command.answer(&Err(why)))?,
            Ok(vertex) => {
                if !begun {
                    writeln!(output, "={}", command.id)?;
                }
                write!(output, "play {vertex}\n\n")?;
            }
        }
        output.flush()
    }
}

/// Those that an analysis tells of.
fn playouts<G: Game>(
    wish: &Wish,
    brain: &mut Brain<G>,
    position: &Position<G>,
) -> Result<Option<RolloutReport>, String> {
    let wanted = wish.wants_playouts(position.game())?;
    let played = wanted.then(|| brain.owners.run(position, OWNER_GAMES));
    played.transpose().map_err(text)
}
