//! Work over ranks, here threads of one process: the results of one machine, whatever the number of ranks; an error of
//! one rank is an error of all, and never a hang.

mod games;
mod rollouts;
mod searches;

use crate::support::prelude::*;
use mcts_wgpu::Result;
use std::fmt::Debug;

/// One rank has an error of its own, which the others report.
#[track_caller]
fn assert_failed<T: Debug>(results: &[Result<T>], rank: usize, kind: ErrorKind) {
    let kinds: Vec<_> = results.iter().map(|result| result.as_ref().err().map(Error::kind)).collect();
    let expected = (0..results.len()).map(|other| Some(if other == rank { kind } else { ErrorKind::Rank }));
    assert_eq!(kinds, expected.collect::<Vec<_>>(), "{results:?}");
    let own = results[rank].as_ref().expect_err("the rank has failed").to_string();
    for (_, other) in results.iter().enumerate().filter(|&(other, _)| other != rank) {
        let message = other.as_ref().expect_err("all ranks have failed").to_string();
        assert!(message.contains(&format!("rank {rank}")) && message.contains(&own), "{message}");
    }
}
