//! Files and folders of tests, in the folder for temporary files.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn text(path: &Path) -> String {
    path.to_str().expect("its name is text").to_owned()
}

/// The path of a file that does not exist yet.
pub fn fresh_file(name: &str) -> PathBuf {
    let path = path(name);
    fs::remove_file(&path).ok();
    path
}

/// The same as text.
pub fn fresh(name: &str) -> String {
    text(&fresh_file(name))
}

/// The path of a folder that does not exist yet.
pub fn fresh_folder(name: &str) -> PathBuf {
    let path = path(name);
    fs::remove_dir_all(&path).ok();
    path
}

/// The lines of a file as JSON; none without a file.
pub fn lines_of(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Writes a file; its path.
pub fn write_file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = path(name);
    fs::write(&path, content).expect("the directory for temporary files can be written");
    text(&path)
}
