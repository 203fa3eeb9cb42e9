//! `completions`, `man`, and the help.

use crate::support::prelude::*;

#[test]
fn every_shell_gets_its_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&format!("completions {shell}")).succeeded().out;
        assert_has(&script, &["learn-patterns", "ucb-c"]);
    }
    run("completions cmd").refused(&["'cmd'", "bash"]);
}

#[test]
fn the_manual_has_a_page_a_command() {
    let page = run("man").succeeded().out;
    assert!(page.contains(".TH mcts-wgpu 1") && page.contains("SIGTERM"), "{page}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let name = folder.to_str().expect("its name is text");
    assert_eq!(run(&format!("man --out {name}")).succeeded().out, "");
    for page in ["mcts-wgpu.1", "mcts-wgpu-search.1", "mcts-wgpu-bench-compare.1"] {
        assert!(folder.join(page).exists(), "{page}");
    }
    run("man --out /no/such/folder").refused(&["--out /no/such/folder can't be written"]);
}

#[test]
fn help_describes_signals() {
    let help = run("--help").succeeded().out;
    assert_has(&help, &["130", "143", "Ctrl-C", "SIGTERM"]);
}
