//! `--net` and `net=`; `net`.

use crate::support::{
    networks::{bits, file_of},
    prelude::*,
};
use safetensors::{Dtype, SafeTensors};

fn file_for<G: Game>(game: &G, name: &str) -> String {
    let path = fresh(name);
    fs::write(&path, network(game, Trunk::Dense, 1, 16).to_bytes()).expect("the file is written");
    path
}

#[test]
fn a_report_has_its_network() {
    let net = file_for(&Connect4::default(), "printed.safetensors");
    let search = format!("search connect4 --net {net} --moves 3 --steps 9 --adapter cpu");
    let text = run(&search).succeeded().out;
    assert_has(&text, &[&format!("connect4, ocp-prodigal, 1 tree x 8 leaves by network {net}, C = 0.5,")]);
    assert!(text.lines().any(|line| line.trim_end().ends_with("ucb    prior")), "{text}");
    let report = run(&format!("{search} --json")).succeeded().json();
    let digest = network(&Connect4::default(), Trunk::Dense, 1, 16).digest();
    assert_eq!(fields(&report, "net net_digest"), json!([net, format!("{digest:016x}")]));
    let actions = report["actions"].as_array().expect("a list");
    let priors: f64 = actions.iter().filter_map(|action| action["prior"].as_f64()).sum();
    assert!((priors - 1.0).abs() < 1e-3 && report["principal_variation"][1]["prior"].is_null(), "{report}");
    let settings = write_file("net.toml", format!("net = {}\n", report["net"]));
    let search =
        format!("search connect4 --settings-file {settings} --moves 3 --steps 9 --adapter cpu --json");
    let of_file = |more: &str| run(&format!("{search} {more}")).succeeded().json();
    assert_eq!(of_file("")["fingerprint"], report["fingerprint"]);
    assert!(of_file("--net none")["net"].is_null());
}

#[test]
fn networks_that_do_not_fit_are_refused() {
    let connect4 = file_for(&Connect4::default(), "unfit.safetensors");
    let text = write_file("no-network.txt", "nothing");
    let search = format!("search connect4 --net {connect4}");
    for (arguments, parts) in [
        ("search connect4 --net nowhere.safetensors", &["nowhere.safetensors"][..]),
        (&format!("search connect4 --net {text}"), &["no-network.txt", "safetensors"]),
        (
            &format!("search othello --net {connect4}"),
            &["is for connect4 on 6 x 7", "give one for othello on 8 x 8"],
        ),
        (&format!("search connect4 --rows 5 --net {connect4}"), &["give one for connect4 on 5 x 7"]),
        (&format!("{search} --variant acp-thrifty"), &["network", "ocp-prodigal or ocp-thrifty"]),
        (&format!("{search} --original"), &["network", "ocp-prodigal or ocp-thrifty"]),
        (&format!("{search} --schedule fused --leaf-batch 1"), &["network", "staged"]),
        (&format!("match default:net={connect4} random --game othello --games 2"), &["give one for othello"]),
        ("match default:net=nowhere random --game connect4 --games 2", &["player 'default:net=nowhere'"]),
        (&format!("gtp --game go --net {connect4}"), &["is for connect4", "give one for go"]),
        (&format!("gomocup --net {connect4}"), &["is for connect4", "give one for gomoku on 15 x 15"]),
    ] {
        run(arguments).refused(parts);
    }
    let plain = concat!(env!("CARGO_MANIFEST_DIR"), "/games/nim357.wgsl");
    let done = run(&format!("search --game-file {plain} --net {connect4} --adapter 0"));
    done.refused(&["nim357 has no planes", "search without a network"]);
}

#[test]
fn players_and_front_ends_have_networks() {
    let go = go_of(5, 6.5);
    let net = file_for(&go, "front.safetensors");
    let output_of =
        |arguments: &str, input: &str| run_with_input(arguments, input.as_bytes()).succeeded().out;
    let gtp = format!("gtp --game go --size 5 --komi 6.5 --net {net} --steps 4 --adapter cpu --resign 0");
    let out = output_of(&gtp, "genmove b\ngenmove w\nboardsize 6\nclear_board\ngenmove b\n");
    let answers: Vec<_> = out.split("\n\n").collect();
    assert!(answers[..2].iter().all(|answer| answer.starts_with("= ")), "{out}");
    let is_refused = |answer: &&str| answer.starts_with("? ") && answer.contains("is for go on 5 x 5");
    assert!(answers.iter().any(is_refused), "{out}");
    let gomoku = file_for(&Gomoku::default(), "brain.safetensors");
    let out = output_of(&format!("gomocup --net {gomoku} --steps 4 --adapter cpu"), "START 15\nBEGIN\nEND\n");
    assert!(out.starts_with("OK\n") && out.lines().nth(1).is_some_and(|line| line.contains(',')), "{out}");
}

/// The network's digest is in the log: a replay needs the same network, in any file.
#[test]
fn a_log_is_held_to_its_networks() {
    let (net, log) = (file_for(&Othello, "logged.safetensors"), fresh("networks.jsonl"));
    let player = format!("default:net={net},leaf_batch=4,steps=3");
    run(&format!("match {player} random:seed=3 --game othello --games 2 --log {log} --adapter cpu"))
        .succeeded();
    let replay = |more: &str| run(&format!("replay {log} --adapter cpu {more}"));
    assert!(replay("").succeeded().out.ends_with("all are identical\n"));
    let moved = fresh("moved.safetensors");
    fs::rename(&net, &moved).expect("the file is there");
    replay("").refused(&["logged.safetensors"]);
    assert!(replay(&format!("--net {moved}")).succeeded().out.ends_with("all are identical\n"));
    fs::write(&net, network(&Othello, Trunk::Dense, 0, 16).to_bytes()).expect("the file is written");
    let done = replay("");
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.out.contains("the network was one with digest"), "{done}");
}

#[test]
fn a_random_network_is_the_librarys() {
    let file = fresh("random.safetensors");
    let sizes = "--blocks 1 --channels 32 --trunk dense --seed 5";
    let done = run(&format!("net random connect4 --rows 4 {sizes} --out {file}")).succeeded();
    let game = connect4_of(4, 7);
    let sizes = Sizes::of_game(&game, Trunk::Dense, 1, 32).expect("it has planes");
    let network = Network::random(sizes, 5).expect("the sizes are in their ranges");
    assert_eq!(Network::read(file.as_ref()).expect("a network"), network);
    let digest = format!("{:016x}", network.digest());
    assert_eq!(done.out, format!("network for connect4 written to {file}\ndigest: {digest}\n"));
    let info = run(&format!("net info {file} --json")).succeeded().json();
    let printed = ["game", "rows", "planes", "actions", "trunk", "blocks", "channels", "value_hidden"];
    let printed = printed.map(|name| &info[name]);
    assert_eq!(json!(printed), json!(["connect4", 4, 4, 7, "dense", 1, 32, 32]));
    assert_eq!((&info["digest"], &info["bytes"]), (&json!(digest), &json!(network.to_bytes().len())));
    let kernels = info["kernels"].as_array().expect("a list");
    assert!(!kernels.is_empty() && kernels.iter().all(|taken| taken["kernel"] == "dot"), "{info}");
    let text = run(&format!("net info {file}")).succeeded().out;
    assert!(text.contains(&digest) && text.contains("dense, 1 blocks x 32 channels"), "{text}");
    assert_eq!(text.matches("dot (adapter ").count(), kernels.len());
}

#[test]
fn positions_of_a_file_are_evaluated() {
    let (net, data, out) =
        (file_for(&Othello, "evaluation.safetensors"), fresh("planes.data"), fresh("outputs"));
    let network = network(&Othello, Trunk::Dense, 1, 16);
    let boards: Vec<u32> = (0..2 * 64).map(|cell| cell * cell % 32).collect();
    let planes = file_of("planes", Dtype::U8, &[2, 5, 8, 8], &bits(&boards, network.sizes()));
    fs::write(&data, planes).expect("the file is written");
    let evaluate = format!("net evaluate {net} --data {data} --out {out}");
    assert_eq!(run(&evaluate).succeeded().out, "");
    let mut expected = vec![0; 2 * 68];
    network.evaluate(&boards, &mut expected);
    let file = fs::read(&out).expect("the file is there");
    let tensors = SafeTensors::deserialize(&file).expect("a file of safetensors");
    let outputs = tensors.tensor("outputs").expect("it is there");
    let expected: Vec<u8> = expected.into_iter().flat_map(i32::to_le_bytes).collect();
    assert_eq!((outputs.shape(), outputs.data()), (&[2, 68][..], &expected[..]));
}

#[test]
fn other_files_than_networks_and_data_are_refused() {
    let (net, out) = (file_for(&Othello, "no-data.safetensors"), fresh("nothing"));
    for (arguments, parts) in [
        (
            format!("net evaluate {net} --data {net} --out {out}"),
            &[&net[..], "tensor planes: it is missing"][..],
        ),
        (format!("net evaluate {net} --data nowhere --out {out}"), &["nowhere"]),
        (format!("net evaluate nowhere --data {net} --out {out}"), &["nowhere"]),
        (format!("net random connect4 --channels 24 --out {out}"), &["channels = 24: give a multiple of 16"]),
        (format!("net random connect4 --trunk tree --out {out}"), &["unknown trunk 'tree'"]),
        ("net info nowhere".into(), &["nowhere"]),
        ("net random connect4".into(), &["--out"]),
    ] {
        run(&arguments).refused(parts);
    }
    assert!(!std::path::Path::new(&out).exists(), "bad input leaves no file behind");
}
