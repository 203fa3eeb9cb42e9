//! Policies of playouts by their names.

use super::Game;
use crate::error::{Error, Result};
use std::path::Path;

/// The game with one of its policies by name, or with one from a file.
///
/// # Errors
/// Bad input if the game has none of that name and there is no such file, or the file is invalid.
pub fn with_policy<G: Game>(game: G, name: &str) -> Result<G> {
    let path = Path::new(name);
    if game.policies().contains(&name) {
        game.with_policy(name)
    } else if path.exists() {
        game.with_policy_file(path)
    } else {
        let (known, game) = (game.policies().join(", "), game.name());
        Err(Error::invalid(format!(
            "unknown policy '{name}': {game} has {known}; give one of these, or a file that learn-patterns wrote \
             (there is no file of that name)"
        )))
    }
}
