//! Files and folders of tests, in the folder for temporary files.

use serde_json::Value;
use std::{
    collections::BTreeMap,
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

/// The files with an extension below some folders, with their texts, by path.
pub fn texts_below(folders: &[PathBuf], extension: &str) -> BTreeMap<PathBuf, String> {
    let mut folders = folders.to_vec();
    let mut texts = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("its entries can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = fs::read_to_string(&path).expect("the file is text");
                texts.insert(path, text);
            }
        }
    }
    texts
}

/// The files of a folder, by name.
pub fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("its entries can be read").path());
    let name = |path: &Path| text(path.file_name().expect("it has a name").as_ref());
    paths.map(|path| (name(&path), fs::read(&path).expect("the file can be read"))).collect()
}

/// Some folders of the crate.
pub fn of_crate(folders: &[&str]) -> Vec<PathBuf> {
    folders.iter().map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).collect()
}

/// The path of a file of the crate below its root.
pub fn name_in_crate(path: &Path) -> String {
    let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("it is below the root");
    text(name).replace('\\', "/")
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
