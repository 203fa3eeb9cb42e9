//! Files of networks: read as written, refused with the name of the wrong tensor, and random changes to them.

use super::{network, path, sizes};
use crate::support::{prelude::*, strange};
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};

fn split(bytes: &[u8]) -> (Value, Vec<u8>) {
    let (length, rest) = bytes.split_first_chunk::<8>().expect("a length");
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    (serde_json::from_slice(header).expect("JSON"), data.to_vec())
}

fn joined(header: &Value, data: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// The error of a network's file after a change to its header and its tensors.
fn message(change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> String {
    let (mut header, mut data) = split(&network(Trunk::Conv).to_bytes());
    change(&mut header, &mut data);
    let error = Network::parse("net.safetensors", &joined(&header, &data)).expect_err("it is wrong");
    assert!(error.is_bad_input());
    error.to_string()
}

/// Sets the first number of a channel of a tensor.
fn message_of(tensor: &str, channel: usize, bytes: &[u8]) -> String {
    message(|header, data| {
        let info = &header[tensor];
        let number = |value: &Value| value.as_u64().expect("a number") as usize;
        let (start, end) = (number(&info["data_offsets"][0]), number(&info["data_offsets"][1]));
        let at = start + (end - start) / number(&info["shape"][0]) * channel;
        data[at..at + bytes.len()].copy_from_slice(bytes);
    })
}

fn message_of_size(name: &str, value: Value) -> String {
    message(|header, _| header["__metadata__"][name] = value)
}

#[test]
fn written_files_are_read() {
    for trunk in Trunk::ALL {
        let network = network(trunk);
        let read = Network::parse("a name", &network.to_bytes()).expect("a valid file");
        assert_eq!((read.sizes(), read.name(), network.name()), (&sizes(trunk), "a name", "random-7"));
        assert_eq!(read.digest(), network.digest());
        let other = Network::random(sizes(trunk), 8).expect("a network");
        assert_ne!(other.digest(), network.digest());
    }
}

#[test]
fn convolutions_of_one_cell_may_have_four_dimensions() {
    let (mut header, data) = split(&network(Trunk::Conv).to_bytes());
    header["policy.dense.weight"]["shape"] = json!([5, 40, 1, 1]);
    header["value.conv.weight"]["shape"] = json!([1, 16, 1, 1]);
    let read = Network::parse("net", &joined(&header, &data)).expect("the same network");
    assert_eq!(read.digest(), network(Trunk::Conv).digest());
}

#[test]
fn sizes_out_of_range_are_named() {
    for (name, value, what) in [
        ("rows", json!("0"), "rows = 0: give 1 to 1024"),
        ("columns", json!("300"), "a board of 4 x 300 cells: give at most 1024 cells"),
        ("planes", json!("33"), "planes = 33: give 1 to 32"),
        ("actions", json!("513"), "actions = 513: give 1 to 512"),
        ("trunk", json!("tree"), "metadata: unknown trunk 'tree': choose one of conv, dense"),
        ("blocks", json!("65"), "blocks = 65: give 0 to 64"),
        ("channels", json!("24"), "channels = 24: give a multiple of 16"),
        ("policy_channels", json!("-1"), "metadata policy_channels is '-1': give a whole number"),
        ("value_channels", json!("99"), "value_channels = 99: give 1 to 32"),
        ("value_hidden", json!("257"), "value_hidden = 257: give 1 to 256"),
        ("game", json!(""), "the game's name: give 1 to 64 bytes"),
        ("format", json!("pt"), "not a network: its metadata lacks format = mcts-wgpu-net-1"),
    ] {
        assert_eq!(message_of_size(name, value), format!("net.safetensors: {what}"));
    }
    let missing = message(|header, _| header["__metadata__"] = json!({"format": "mcts-wgpu-net-1"}));
    assert_eq!(missing, "net.safetensors: metadata game is missing: add it");
}

#[test]
fn wrong_tensors_are_named() {
    let renamed = |header: &mut Value, from: &str, to: &str| {
        let info = header.as_object_mut().and_then(|tensors| tensors.remove(from));
        header[to] = info.expect("a tensor");
    };
    let missing = message(|header, _| renamed(header, "value.hidden.shift", "value.hidden.shifts"));
    assert_eq!(missing, "net.safetensors: tensor value.hidden.shift: it is missing: add it");
    let extra = message(|header, data| {
        let end = data.len();
        header["momentum"] = json!({"dtype": "I8", "shape": [1], "data_offsets": [end, end + 1]});
        data.push(0);
    });
    assert_eq!(extra, "net.safetensors: tensor momentum: the network has no such tensor: remove it");
    let misshapen = message(|header, _| header["input.weight"]["shape"] = json!([16, 9, 3]));
    let what = "its shape is [16, 9, 3]: by the metadata it is [16, 3, 3, 3]";
    assert_eq!(misshapen, format!("net.safetensors: tensor input.weight: {what}"));
    let mistyped = message(|header, _| header["input.weight"]["dtype"] = json!("U8"));
    assert_eq!(mistyped, "net.safetensors: tensor input.weight: it is of type U8: make it I8");
    let dense = message_of_size("trunk", json!("dense"));
    assert!(dense.contains("tensor input.weight: its shape is [16, 3, 3, 3]"), "{dense}");
}

#[test]
fn numbers_out_of_range_are_named() {
    let whole = |number: i32| number.to_le_bytes();
    for (tensor, channel, bytes, what) in [
        ("block.0.first.weight", 5, &[0x80][..], "a weight of -128: weights are -127 to 127"),
        ("policy.dense.multiplier", 4, &whole(0), "0: give 1 to 127"),
        ("policy.dense.multiplier", 0, &whole(128), "128: give 1 to 127"),
        ("value.dense.shift", 2, &whole(0), "0: give 1 to 24"),
        ("value.dense.shift", 1, &whole(25), "25: give 1 to 24"),
    ] {
        let expected = format!("net.safetensors: tensor {tensor}, channel {channel}: {what}");
        assert_eq!(message_of(tensor, channel, bytes), expected);
    }
}

/// The bias may use what the weights leave of the range, and no more.
#[test]
fn sums_stay_below_2_to_the_24() {
    for (tensor, most_input) in [("input", 1), ("block.0.second", 127), ("value.dense", 127)] {
        let (header, data) = split(&network(Trunk::Conv).to_bytes());
        let part = |part: &str| {
            let info = &header[format!("{tensor}.{part}")];
            let outputs = info["shape"][0].as_u64().expect("a number") as usize;
            (info["data_offsets"][0].as_u64().expect("a number") as usize, outputs)
        };
        let ((weights, outputs), (biases, _)) = (part("weight"), part("bias"));
        let end = header[format!("{tensor}.weight")]["data_offsets"][1].as_u64().expect("a number") as usize;
        let own = &data[weights..][..(end - weights) / outputs];
        let sum: i32 = own.iter().map(|&weight| i32::from(weight as i8).abs()).sum();
        let room = (1 << 24) - 1 - most_input * sum;
        for bias in [room, -room] {
            let read = |bias: i32| {
                let mut data = data.clone();
                data[biases..biases + 4].copy_from_slice(&bias.to_le_bytes());
                Network::parse("net", &joined(&header, &data))
            };
            read(bias).expect("the sums fit");
            let message = read(bias + bias.signum()).expect_err("a sum too great").to_string();
            let what = "sums may reach 16777216 with this bias: scale both down, below 16777216";
            assert_eq!(message, format!("net: tensor {tensor}.weight, channel 0: {what}"));
        }
        assert!(message_of(&format!("{tensor}.bias"), 0, &i32::MIN.to_le_bytes()).contains("sums may reach"));
    }
}

#[test]
fn other_games_are_refused() {
    let network = network(Trunk::Conv);
    network.check("connect4", 4, 5, 3, 5).expect("its own game");
    for (game, rows, columns, planes, actions) in [
        ("othello", 4, 5, 3, 5),
        ("connect4", 5, 4, 3, 5),
        ("connect4", 4, 5, 2, 5),
        ("connect4", 4, 5, 3, 6),
    ] {
        let message =
            network.check(game, rows, columns, planes, actions).expect_err("another game").to_string();
        let expected = format!(
            "the network random-7 is for connect4 on 4 x 5 cells with 3 planes and 5 actions: give one for {game} on \
             {rows} x {columns} cells with {planes} planes and {actions} actions"
        );
        assert_eq!(message, expected);
    }
}

#[test]
fn sizes_of_random_networks_are_checked() {
    let error = Network::random(Sizes { channels: 8, ..sizes(Trunk::Conv) }, 1).expect_err("too narrow");
    assert_eq!(error.to_string(), "channels = 8: give 16 to 256");
}

#[test]
fn other_files_than_safetensors_are_refused() {
    let header = |header: &Value| joined(header, &[]);
    let far =
        |start: u64, end: u64| json!({"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]});
    // Offsets that overflow 64 bits once the header's length is added.
    let part = u64::MAX / 8;
    let tensors = (0..8).map(|at| (at.to_string(), far(at * part, (at + 1) * part)));
    for bytes in [
        vec![],
        b"\x02\0\0\0\0\0\0".to_vec(),
        u64::MAX.to_le_bytes().to_vec(),
        [&9u64.to_le_bytes()[..], b"{}"].concat(),
        [&4u64.to_le_bytes()[..], b"{\xff\"}"].concat(),
        header(&json!([])),
        joined(&json!({}), &[0]),
        header(&json!({"a": {"dtype": "I8", "shape": [2], "data_offsets": [0, 2]}})),
        header(&json!({"a": {"dtype": "I9", "shape": [0], "data_offsets": [0, 0]}})),
        header(&json!({"__metadata__": {"rows": 4}})),
        header(&tensors.collect::<serde_json::Map<_, _>>().into()),
        [&100_000u64.to_le_bytes()[..], "[".repeat(100_000).as_bytes()].concat(),
    ] {
        let message = Network::parse("net", &bytes).expect_err("no network").to_string();
        assert!(message.starts_with("net: it is not a safetensors file ("), "{message}");
    }
    let message = Network::read(&path("none.safetensors")).expect_err("no file").to_string();
    assert!(message.contains("none.safetensors: "), "{message}");
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let message = Network::read("/dev/zero".as_ref()).expect_err("it has no end").to_string();
    assert!(message.starts_with("/dev/zero: it is not a safetensors file (it has no header)"), "{message}");
}

/// A file, changes to the values of its header, changes to its bytes or those of the header alone, and the part that is
/// kept.
type Strange = (usize, Vec<(f64, Value)>, (bool, Vec<(f64, u8)>), f64);

fn any_strange(files: usize) -> impl Strategy<Value = Strange> {
    let values = vec((0.0..1.0, strange::value()), 0..3);
    let bytes = vec((0.0..1.0, prop_oneof![any::<u8>(), Just(0x80), Just(0)]), 0..4);
    let left = prop_oneof![9 => Just(1.0), 1 => 0.0..1.0];
    (0..files, values, (any::<bool>(), bytes), left)
}

fn changed(bytes: &[u8], (_, values, (in_header, changes), left): &Strange) -> Vec<u8> {
    let (header, data) = split(bytes);
    let mut file = joined(&strange::replaced(header, values), &data);
    let length = if *in_header { file.len() - data.len() } else { file.len() };
    changes.iter().for_each(|&(place, byte)| file[(place * length as f64) as usize] = byte);
    file.truncate((left * file.len() as f64) as usize);
    file
}

/// The result is an error, or a network that can be evaluated.
#[test]
fn no_file_is_too_strange() {
    let files = ["conv-1x16", "dense-1x32"].map(|name| path(&format!("{name}.safetensors")));
    let files = files.map(|path| fs::read(path).expect("a file"));
    let run = |strange: Strange| {
        match Network::parse("net", &changed(&files[strange.0], &strange)) {
            Err(error) => prop_assert!(error.is_bad_input() && error.to_string().len() < 400, "{}", error),
            Ok(network) => {
                let sizes = network.sizes();
                let mut outputs = vec![0; sizes.actions as usize + 3];
                network.evaluate(&vec![u32::MAX; sizes.cells() as usize], &mut outputs);
            }
        }
        Ok(())
    };
    let result = TestRunner::new(strange::cases(400)).run(&any_strange(files.len()), run);
    result.unwrap_or_else(|error| panic!("{error}"));
}
