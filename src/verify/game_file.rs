//! What `check-game` finds in a game file, as a check of the report.

use super::Check;
use crate::conformance::FileReport;
use std::time::Duration;

impl Check {
    /// The check of a game file, as far as it is one of this kind.
    pub fn of_file(report: &FileReport, time: Duration) -> Self {
        let mut check = Self::new("game file", "random games of the file against its contract", "games");
        let found = report.findings.iter().map(|finding| (1, finding.to_string()));
        check.compared(&report.game, u64::from(report.statistics.games), found.collect::<Vec<_>>());
        for what in &report.unchecked {
            check.left_out(what, "this adapter can't");
        }
        check.seconds = time.as_secs_f64();
        check
    }
}
