//! `mcts-wgpu plot`: figures from logs.

use super::{
    failure::{Failure, Result},
    figure::{Axis, Cell, Cells, Course, Curve, Dot, Dots, Figure, Grid, Panel, Panels, Point, png, svg},
    output::{create_folder, notice, print, write_file},
    play::logged::read_noting_torn,
};
use crate::{
    contest::{Kind, LoggedGame, PlayerStanding, Spec, Standings, stats::Rating},
    error::Error,
    names::counted,
};
use clap::Args;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
};

/// Draw figures from the logs of matches and tournaments, each as SVG and PNG
///
/// elo: each player's Elo in a tournament, with its 95 % interval.
///
/// scores: scores of searches with several numbers of trees (T) and playouts (m) against an opponent of another kind, a
/// panel for each variant. Below a score: playouts / steps per move, mean / greatest depth.
///
/// playouts: playouts per second, by m and T if the searches differ in them, else by player.
///
/// game-N: the course of a game: values of the best actions with UCB intervals, and depths of the trees. Drawn for the
/// first game of each pair.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Logs of `mcts-wgpu match`, `tournament` or `experiment`, all of one game
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Folder for the figures; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Draw game N only, instead of the first game of each pair
    #[arg(long, value_name = "N")]
    game: Option<u64>,
}

/// Reads the logs, draws, and prints the names of the files.
pub fn run(arguments: &Arguments) -> Result<()> {
    plot(&arguments.logs, &arguments.out, arguments.game)
}

/// Draws the figures of logs, and prints the names of the files. Move by move, it draws the game with this number, or
/// the first game of each pair.
pub fn plot(logs: &[PathBuf], out: &Path, game: Option<u64>) -> Result<()> {
    let found = Found::read(logs, game)?;
    let mut folder = Folder::new(out)?;
    found.draw(&mut folder)?;
    print(&folder.written)
}

/// Data of logs, summed game by game: with all reports, a log can be larger than memory.
#[derive(Default)]
struct Found {
    /// The number of the games to draw; `None` for the first game of each pair.
    wanted: Option<u64>,
    /// The game with its sizes and rules, as text.
    game: Option<String>,
    /// [`Spec`](crate::contest::Spec) texts of the players, by name.
    texts: HashMap<String, String>,
    standings: Standings,
    pairs: HashSet<[String; 2]>,
    courses: Vec<Course>,
}

impl Found {
    fn read(logs: &[PathBuf], wanted: Option<u64>) -> Result<Self> {
        let mut found = Self { wanted, ..Self::default() };
        for path in logs {
            read_noting_torn(path, |game| found.add(&game))?;
        }
        if found.game.is_none() {
            return Err(Failure::message("the logs have no games: give logs with games"));
        }
        Ok(found)
    }

    fn add(&mut self, game: &LoggedGame) -> crate::error::Result<()> {
        let described = game.described();
        let own = self.game.get_or_insert_with(|| described.clone());
        if *own != described {
            return Err(Error::invalid(format!(
                "the logs have games of {own} and of {described}: plot each separately"
            )));
        }
        for (name, text) in [(&game.first, &game.first_player), (&game.second, &game.second_player)] {
            let known = self.texts.entry(name.clone()).or_insert_with(|| text.clone());
            if known != text {
                return Err(Error::invalid(format!(
                    "'{name}' is both {known} and {text}: plot each log separately"
                )));
            }
        }
        self.standings.add(game);
        let mut pair = [game.first.clone(), game.second.clone()];
        pair.sort();
        let is_first = self.pairs.insert(pair);
        if self.wanted.map_or(is_first, |number| game.game_number == number) {
            self.courses.push(Course::new(game));
        }
        Ok(())
    }

    fn draw(&self, folder: &mut Folder) -> Result<()> {
        let (players, _) = self.standings.players();
        let players: Vec<_> = players.into_iter().map(Plotted::new).collect();
        self.ratings(folder, &players)?;
        self.scores(folder, &players)?;
        self.rates(folder, &players)?;
        if let (Some(number), []) = (self.wanted, &self.courses[..]) {
            return Err(Failure::message(format!("--game {number}: the logs have no such game")));
        }
        for course in &self.courses {
            if course.is_empty() {
                notice(&format!(
                    "notice: no figure of game {}: its players report neither values nor depths",
                    course.number
                ));
            } else {
                folder.write(&format!("game-{}", course.number), &course.figure())?;
            }
        }
        Ok(())
    }

    /// Elo of each player, if there are more than two.
    fn ratings(&self, folder: &mut Folder, players: &[Plotted]) -> Result<()> {
        let rated = players.iter().filter_map(|player| Some((player, player.standing.rating?)));
        let mut values: Vec<_> = rated
            .map(|(player, Rating { elo, error, .. })| Dot {
                name: player.standing.name.clone(),
                value: elo,
                error,
                label: format!("{elo:+.0} ± {error:.0}"),
            })
            .collect();
        if values.len() < 3 {
            return Ok(());
        }
        values.sort_by(|a, b| b.value.total_cmp(&a.value));
        let ends = || values.iter().map(|dot| [dot.value - dot.error, dot.value + dot.error]);
        let low = ends().map(|[low, _]| low).fold(0.0, f64::min);
        let high = ends().map(|[_, high]| high).fold(0.0, f64::max);
        folder.write(
            "elo",
            &Dots {
                title: format!("{}: Elo", self.described()),
                note: "0 is the mean of all players. Bars are 95 % intervals.".into(),
                axis: Axis::even("Elo", low..=high),
                values,
            },
        )
    }

    /// A grid for each opponent of enough searches.
    fn scores(&self, folder: &mut Folder, players: &[Plotted]) -> Result<()> {
        let mut drawn = false;
        for opponent in (0..players.len()).filter(|place| players[*place].search.is_none()) {
            if let Some(grid) = self.grid(opponent, players) {
                folder.write("scores", &grid)?;
                drawn = true;
            }
        }
        if !drawn {
            notice(
                "notice: no figure of scores: it needs searches that differ in trees or playouts only, and that have \
                 met an opponent of another kind",
            );
        }
        Ok(())
    }

    fn grid(&self, opponent: usize, players: &[Plotted]) -> Option<Grid> {
        let mut panels: BTreeMap<String, Cells> = BTreeMap::new();
        let mut games = BTreeSet::new();
        for (place, Plotted { standing, search }) in players.iter().enumerate() {
            let Some(search) = search else { continue };
            let pair = self.standings.pair(place, opponent);
            let Some(score) = pair.a_score else { continue };
            games.insert(pair.games);
            let work = standing.averages.map(|it| [it.playouts, it.steps, it.mean_depth, it.max_depth]);
            panels.entry(search.rest.clone()).or_default().insert(search.cell, Cell { score, work });
        }
        if panels.values().all(|cells| cells.len() < 2) {
            return None;
        }
        let all = || panels.values().flat_map(BTreeMap::keys);
        let [trees, playouts] = [all().map(|cell| cell.0).collect(), all().map(|cell| cell.1).collect()]
            .map(|values: BTreeSet<u32>| values.into_iter().collect());
        Some(Grid {
            title: format!("{}: scores against {}", self.described(), players[opponent].standing.name),
            note: format!(
                "{} per cell. Below the score: playouts / steps per move, mean / greatest depth.",
                games_text(&games)
            ),
            panels,
            playouts,
            trees,
        })
    }

    fn rates(&self, folder: &mut Folder, players: &[Plotted]) -> Result<()> {
        let rate = |player: &Plotted| {
            player.standing.averages.map(|it| it.playouts_per_second).filter(|rate| *rate > 0.0)
        };
        let rates: Vec<_> = players.iter().map(rate).collect();
        if rates.iter().all(Option::is_none) {
            notice("notice: no figure of playouts per second: no player reports them");
            return Ok(());
        }
        if let Some(panels) = self.rates_over_playouts(players, &rates) {
            return folder.write("playouts", &panels);
        }
        let values = players.iter().zip(&rates);
        let values =
            values.filter_map(|(player, rate)| Some(Dot::count(player.standing.name.clone(), (*rate)?)));
        folder.write(
            "playouts",
            &Dots {
                title: format!("{}: playouts per second", self.described()),
                note: RATES.into(),
                axis: Axis::of_values("playouts per second", rates.iter().flatten().copied()),
                values: values.collect(),
            },
        )
    }

    /// `None` if no two searches differ in the number of playouts.
    fn rates_over_playouts(&self, players: &[Plotted], rates: &[Option<f64>]) -> Option<Panels> {
        let mut over: BTreeMap<&str, RatesByTrees> = BTreeMap::new();
        let mut others = Vec::new();
        for (Plotted { standing, search }, rate) in players.iter().zip(rates) {
            let Some(rate) = *rate else { continue };
            match search {
                Some(TreesAndPlayouts { rest, cell: (trees, playouts) }) => {
                    over.entry(rest).or_default().entry(*trees).or_default().push((*playouts, rate));
                }
                None => others.push((standing.name.clone(), rate)),
            }
        }
        if over.values().flat_map(BTreeMap::values).all(|points| points.len() < 2) {
            return None;
        }
        let playouts: BTreeSet<u32> =
            over.values().flat_map(BTreeMap::values).flatten().map(|(playouts, _)| *playouts).collect();
        let playouts: Vec<u32> = playouts.into_iter().collect();
        let trees: BTreeSet<u32> = over.values().flat_map(BTreeMap::keys).copied().collect();
        let y = Axis::of_values("playouts per second", rates.iter().flatten().copied());
        let panel = |(rest, by_trees): (&&str, &RatesByTrees)| Panel {
            title: (*rest).into(),
            x: Axis::doublings("m, playouts of a leaf", &playouts),
            y: y.clone(),
            curves: curves(by_trees, &trees, &others, &playouts),
        };
        Some(Panels {
            title: format!("{}: playouts per second", self.described()),
            note: RATES.into(),
            panels: over.iter().map(panel).collect(),
            columns: if over.len() > 1 { 2 } else { 1 },
            panel_size: (480, 380),
        })
    }

    fn described(&self) -> &str {
        self.game.as_deref().unwrap_or_default()
    }
}

/// Numbers of playouts and rates, by numbers of trees.
type RatesByTrees = BTreeMap<u32, Vec<(u32, f64)>>;

const RATES: &str = "Means over all moves with a report.";

/// A curve for each number of trees, and a dashed one, across all numbers of playouts, for each of the other players.
fn curves(
    by_trees: &RatesByTrees,
    trees: &BTreeSet<u32>,
    others: &[(String, f64)],
    playouts: &[u32],
) -> Vec<Curve> {
    let colours: HashMap<_, _> = trees.iter().zip(0..).collect();
    let mut curves: Vec<_> = by_trees
        .iter()
        .map(|(trees, points)| {
            let mut points: Vec<_> =
                points.iter().map(|(m, rate)| Point::new(f64::from(*m), *rate)).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Curve { name: format!("T = {trees}"), colour: colours[trees], dashed: false, points }
        })
        .collect();
    curves.extend(others.iter().zip(trees.len()..).map(|((name, rate), colour)| {
        let points = playouts.iter().map(|m| Point::new(f64::from(*m), *rate)).collect();
        Curve { name: name.clone(), colour, dashed: true, points }
    }));
    curves
}

/// A player, and its trees and playouts if it is a search on an engine.
struct Plotted {
    standing: PlayerStanding,
    search: Option<TreesAndPlayouts>,
}

impl Plotted {
    fn new(standing: PlayerStanding) -> Self {
        Self { search: TreesAndPlayouts::of(&standing), standing }
    }
}

/// A search on an engine, by its trees and playouts.
struct TreesAndPlayouts {
    /// Its text without trees and playouts.
    rest: String,
    /// Trees and playouts.
    cell: (u32, u32),
}

impl TreesAndPlayouts {
    /// `None` for other kinds of players.
    fn of(player: &PlayerStanding) -> Option<Self> {
        let spec: Spec = player.player.parse().ok()?;
        let Kind::Search { settings: search, .. } = spec.kind() else { return None };
        let (name, settings) = spec.text().split_once(':').unwrap_or((spec.text(), ""));
        let others = settings.split(',').map(str::trim);
        let is_other = |setting: &&str| {
            let key = setting.split('=').next().unwrap_or_default().trim();
            !setting.is_empty() && !["trees", "playouts"].contains(&key)
        };
        let others: Vec<_> = others.filter(is_other).collect();
        let colon = if others.is_empty() { "" } else { ":" };
        let rest = format!("{name}{colon}{}", others.join(","));
        Some(Self { rest, cell: search.trees_and_playouts()? })
    }
}

/// `2 games`, `1 to 4 games`.
fn games_text(games: &BTreeSet<u64>) -> String {
    match (games.first(), games.last()) {
        (Some(low), Some(high)) if low < high => format!("{low} to {high} games"),
        (_, high) => counted(*high.unwrap_or(&0), "game"),
    }
}

struct Folder {
    path: PathBuf,
    names: HashSet<String>,
    /// The names of the files, one a line.
    written: String,
}

impl Folder {
    fn new(path: &Path) -> Result<Self> {
        create_folder(path)?;
        Ok(Self { path: path.into(), names: HashSet::new(), written: String::new() })
    }

    /// Writes both files, with a number after the name if there is such a figure already.
    fn write(&mut self, name: &str, figure: &impl Figure) -> Result<()> {
        let mut names = std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name}-{n}")));
        let name = names.find(|name| !self.names.contains(name)).unwrap_or_default();
        for (ending, bytes) in [("svg", svg(figure)?.into_bytes()), ("png", png(figure)?)] {
            let path = self.path.join(format!("{name}.{ending}"));
            write_file(&path, bytes)?;
            self.written += &format!("{}\n", path.display());
        }
        self.names.insert(name);
        Ok(())
    }
}
