//! The memory limit of this program: that of its control group, such as a container's.

use std::{fs, path::Path, sync::OnceLock};

/// Bytes that the control groups of this program may have; `None` without a limit, or without control groups.
pub fn memory_limit() -> Option<u64> {
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        limit_of(&groups, Path::new("/sys/fs/cgroup"))
    })
}

/// The limit of a process's groups, whose folders are below `mounted`: a line of `groups` is `0::PATH` in version 2,
/// and `NUMBER:CONTROLLERS:PATH` in version 1.
fn limit_of(groups: &str, mounted: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (folder, file) = match controllers {
            "" => (mounted.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (mounted.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        // A group is bounded by the groups around it. In a container, the path may be one of the host.
        let within = Path::new(path.trim_start_matches('/')).ancestors();
        let limits = within.filter_map(|group| fs::read_to_string(folder.join(group).join(file)).ok());
        limits.filter_map(|limit| limit.trim().parse().ok()).min()
    });
    // Version 1 represents "no limit" by a number beyond all memory.
    limits.min().filter(|&limit| limit < 1 << 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_of_all_groups_counts() {
        let mounted = std::env::temp_dir().join(format!("mcts-wgpu-cgroup-{}", std::process::id()));
        let write = |file: &str, text: &str| {
            let file = mounted.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("folders can be made");
            fs::write(file, text).expect("files can be written");
        };
        assert_eq!(limit_of("0::/\n", &mounted), None);
        write("memory.max", "max\n");
        write("a/memory.max", "4096\n");
        write("a/b/memory.max", "8192\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/d/memory.limit_in_bytes", "1024\n");
        for (groups, limit) in [
            ("0::/\n", None),
            ("0::/a/b\n", Some(4096)),
            ("0::/a/b/of-the-host\n", Some(4096)),
            ("0::/elsewhere\n", None),
            ("9:pids:/d\n4:memory:/\n", None),
            ("4:cpu,memory:/d\n0::/\n", Some(1024)),
            ("4:memory:/d\n0::/a\n", Some(1024)),
            ("", None),
            ("no group", None),
        ] {
            assert_eq!(limit_of(groups, &mounted), limit, "{groups}");
        }
        fs::remove_dir_all(&mounted).ok();
    }
}
