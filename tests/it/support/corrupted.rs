//! Shaders that are wrong on purpose.

/// Replaces a piece of a shader that must be there once: for kernels that are wrong on purpose, or bound otherwise.
pub fn corrupted(source: &str, from: &str, to: &str) -> String {
    assert_eq!(source.matches(from).count(), 1, "the shader has '{from}' once");
    source.replace(from, to)
}
