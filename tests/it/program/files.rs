//! Files that are written in the end: opened before the work begins, and left as they were where it fails.

use super::write_file;
use crate::support::program::run;
use std::{fs, path::Path};

#[test]
fn what_can_not_be_written_is_told_before_the_work() {
    // The adapter would be asked for next.
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
    let out = write_file("replaced.json", &"x".repeat(1 << 20));
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
