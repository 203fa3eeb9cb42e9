//! wgpu's variables of the environment, which choose an adapter where no option does.

use super::output::notice;
use crate::engine::Backend;
use std::{env, sync::LazyLock};

const NAME: &str = "WGPU_ADAPTER_NAME";
const BACKEND: &str = "WGPU_BACKEND";

/// An adapter and a backend, as far as they are chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// As --adapter.
    pub adapter: Option<String>,
    /// As --backend.
    pub backend: Option<Backend>,
}

/// What the environment chooses; it is told once.
static CHOICE: LazyLock<Choice> = LazyLock::new(|| {
    let (choice, notices) = read(|name| env::var(name).ok());
    notices.iter().for_each(|told| notice(&format!("notice: {told}")));
    choice
});

impl Choice {
    /// What options say, and what they leave open as the environment has it: an adapter that an option names is taken
    /// whatever the environment says.
    pub fn of(adapter: Option<&str>, backend: Option<Backend>) -> Self {
        match adapter {
            Some(adapter) => Self { adapter: Some(adapter.to_owned()), backend },
            None => Self { adapter: CHOICE.adapter.clone(), backend: backend.or(CHOICE.backend) },
        }
    }
}

/// What these variables choose, and what is to be told of it.
fn read(variable: impl Fn(&str) -> Option<String>) -> (Choice, Vec<String>) {
    let value = |name| variable(name).filter(|value| !value.trim().is_empty());
    let (mut choice, mut told) = (Choice::default(), Vec::new());
    if let Some(names) = value(BACKEND) {
        match Backend::named_for_wgpu(&names)[..] {
            [backend] => {
                choice.backend = Some(backend);
                told.push(format!("{BACKEND}={names} chooses the backend"));
            }
            _ => told.push(format!("{BACKEND}={names} is ignored: name one of vulkan, metal, dx12, gl")),
        }
    }
    if let Some(name) = value(NAME) {
        told.push(format!("{NAME}={name} chooses the adapter"));
        choice.adapter = Some(name);
    }
    (choice, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_wgpu_choose() {
        let of = |name: &str, backend: &str| {
            read(|variable| Some(if variable == NAME { name } else { backend }.to_owned()))
        };
        let (choice, told) = of("llvmpipe", "vk");
        let expected = Choice { adapter: Some("llvmpipe".into()), backend: Some(Backend::Vulkan) };
        assert_eq!((choice, told.len()), (expected, 2));
        assert_eq!(of("", " "), (Choice::default(), Vec::new()));
        for backend in ["vulkan,gl", "directx"] {
            let (choice, told) = of("", backend);
            assert_eq!(choice, Choice::default(), "{backend}");
            assert!(told[0].contains("is ignored"), "{told:?}");
        }
    }
}
