//! A program together with the programs that it starts: they end together, where the system has process groups.
//!
//! A group of its own hears nothing of a Ctrl-C on the terminal. The program that has started it ends it instead.

use std::{
    io,
    process::{Child, Command, ExitStatus},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Leaders of all groups. One that has left may have been waited for: then its number can be that of a new process.
static LEADERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn leaders() -> MutexGuard<'static, Vec<u32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program, the leader, and all that it has started.
#[derive(Debug)]
pub struct Group {
    pub leader: Child,
}

impl Group {
    /// Starts the leader.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut leaders = leaders();
        let leader = system::leading(command).spawn()?;
        leaders.push(leader.id());
        Ok(Self { leader })
    }

    /// Has the leader ended?
    pub fn has_ended(&mut self) -> bool {
        system::has_ended(&mut self.leader)
    }

    /// Ends whoever of the group has not ended. Returns how the leader has.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        let mut leaders = leaders();
        if let Some(place) = leaders.iter().position(|&leader| leader == self.leader.id()) {
            leaders.swap_remove(place);
            system::end(self.leader.id());
            self.leader.kill().ok();
        }
        drop(leaders);
        self.leader.wait()
    }
}

/// Ends all groups, in a program that ends at once afterwards: nobody can start or end a group any more.
pub fn end_all() {
    let leaders = leaders();
    leaders.iter().copied().for_each(system::end);
    std::mem::forget(leaders);
}

#[cfg(unix)]
mod system {
    use super::{Child, Command};
    use rustix::{
        io::Errno,
        process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
    };
    use std::os::unix::process::CommandExt;

    pub fn leading(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    /// Whether or not it has, the leader stays to be waited for, which keeps its number from others.
    pub fn has_ended(leader: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(Pid::from_child(leader)), options) {
            Ok(status) => status.is_some(),
            Err(error) => error == Errno::CHILD,
        }
    }

    pub fn end(leader: u32) {
        if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
            kill_process_group(group, Signal::KILL).ok();
        }
    }
}

/// Here only leaders are ended.
#[cfg(not(unix))]
mod system {
    use super::{Child, Command};

    pub fn leading(command: &mut Command) -> &mut Command {
        command
    }

    pub fn has_ended(leader: &mut Child) -> bool {
        !matches!(leader.try_wait(), Ok(None))
    }

    pub fn end(_leader: u32) {}
}
