//! Output files: opened before the work begins, and unchanged if it fails.

use crate::support::prelude::*;

#[test]
fn unwritable_files_are_reported_before_the_work() {
    // The adapter would be opened next.
    for (option, command) in [
        ("--out", "bench --adapter nonesuch --out"),
        ("--figure", "pvsplit --compare 5:2 --adapter nonesuch --figure"),
    ] {
        run(&format!("{command} /no/such/folder/file")).refused(&[
            option,
            "/no/such/folder/file",
            "can't be written",
        ]);
        run(&format!("{command} /")).refused(&[option, "can't be written"]);
    }
}

#[test]
fn nothing_is_lost_where_the_work_fails() {
    let kept = write_file("kept.json", "a result");
    let new = write_file("new.json", "");
    fs::remove_file(&new).expect("the file can be removed");
    for command in ["bench --adapter nonesuch --out", "pvsplit --compare 5:2 --adapter nonesuch --figure"] {
        run(&format!("{command} {kept}")).refused(&["no adapter 'nonesuch'"]);
        assert_eq!(fs::read_to_string(&kept).expect("it is there"), "a result");
        run(&format!("{command} {new}")).refused(&["no adapter 'nonesuch'"]);
        assert!(!Path::new(&new).exists(), "{command} left an empty file");
    }
}

#[test]
fn a_longer_file_is_replaced_as_a_whole() {
    let out = write_file("replaced.json", "x".repeat(1 << 20));
    let done = run(&format!(
        "bench --quick --seconds 0.01 --repeats 1 --case othello --adapter cpu --json --out {out}"
    ));
    assert_eq!(fs::read_to_string(&out).expect("it is there"), done.succeeded().out);
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_can_be_written() {
    let bench = "bench --quick --seconds 0.01 --repeats 1 --case othello --adapter cpu --out";
    run(&format!("{bench} /dev/null")).succeeded();
    run(&format!("{bench} /dev/full")).refused_after_work(&["--out /dev/full can't be written"]);
}

/// Files without an end are refused, once they are larger than any file of their kind.
#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let setup = "game = \"connect4\"\ngames = 1\n[[player]]\nplayer = \"random\"\n\
                 [[player]]\nplayer = \"random:seed=1\"\n";
    let setup = write_file("endless.toml", setup);
    let two = "match random random --game connect4 --games 1";
    let long_line = "the log /dev/zero can't be read: a line is longer than 128 MiB";
    let large = "the openings /dev/zero can't be read: it is larger than 64 MiB";
    let no_header = "/dev/zero: it is not a safetensors file (it has no header)";
    for (arguments, part) in [
        (
            "search connect4 --positions /dev/zero",
            "line 1 of /dev/zero can't be read: a line is longer than 1 MiB",
        ),
        ("replay /dev/zero", long_line),
        ("plot /dev/zero --out /no/such/folder", long_line),
        (&format!("tournament {setup} --merge /dev/zero"), "a line is longer than 128 MiB"),
        ("tournament /dev/zero", "/dev/zero can't be read: it is larger than 1 MiB"),
        (&format!("{two} --openings /dev/zero"), large),
        (&format!("{two} --log /dev/zero"), "the log /dev/zero is not a regular file"),
        ("bench compare /dev/zero /dev/zero", "/dev/zero can't be read: it is larger than 16 MiB"),
        ("net evaluate connect4 --data /dev/zero --out never", no_header),
        ("learn-patterns /dev/zero", "/dev/zero: it is larger than 256 MiB"),
        ("play connect4 --load /dev/zero --adapter cpu --steps 1", "larger than 16 MiB"),
    ] {
        run(arguments).refused(&[part]);
    }
}

/// `yes | mcts-wgpu ...`: each line has an end, and the lines never end.
#[cfg(unix)]
#[test]
fn endless_lines_are_refused() {
    let search = "search connect4 --positions - --adapter cpu --steps 1";
    let openings = "match random random --game connect4 --games 1 --openings /dev/stdin";
    for (arguments, part) in [(search, "has more than 1048576 positions"), (openings, "larger than 64 MiB")] {
        let yes = Command::new("yes").arg("3").stdout(Stdio::piped()).spawn();
        let mut yes = yes.expect("there is a program yes");
        let endless = yes.stdout.take().expect("its output is piped");
        finish(arguments, command(arguments).stdin(endless)).refused(&[part]);
        yes.kill().ok();
        yes.wait().expect("it has ended");
    }
}
