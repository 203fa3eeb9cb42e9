//! wgpu's environment variables, which choose an adapter if no option does.

use super::output::notice;
use crate::engine::Backend;
use std::{env, sync::LazyLock};

const NAME: &str = "WGPU_ADAPTER_NAME";
const BACKEND: &str = "WGPU_BACKEND";

/// An adapter and a backend; `None` if not chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// See --adapter.
    pub adapter: Option<String>,
    /// See --backend.
    pub backend: Option<Backend>,
}

/// The choice by the environment. The first use prints notices.
static CHOICE: LazyLock<Choice> = LazyLock::new(|| {
    let (choice, notices) = read(|name| env::var(name).ok());
    notices.iter().for_each(|text| notice(&format!("notice: {text}")));
    choice
});

impl Choice {
    /// The choice by options, completed by the environment. If an option names an adapter, the environment is ignored.
    pub fn of(adapter: Option<&str>, backend: Option<Backend>) -> Self {
        match adapter {
            Some(adapter) => Self { adapter: Some(adapter.to_owned()), backend },
            None => Self { adapter: CHOICE.adapter.clone(), backend: backend.or(CHOICE.backend) },
        }
    }
}

/// The choice by these variables, and notices on it.
fn read(variable: impl Fn(&str) -> Option<String>) -> (Choice, Vec<String>) {
    let value = |name| variable(name).filter(|value| !value.trim().is_empty());
    let (mut choice, mut notices) = (Choice::default(), Vec::new());
    if let Some(names) = value(BACKEND) {
        match Backend::named_for_wgpu(&names)[..] {
            [backend] => {
                choice.backend = Some(backend);
                notices.push(format!("{BACKEND}={names} chooses the backend"));
            }
            _ => notices.push(format!("{BACKEND}={names} is ignored: name one of vulkan, metal, dx12, gl")),
        }
    }
    if let Some(name) = value(NAME) {
        notices.push(format!("{NAME}={name} chooses the adapter"));
        choice.adapter = Some(name);
    }
    (choice, notices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_wgpu_choose() {
        let of = |name: &str, backend: &str| {
            read(|variable| Some(if variable == NAME { name } else { backend }.to_owned()))
        };
        let (choice, notices) = of("llvmpipe", "vk");
        let expected = Choice { adapter: Some("llvmpipe".into()), backend: Some(Backend::Vulkan) };
        assert_eq!((choice, notices.len()), (expected, 2));
        assert_eq!(of("", " "), (Choice::default(), Vec::new()));
        for backend in ["vulkan,gl", "directx"] {
            let (choice, notices) = of("", backend);
            assert_eq!(choice, Choice::default(), "{backend}");
            assert!(notices[0].contains("is ignored"), "{notices:?}");
        }
    }
}
