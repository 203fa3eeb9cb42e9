//! Commands that search and report while they search.

use super::{
    analysis::{OWNER_GAMES, Request},
    command::Command,
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
    /// Analyses the position, with a line of results once an interval, until the next line of input.
    pub(super) fn analyse(
        &mut self,
        command: &Command,
        lines: &mut Lines,
        output: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let mut begin = Instant::now();
        let begun = Request::of(command).and_then(|request| {
            let side = request.player.unwrap_or(self.now().turn());
            let position = request.restricted(self.to_move(side)?, self.notice)?;
            let playouts = playouts(&request, &mut self.brain, &position)?;
            let line = self.look(&request, &position, playouts.as_ref(), lines)?;
            Ok((request, position, playouts, line))
        });
        let (request, position, playouts, mut line) = match begun {
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
            // A search with a proven root ends at once, but the next line keeps the interval.
            if lines.is_ready_by(begin + request.interval) {
                break;
            }
            begin = Instant::now();
            match self.look(&request, &position, playouts.as_ref(), lines) {
                Ok(next) => line = next,
                Err(_) => break,
            }
        }
        writeln!(output)?;
        output.flush()
    }

    fn look(
        &mut self,
        request: &Request,
        position: &Position<G>,
        playouts: Option<&RolloutReport>,
        lines: &mut Lines,
    ) -> Answer {
        let budget = Budget::time(request.interval);
        let report = self.brain.analyse(position, budget, |_| lines.is_ready()).map_err(text)?;
        Ok(request.line(position, &report, playouts))
    }

    /// `genmove` with a line of results once an interval. It moves at once after the next line of input.
    pub(super) fn generate_with_reports(
        &mut self,
        command: &Command,
        lines: &mut Lines,
        output: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let (mut begun, mut written, notice) = (false, Ok(()), self.notice);
        let answer = Request::of(command).and_then(|request| {
            let side = request.player.unwrap_or(self.now().turn());
            if let Some(answer) = self.after_the_end(side, true) {
                return answer;
            }
            self.generate(side, true, |brain, position, time| {
                let restricted = request.restricted(position.clone(), notice).map_err(Error::invalid)?;
                let playouts = playouts(&request, brain, &restricted).map_err(Error::invalid)?;
                begun = true;
                written = writeln!(output, "={}", command.id).and_then(|()| output.flush());
                let write_report = |report: &_| {
                    let line = request.line(&restricted, report, playouts.as_ref());
                    if !line.is_empty() && written.is_ok() {
                        written = writeln!(output, "{line}").and_then(|()| output.flush());
                    }
                };
                brain.choose_with_reports(&restricted, time, request.interval, write_report, || {
                    lines.is_ready()
                })
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

/// The playouts that a request needs, if any.
fn playouts<G: Game>(
    request: &Request,
    brain: &mut Brain<G>,
    position: &Position<G>,
) -> Result<Option<RolloutReport>, String> {
    let wanted = request.needs_playouts(position.game())?;
    let played = wanted.then(|| brain.owners.run(position, OWNER_GAMES));
    played.transpose().map_err(text)
}
