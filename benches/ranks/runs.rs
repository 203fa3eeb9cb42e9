//! Searches on several numbers of ranks, one after another.

use super::measured::{Costs, Kind, Measured, Result, Run, Series};
use serde_json::Value;
use std::{
    env, fs,
    process::{Command, Output, Stdio},
    thread::available_parallelism,
};

/// The argument by which a job of this program prints its costs as JSON.
pub const COSTS: &str = "--json";
/// The length of a search: some 75 agreements.
const SECONDS: f64 = 1.5;

pub struct Searched {
    pub name: &'static str,
    pub title: &'static str,
}

pub const GAMES: [Searched; 2] =
    [Searched { name: "connect4", title: "Connect 4" }, Searched { name: "go", title: "Go 9x9" }];

/// The sizes of searches on a kind of engine: a rank's share keeps it busy, and a step is short.
struct Sizes {
    trees: u32,
    trees_a_rank: u32,
    playouts: u32,
    gib: f64,
}

const CPU: Sizes = Sizes { trees: 64, trees_a_rank: 8, playouts: 8, gib: 0.25 };
const GPU: Sizes = Sizes { trees: 264, trees_a_rank: 132, playouts: 128, gib: 2.0 };

/// Measures series such as `cpu:1,2,4` with the program, and writes the results after each of them.
pub fn measure(program: &str, out: &str, series: &[&str]) -> Result<()> {
    let wanted: Vec<_> = series.iter().map(|text| adapter_and_ranks(text)).collect::<Result<_>>()?;
    let mut counts: Vec<u32> = wanted.iter().flat_map(|(_, ranks)| ranks).copied().collect();
    counts.sort_unstable();
    counts.dedup();
    let costs = counts.into_iter().map(costs).collect::<Result<_>>()?;
    let cores = available_parallelism()?.get() as u32;
    let mut measured =
        Measured { processor: processor(), cores, seconds: SECONDS, costs, series: Vec::new() };
    for (adapter, ranks) in wanted {
        measured.series.push(Bench { program, adapter }.series(&ranks)?);
        measured.write(out)?;
    }
    Ok(())
}

fn adapter_and_ranks(text: &str) -> Result<(&str, Vec<u32>)> {
    let parts = text.rsplit_once(':').and_then(|(adapter, ranks)| {
        let ranks: Vec<u32> = ranks.split(',').map(|count| count.parse().ok()).collect::<Option<_>>()?;
        (!ranks.contains(&0)).then_some((adapter, ranks))
    });
    parts.ok_or_else(|| format!("'{text}' is no series such as cpu:1,2,4").into())
}

/// The name of the processor, on Linux.
fn processor() -> String {
    let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu_info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("an unnamed processor", |(_, name)| name).into()
}

fn costs(ranks: u32) -> Result<Costs> {
    eprintln!("costs, ranks: {ranks}");
    let own = env::current_exe()?;
    Ok(serde_json::from_slice(&done(mpirun(ranks).arg(own).arg(COSTS).output()?)?)?)
}

/// A job of so many ranks that can use any core: by default, Open MPI binds two ranks to one core, where their threads
/// wait for one another.
fn mpirun(ranks: u32) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--bind-to", "none", "-n", &ranks.to_string()]);
    // Ranks that wait yield: by default, Open MPI's waiting slows down ranks that share a core.
    command.env("OMPI_MCA_mpi_yield_when_idle", "1");
    command
}

/// The output of a program; an error if it has failed.
fn done(output: Output) -> Result<Vec<u8>> {
    if !output.status.success() {
        return Err(format!("a run fails: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(output.stdout)
}

/// A program, and the adapter of its searches.
#[derive(Clone, Copy)]
struct Bench<'a> {
    program: &'a str,
    adapter: &'a str,
}

impl Bench<'_> {
    fn series(self, ranks: &[u32]) -> Result<Series> {
        let is_cpu = self.adapter == "cpu";
        let sizes = if is_cpu { &CPU } else { &GPU };
        let &Sizes { trees, trees_a_rank, playouts, .. } = sizes;
        let mut series =
            Series { adapter: String::new(), is_cpu, trees, trees_a_rank, playouts, runs: Vec::new() };
        for game in GAMES {
            for &ranks in ranks {
                eprintln!("{} with --adapter {}, ranks: {ranks}", game.title, self.adapter);
                // On a GPU programs do not overlap: a program hardly starts before the searches of the others have
                // ended.
                let programs = if is_cpu { ranks } else { 1 };
                let apart = self.apart(game.name, programs, sizes)?;
                series.adapter.clone_from(&apart[0].adapter);
                let mut add = |kind, found: &[Found]| {
                    let rate = found.iter().map(|found| found.tree_steps_per_second).sum();
                    series.runs.push(Run {
                        kind,
                        game: game.name.into(),
                        ranks,
                        tree_steps_per_second: rate,
                    });
                };
                if programs == ranks {
                    add(Kind::Apart, &apart);
                }
                add(Kind::Strong, &[self.together(game.name, ranks, trees, sizes)?]);
                add(Kind::Weak, &[self.together(game.name, ranks, ranks * trees_a_rank, sizes)?]);
            }
        }
        Ok(series)
    }

    /// One search over the ranks of a job.
    fn together(self, game: &str, ranks: u32, trees: u32, sizes: &Sizes) -> Result<Found> {
        let mut command = mpirun(ranks);
        command.arg(self.program);
        Found::new(&done(self.search(&mut command, game, trees, sizes).output()?)?)
    }

    /// As many programs as ranks, at the same time.
    fn apart(self, game: &str, ranks: u32, sizes: &Sizes) -> Result<Vec<Found>> {
        let begin = |_| {
            let mut command = Command::new(self.program);
            self.search(&mut command, game, sizes.trees_a_rank, sizes)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
        };
        let programs: Vec<_> = (0..ranks).map(begin).collect::<std::io::Result<_>>()?;
        let reports = programs.into_iter().map(|program| Found::new(&done(program.wait_with_output()?)?));
        reports.collect()
    }

    /// Adds the arguments of a search, with one thread a rank.
    fn search<'c>(self, to: &'c mut Command, game: &str, trees: u32, sizes: &Sizes) -> &'c mut Command {
        let (trees, playouts) = (trees.to_string(), sizes.playouts.to_string());
        let (seconds, gib) = (SECONDS.to_string(), sizes.gib.to_string());
        to.env("RAYON_NUM_THREADS", "1")
            .args(["search", game, "--json", "--variant", "ocp-prodigal", "--adapter", self.adapter])
            .args(["--trees", &trees, "--playouts", &playouts, "--time", &seconds, "--memory", &gib])
    }
}

struct Found {
    adapter: String,
    tree_steps_per_second: f64,
}

impl Found {
    fn new(report: &[u8]) -> Result<Self> {
        let report: Value = serde_json::from_slice(report)?;
        let (trees, rate) = (&report["trees"], &report["performance"]["steps_per_second"]);
        let rate = trees.as_f64().zip(rate.as_f64()).ok_or("a search does not report its speed")?;
        let adapter = report["engine"]["adapter"].as_str().ok_or("a search does not report its engine")?;
        Ok(Self { adapter: adapter.into(), tree_steps_per_second: rate.0 * rate.1 })
    }
}
