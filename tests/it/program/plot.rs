//! `plot`, and `pvsplit --figure`: figures have the numbers of their logs.

use crate::support::prelude::*;

/// Two numbers of trees, two of playouts, and an opponent of another kind.
const SETUP: &str = "game = \"connect4\"\ngames = 2\n\
    [[player]]\nname = \"yardstick <1>\"\nplayer = \"vanilla:steps=60\"\n";

/// A log of searches with several numbers of trees and playouts.
fn grid_log(name: &str) -> String {
    let shapes = [(1, 4), (1, 16), (2, 4), (2, 16)];
    let players = shapes.map(|(trees, playouts)| {
        format!("[[player]]\nplayer = \"ocp-thrifty:trees={trees},playouts={playouts},steps=6,c=1.5\"\n")
    });
    let setup = write_file(&format!("{name}.toml"), &(SETUP.to_owned() + &players.concat()));
    let log = fresh(&format!("{name}.jsonl"));
    run(&format!("tournament {setup} --adapter cpu --log {log}")).succeeded();
    log
}

fn plot(arguments: &str, out: &Path) -> Done {
    run(&format!("plot {arguments} --out {}", out.display()))
}

/// The texts of an SVG, with their places; checks that its elements are closed.
fn texts(path: &Path) -> Vec<(f64, f64, String)> {
    let svg = fs::read_to_string(path).expect("the SVG");
    let (mut open, mut texts) = (Vec::new(), Vec::new());
    for part in svg.split('<').skip(1) {
        let (tag, content) = part.split_once('>').expect("a tag ends");
        let name = tag.split_whitespace().next().expect("a tag has a name");
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        let attribute = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()?.parse::<f64>().ok()
        };
        if let ("text", Some(x), Some(y)) = (name, attribute("x"), attribute("y")) {
            let plain = content.trim().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            texts.push((x, y, plain));
        }
    }
    assert!(open.is_empty() && svg.starts_with("<svg "), "{open:?}");
    texts
}

#[track_caller]
fn assert_all(texts: &[(f64, f64, String)], all: &[&str]) {
    let is_there = |wanted: &&&str| texts.iter().any(|(_, _, text)| text == **wanted);
    assert_eq!(all.iter().filter(is_there).count(), all.len(), "{all:?} in {texts:?}");
}

fn size(path: &Path) -> [u32; 2] {
    let svg = fs::read_to_string(path).expect("the SVG");
    ["width", "height"].map(|name| {
        let (_, rest) = svg.split_once(&format!(" {name}=\"")).expect("an SVG has a size");
        rest.split('"').next().and_then(|it| it.parse().ok()).expect("a number")
    })
}

/// Points of a player in all of its games against another.
fn score(games: &[Value], player: &str, other: &str) -> f64 {
    let points = games.iter().filter_map(|game| {
        match (&game["first"], &game["second"]) {
            (a, b) if a == player && b == other => Some("first"),
            (a, b) if a == other && b == player => Some("second"),
            _ => None,
        }
        .map(|side| if game["result"] == "draw" { 0.5 } else { f64::from(u8::from(game["result"] == side)) })
    });
    let points: Vec<f64> = points.collect();
    points.iter().sum::<f64>() / points.len() as f64
}

/// The average of a number over all moves of a player.
fn average(games: &[Value], player: &str, path: &str) -> f64 {
    let mut values = Vec::new();
    for game in games {
        let reports = game["reports"].as_array().expect("a list");
        let sides = reports.iter().enumerate();
        let own = sides.filter(|(ply, _)| game[["first", "second"][ply % 2]] == player);
        values.extend(own.filter_map(|(_, report)| report.pointer(path).and_then(Value::as_f64)));
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// The players of a log and their Elo, as a tournament prints them.
fn elos(log: &str) -> (Vec<String>, Vec<String>) {
    let setup = log.replace(".jsonl", ".toml");
    let answer = run(&format!("tournament {setup} --merge {log} --json")).succeeded().json();
    let players = answer["players"].as_array().expect("a list");
    let number = |value: &Value| value.as_f64().expect("a number");
    let rating = |player: &Value| {
        let rating = &player["rating"];
        format!("{:+.0} ± {:.0}", number(&rating["elo"]), number(&rating["error"]))
    };
    let names = players.iter().map(|player| player["name"].as_str().expect("a name").to_owned());
    (names.collect(), players.iter().map(rating).collect())
}

#[test]
fn a_grid_has_the_numbers_of_its_log() {
    let log = grid_log("plot_grid");
    let out = fresh_folder("plot_grid");
    let done = plot(&log, &out).succeeded();
    assert_eq!(done.err, "");
    let games = lines_of(&log);
    let texts = texts(&out.join("scores.svg"));
    assert_all(&texts, &["T = 1", "T = 2", "m = 4", "m = 16", "0 %", "100 %", "ocp-thrifty:steps=6,c=1.5"]);
    assert_all(&texts, &["connect4 (columns 7, rows 6): scores against yardstick <1>"]);
    let (names, ratings) = elos(&log);
    let shown = self::texts(&out.join("elo.svg"));
    for (name, rating) in names.iter().zip(&ratings) {
        let (_, y, _) = shown.iter().find(|(_, _, text)| text == name).expect("a row").clone();
        assert!(shown.iter().any(|text| text.1 == y && text.2 == *rating), "{name}: {rating}: {shown:?}");
    }
    let place = |label: &str| texts.iter().find(|(_, _, text)| text == label).expect("it is there").clone();
    for (trees, playouts) in [(1, 4), (1, 16), (2, 4), (2, 16)] {
        let player = format!("ocp-thrifty:trees={trees},playouts={playouts},steps=6,c=1.5");
        // The cell in the column and in the row of the labels.
        let (x, y) = (place(&format!("m = {playouts}")).0, place(&format!("T = {trees}")).1);
        let cell: Vec<_> =
            texts.iter().filter(|text| (text.0 - x).abs() < 30.0 && (text.1 - y).abs() < 30.0).collect();
        let cell: Vec<&str> = cell.iter().map(|(_, _, text)| text.as_str()).collect();
        let of = |path: &str| average(&games, &player, path);
        let expected = [
            format!("{:.1} %", 100.0 * score(&games, &player, "yardstick <1>")),
            format!("{:.0} / 6", of("/performance/playouts")),
            format!("{:.2} / {:.2}", of("/trees_info/mean_depth"), of("/trees_info/max_depth")),
        ];
        assert_eq!(cell, expected, "{player}");
    }
}

#[test]
fn rates_and_courses_have_the_numbers_of_their_log() {
    let log = grid_log("plot_rates");
    let out = fresh_folder("plot_rates");
    plot(&log, &out).succeeded();
    let rates = texts(&out.join("playouts.svg"));
    assert_all(&rates, &["T = 1", "T = 2", "4", "16", "yardstick <1>", "ocp-thrifty:steps=6,c=1.5"]);
    let games = lines_of(&log);
    let pairs = games.iter().filter(|game| game["game_number"].as_u64() < Some(10)).count();
    let drawn = (0..10).filter(|number| out.join(format!("game-{number}.svg")).exists()).count();
    assert_eq!((pairs, drawn, out.join("game-10.svg").exists()), (10, 10, false));

    // A single game: a dot for each value, mean and greatest depth, and one for each of six legends. An action that was
    // never played out has a value only if it is proven.
    let one = fresh_folder("plot_one");
    plot(&format!("{log} --game 12"), &one).succeeded();
    let game = games.iter().find(|game| game["game_number"] == 12).expect("a game");
    let moves = game["moves"].as_array().map_or(0, Vec::len);
    let path = one.join("game-12.svg");
    let svg = fs::read_to_string(&path).expect("the SVG");
    let known = |report: &&Value| {
        let best = &report["best"];
        best["n"] != 0 || best["win_flag"] == true || !best["proven"].is_null()
    };
    let values = game["reports"].as_array().map_or(0, |reports| reports.iter().filter(known).count());
    assert!(values > 0 && values <= moves);
    assert_eq!(svg.matches("<circle").count(), values + 2 * moves + 6);
    assert!(!one.join("game-0.svg").exists());
    let course = texts(&path);
    let [first, second] = ["first", "second"].map(|side| game[side].as_str().expect("a name"));
    let result = match game["result"].as_str() {
        Some("draw") => "a draw".to_owned(),
        side => format!("the {} player won", side.unwrap_or_default()),
    };
    assert_all(&course, &[&format!("connect4 (columns 7, rows 6), game 12: {result} after {moves} moves")]);
    for (side, name) in [("first: ", first), ("second: ", second)] {
        let is_name = |text: &str| text.starts_with(side) && text.ends_with(&name[name.len() - 10..]);
        assert!(course.iter().any(|(_, _, text)| is_name(text)), "{side}{name}: {course:?}");
    }
}

/// If searches do not differ in playouts, there is a row for each player.
#[test]
fn players_of_all_kinds_have_their_rates() {
    let log = fresh("plot_dots.jsonl");
    let players = ["vanilla:steps=40", "acp-prodigal:trees=1,playouts=4,steps=3"];
    let games = "--game connect4 --games 2 --adapter cpu";
    run(&format!("match {} {games} --log {log}", players.join(" "))).succeeded();
    let out = fresh_folder("plot_dots");
    let done = plot(&log, &out).succeeded();
    assert!(done.err.starts_with("notice: no figure of scores: ") && done.err.lines().count() == 1, "{done}");
    let dots = texts(&out.join("playouts.svg"));
    let games = lines_of(&log);
    for player in players {
        let (_, y, _) = dots.iter().find(|(_, _, text)| text == player).expect("a row").clone();
        let rate = average(&games, player, "/performance/playouts_per_second");
        let printed = match rate {
            _ if rate >= 999_500.0 => format!("{:.1} M", rate / 1e6),
            _ if rate >= 999.5 => format!("{:.1} k", rate / 1e3),
            _ => format!("{rate:.0}"),
        };
        assert!(dots.iter().any(|text| text.1 == y && text.2 == printed), "{printed}: {dots:?}");
    }
}

/// As a viewer reads it: the size, and complete chunks.
#[test]
fn a_png_is_an_image_of_twice_the_size() {
    let log = fresh("plot_png.jsonl");
    run(&format!("match vanilla:steps=20 random --game connect4 --games 1 --log {log}")).succeeded();
    let out = fresh_folder("plot_png");
    let done = plot(&log, &out).succeeded();
    let names: Vec<_> = done.out.lines().collect();
    assert_eq!(names.len(), 4, "{done}");
    for name in names.iter().filter(|name| name.ends_with(".png")) {
        let png = fs::read(name).expect("the PNG");
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let svg = size(&Path::new(name).with_extension("svg"));
        assert_eq!([number(16), number(20)], svg.map(|length| 2 * length));
        let (mut at, mut chunks) = (8, HashMap::new());
        while at < png.len() {
            *chunks.entry(png[at + 4..at + 8].to_vec()).or_insert(0) += number(at);
            at += 12 + number(at) as usize;
        }
        assert_eq!(at, png.len());
        assert!(chunks[&b"IDAT"[..]] > 1000 && chunks.contains_key(&b"IEND"[..]), "{chunks:?}");
    }
}

#[test]
fn other_files_than_logs_of_one_game_are_refused() {
    let letter = write_file("plot_letter.jsonl", "Dear reader,\n");
    let empty = write_file("plot_empty.jsonl", "");
    let [four, five, reversi] = ["connect4", "connect4 --rows 5", "othello"].map(|game| {
        let log = fresh(&format!("plot_{}.jsonl", game.replace(' ', "")));
        run(&format!("match random random --game {game} --games 1 --log {log}")).succeeded();
        log
    });
    let out = fresh_folder("plot_refused");
    for (logs, parts) in [
        (letter.clone(), &["line 1 of the log", "is not a game"][..]),
        ("/no/such/log".into(), &["/no/such/log can't be read"]),
        (empty, &["the logs have no games"]),
        (format!("{four} {five}"), &["rows 6", "rows 5", "plot each separately"]),
        (format!("{four} {reversi}"), &["connect4", "othello"]),
    ] {
        plot(&logs, &out).refused(parts);
    }
    assert!(!out.exists(), "nothing was drawn");
    plot(&four, Path::new(&format!("{four}/below"))).refused(&["--out", "can't be created"]);
    // Random players have no searches.
    let done = plot(&four, &out).succeeded();
    assert_eq!((done.out.as_str(), done.err.lines().count()), ("", 3), "{done}");
    assert_has(&done.err, &["no figure of game 0: its players report neither values nor depths"]);
    let missing = plot(&format!("{four} --game 7"), &out);
    assert_eq!(missing.code, Some(2), "{missing}");
    assert_has(&missing.err, &["--game 7: the logs have no such game"]);
}

#[test]
fn a_comparison_of_engines_is_drawn() {
    let figure = fresh("plot_pvsplit.svg");
    run(&format!("pvsplit --compare 3:3,4:2 --adapter 0 --figure {figure} --json")).succeeded();
    let texts = texts(Path::new(&figure));
    let curves = ["3x3, sequential", "3x3, PV-Split", "4x4, sequential", "4x4, PV-Split"];
    assert_all(&texts, &[&curves[..], &["plies", "3"]].concat());
    let svg = fs::read_to_string(&figure).expect("the SVG");
    assert_eq!(svg.matches("<circle").count(), 3 * 3 + 3 * 2 + 6);
}

/// Control characters are shown escaped: terminals obey them, and XML can't have them.
#[test]
fn control_characters_of_names_are_escaped() {
    let text = fs::read_to_string(grid_log("plot_control")).expect("the log");
    let log = write_file("plot_controlled.jsonl", text.replace("yardstick <1>", r"yard\u001b[2J\nstick"));
    let out = fresh_folder("plot_control");
    plot(&log, &out).succeeded();
    for name in ["scores.svg", "playouts.svg"] {
        let shown = texts(&out.join(name));
        assert!(shown.iter().any(|(_, _, text)| text.contains(r"yard\u{1b}[2J\nstick")), "{name}: {shown:?}");
        let svg = fs::read_to_string(out.join(name)).expect("the SVG");
        assert!(!svg.contains(|c: char| c.is_control() && c != '\n'), "{name}");
    }
    let setup = SETUP.replace("yardstick <1>", r"yard\u001b[2J\nstick") + "[[player]]\nplayer = \"random\"\n";
    let done = run(&format!("tournament {}", write_file("plot_control_names.toml", &setup))).succeeded();
    assert!(done.out.contains(r"A   yard\u{1b}[2J\nstick "), "{done}");
}
