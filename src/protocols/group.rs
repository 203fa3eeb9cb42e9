//! A program and its child processes, which end together on systems with process groups.
//!
//! A terminal's Ctrl-C does not reach another process group: the program that started the group ends it.

use crate::host::locked;
use std::{
    io,
    process::{Child, Command, ExitStatus},
    sync::Mutex,
};

/// Leaders of all groups. A leader that has been waited for is removed, since its process id may be reused.
static LEADERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A process group: the leader and the processes that it started.
#[derive(Debug)]
pub struct Group {
    pub leader: Child,
}

impl Group {
    /// Starts the leader.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut leaders = locked(&LEADERS);
        let leader = system::leading(command).spawn()?;
        leaders.push(leader.id());
        Ok(Self { leader })
    }

    /// Whether the leader has ended.
    pub fn has_ended(&mut self) -> bool {
        system::has_ended(&mut self.leader)
    }

    /// Ends the processes left in the group. Returns the leader's exit status.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        let mut leaders = locked(&LEADERS);
        if let Some(place) = leaders.iter().position(|&leader| leader == self.leader.id()) {
            leaders.swap_remove(place);
            system::end(self.leader.id());
            self.leader.kill().ok();
        }
        drop(leaders);
        self.leader.wait()
    }
}

/// Ends all groups, in a program that is about to exit: groups can't be started or ended afterwards.
pub fn end_all() {
    let leaders = locked(&LEADERS);
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

    /// Whether the leader has ended. It is not reaped, so that its process id is not reused.
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

/// Without process groups only leaders are ended.
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
