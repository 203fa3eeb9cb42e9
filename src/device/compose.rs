//! Composition of shaders: concatenation with a line map, parsed and validated by naga before any driver gets it.

use crate::{
    error::{Error, Result},
    rules::{GameShader, Origin},
};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// A piece of WGSL and the path of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    file: String,
    text: String,
    origin: Origin,
}

impl Source {
    /// A piece of WGSL.
    pub fn new(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { file: file.into(), text: text.into(), origin: Origin::Foreign }
    }

    /// A file of this crate (the macro [`files`]).
    pub(crate) fn own(file: &'static str, text: &'static str) -> Self {
        Self { origin: Origin::Own, ..Self::new(file, text) }
    }

    /// A piece of WGSL of a game, or generated from its sizes.
    pub(crate) fn of(game: &GameShader, file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { origin: game.origin, ..Self::new(file, text) }
    }

    /// The path of the file, such as `games/go/rules.wgsl`.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Pieces of WGSL by their paths below `shaders/`.
macro_rules! files {
    ($($file:literal),* $(,)?) => {
        vec![$($crate::device::compose::Source::own(
            concat!("shaders/", $file),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $file)),
        )),*]
    };
}
pub(crate) use files;

/// WGSL that declares numbers.
pub fn constants<'a>(numbers: impl IntoIterator<Item = (&'a str, u32)>) -> String {
    numbers.into_iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect()
}

/// WGSL that declares switches.
pub fn flags<'a>(flags: impl IntoIterator<Item = (&'a str, bool)>) -> String {
    flags.into_iter().map(|(name, value)| format!("const {name}: bool = {value};\n")).collect()
}

/// A validated module.
#[derive(Debug)]
pub struct Composed {
    text: String,
    module: naga::Module,
    info: ModuleInfo,
    /// The least trusted origin among its sources.
    origin: Origin,
}

/// A storage or uniform buffer that an entry point uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Its binding in group 0.
    pub binding: u32,
    /// The name of the variable and of the buffer.
    pub name: String,
    /// How the kernel accesses it.
    pub kind: BindingKind,
    /// Bindings of an array; `None` for a single one.
    pub count: Option<u32>,
}

/// A kernel's access to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// Reads, at uniform addresses.
    Uniform,
    /// Reads.
    Read,
    /// Reads and writes.
    Write,
}

/// Concatenates the sources and validates the result.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn compose(sources: &[Source]) -> Result<Composed> {
    let mut text = String::new();
    for source in sources {
        text.push_str(&source.text);
        if !source.text.is_empty() && !source.text.ends_with('\n') {
            text.push('\n');
        }
    }
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| {
        // Some errors first refer to a type, which may have no place in the text.
        let place = error.labels().map(|(span, _)| span).find(|span| span.is_defined());
        shader_error(sources, place.map(|span| span.location(&text)), error.message())
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities(&text));
    validator
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(naga::valid::SubgroupOperationSet::all());
    let info = validator.validate(&module).map_err(|error| {
        let location = error.location(&text);
        let mut message = error.as_inner().to_string();
        let mut cause = std::error::Error::source(error.as_inner());
        while let Some(inner) = cause {
            message = format!("{message}: {inner}");
            cause = inner.source();
        }
        shader_error(sources, location, &message)
    })?;
    let origin = sources.iter().map(|source| source.origin).min().unwrap_or_default();
    Ok(Composed { text, module, info, origin })
}

/// WebGPU's capabilities, and those that the text uses: arrays of bindings, and subgroup operations.
fn capabilities(text: &str) -> Capabilities {
    let arrays = Capabilities::STORAGE_BUFFER_BINDING_ARRAY
        | Capabilities::STORAGE_BUFFER_BINDING_ARRAY_NON_UNIFORM_INDEXING;
    let matrices = Capabilities::SHADER_FLOAT16 | Capabilities::COOPERATIVE_MATRIX | Capabilities::SUBGROUP;
    // Directives are on the first line.
    let directives = text.lines().next().unwrap_or_default();
    let asked = [
        (directives.contains("enable wgpu_binding_array;"), arrays),
        (text.contains("@builtin(subgroup_"), Capabilities::SUBGROUP),
        (directives.contains("enable f16;"), matrices),
    ];
    asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, capabilities)| capabilities).collect()
}

/// Composes a module for fewer and fewer lanes until a workgroup of the entry point fits the adapter, or has one lane.
/// Each lane takes at least `words` of workgroup memory: numbers of lanes that exceed the limit by that alone are
/// skipped.
///
/// # Errors
/// See [`compose`].
pub fn halved_until_it_fits(
    mut lanes: u32,
    words: u32,
    entry: &str,
    limits: &wgpu::Limits,
    compose: impl Fn(u32) -> Result<Composed>,
) -> Result<(u32, Composed)> {
    while lanes > 1 && 4 * words * lanes > limits.max_compute_workgroup_storage_size {
        lanes /= 2;
    }
    loop {
        let composed = compose(lanes)?;
        if lanes == 1 || composed.fits(entry, limits) {
            return Ok((lanes, composed));
        }
        lanes /= 2;
    }
}

fn shader_error(sources: &[Source], at: Option<naga::SourceLocation>, message: &str) -> Error {
    let place = at.and_then(|at| locate(sources, at.line_number)).map_or_else(
        || sources.last().map_or(String::new(), |s| s.file.clone()),
        |(file, line)| format!("{file}:{line}"),
    );
    Error::shader(format!("{place}: {message}"))
}

/// The file and line of a line of the concatenation, both counted from 1.
fn locate(sources: &[Source], line: u32) -> Option<(&str, u32)> {
    let mut first = 1;
    for source in sources {
        let lines = source.text.lines().count() as u32;
        if line < first + lines {
            return Some((&source.file, line + 1 - first));
        }
        first += lines;
    }
    None
}

impl Composed {
    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// naga's parse of it.
    pub fn module(&self) -> &naga::Module {
        &self.module
    }

    /// naga's analysis of that.
    pub fn info(&self) -> &ModuleInfo {
        &self.info
    }

    /// The module's origin.
    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// The same module with a changed text; `what` names the change, for errors.
    pub(super) fn changed(&self, what: &str, text: String) -> Result<Self> {
        compose(&[Source { origin: self.origin, ..Source::new(what, text) }])
    }

    /// The buffers that an entry point uses, by binding; empty if there is no such entry point.
    pub fn bindings(&self, entry: &str) -> Vec<Binding> {
        let Some(index) = self.entry(entry) else { return Vec::new() };
        let used = self.info.get_entry_point(index);
        let globals = self.module.global_variables.iter();
        let mut bindings: Vec<_> = globals
            .filter(|(handle, _)| !used[*handle].is_empty())
            .filter_map(|(_, global)| {
                let binding = global.binding.as_ref()?.binding;
                let count = match self.module.types[global.ty].inner {
                    naga::TypeInner::BindingArray { size: naga::ArraySize::Constant(count), .. } => {
                        Some(count.get())
                    }
                    _ => None,
                };
                let kind = match global.space {
                    naga::AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE) => {
                        BindingKind::Write
                    }
                    naga::AddressSpace::Storage { .. } => BindingKind::Read,
                    _ => BindingKind::Uniform,
                };
                Some(Binding { binding, name: global.name.clone().unwrap_or_default(), kind, count })
            })
            .collect();
        bindings.sort_by_key(|b| b.binding);
        bindings
    }

    /// Bytes of an element of a buffer that is an array; 0 if there is no such buffer.
    pub fn element_bytes(&self, buffer: &str) -> u32 {
        let variables = &self.module.global_variables;
        let found = variables.iter().find(|(_, variable)| variable.name.as_deref() == Some(buffer));
        match found.map(|(_, variable)| &self.module.types[variable.ty].inner) {
            Some(naga::TypeInner::Array { stride, .. }) => *stride,
            _ => 0,
        }
    }

    /// Invocations of a workgroup of an entry point, and its bytes of workgroup memory.
    pub fn workgroup(&self, entry: &str) -> (u32, u32) {
        let Some(index) = self.entry(entry) else { return (0, 0) };
        let used = self.info.get_entry_point(index);
        let bytes = self
            .module
            .global_variables
            .iter()
            .filter(|(handle, global)| {
                global.space == naga::AddressSpace::WorkGroup && !used[*handle].is_empty()
            })
            .map(|(_, global)| self.module.types[global.ty].inner.size(self.module.to_ctx()))
            .sum();
        (self.module.entry_points[index].workgroup_size.iter().product(), bytes)
    }

    /// Whether a workgroup of an entry point fits adapters with these limits.
    pub fn fits(&self, entry: &str, limits: &wgpu::Limits) -> bool {
        let (lanes, bytes) = self.workgroup(entry);
        lanes <= limits.max_compute_invocations_per_workgroup
            && bytes <= limits.max_compute_workgroup_storage_size
    }

    fn entry(&self, name: &str) -> Option<usize> {
        self.module.entry_points.iter().position(|e| e.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::Connect4, rules::Game};

    fn sources(broken: &str) -> Vec<Source> {
        vec![Source::new("a.wgsl", "const A: u32 = 1u;\n\n"), Source::new("b.wgsl", broken)]
    }

    #[test]
    fn errors_name_the_authors_file_and_line() {
        let parse = compose(&sources("fn f() {}\nfn g() { let x = ; }")).unwrap_err();
        assert!(parse.is_shader() && parse.to_string().starts_with("b.wgsl:2:"), "{parse}");
        let types = compose(&sources("// fine\n\nfn g() -> u32 { return 1.5; }")).unwrap_err();
        assert!(types.to_string().starts_with("b.wgsl:3:"), "{types}");
        let unknown = compose(&sources("const B = A + missing;")).unwrap_err();
        assert!(unknown.to_string().starts_with("b.wgsl:1:"), "{unknown}");
    }

    /// One untrusted source makes the module untrusted, also after a device has changed its text.
    #[test]
    fn a_module_is_the_crates_own_if_all_of_it_is() {
        let own = GameShader::of(&Connect4::default());
        let handed_on = Connect4::default().shader();
        let file = GameShader { origin: Origin::LoopsEnd, ..handed_on.clone() };
        let library = || files!["lib/game.wgsl"].remove(0);
        let numbers = |game: &GameShader| {
            let names = ["MAX_ACTIONS", "STATE_WORDS", "PLAYOUT_LANES"];
            Source::of(game, "(generated constants)", constants(names.map(|name| (name, 1))))
        };
        for (game, foreign, expected) in [
            (&own, false, Origin::Own),
            (&file, false, Origin::LoopsEnd),
            (&handed_on, false, Origin::Foreign),
            (&own, true, Origin::Foreign),
        ] {
            let more = foreign.then(|| Source::new("more.wgsl", "fn more() {}"));
            let sources: Vec<_> = [numbers(game), library()].into_iter().chain(more).collect();
            let composed = compose(&sources).expect("it is valid");
            assert_eq!(composed.origin(), expected);
            let changed = composed.changed("changed", composed.text().into()).expect("it is valid");
            assert_eq!(changed.origin(), expected);
        }
    }

    #[test]
    fn bindings_are_those_an_entry_point_uses() {
        let text = "@group(0) @binding(3) var<storage, read_write> three: array<u32>;
            @group(0) @binding(5) var<storage, read> five: array<u32>;
            var<workgroup> sh_a: array<u32, 8>;
            fn deep() -> u32 { return five[0]; }
            @compute @workgroup_size(4, 2) fn one() { sh_a[0] = deep(); }
            @compute @workgroup_size(1) fn two() { three[0] = 1u; }";
        let composed = compose(&[Source::new("c.wgsl", text)]).unwrap();
        let single = |binding, name: &str, kind| Binding { binding, name: name.into(), kind, count: None };
        assert_eq!(composed.bindings("one"), [single(5, "five", BindingKind::Read)]);
        assert_eq!(composed.bindings("two"), [single(3, "three", BindingKind::Write)]);
        assert_eq!(composed.workgroup("one"), (8, 32));
        assert_eq!(composed.workgroup("two"), (1, 0));
    }

    #[test]
    fn lanes_are_halved_until_a_workgroup_fits() {
        let limits = wgpu::Limits {
            max_compute_invocations_per_workgroup: 64,
            max_compute_workgroup_storage_size: 1 << 10,
            ..wgpu::Limits::defaults()
        };
        let lanes_of = |words: u32, others: u32, at_least: u32| {
            let fitted = halved_until_it_fits(256, at_least, "main", &limits, |lanes| {
                let text = format!(
                    "var<workgroup> sh: array<u32, {}>;
                    @compute @workgroup_size({lanes}) fn main() {{ sh[0] = 1u; }}",
                    words * lanes + others
                );
                compose(&[Source::new("d.wgsl", text)])
            });
            fitted.unwrap().0
        };
        assert_eq!(lanes_of(1, 0, 0), 64, "as many as a workgroup may have");
        assert_eq!(lanes_of(4, 0, 0), 64, "as much memory as it may have");
        for at_least in [0, 4] {
            assert_eq!(lanes_of(4, 1, at_least), 32, "one word too many");
        }
        assert_eq!(lanes_of(8, 0, 8), 32);
        assert_eq!(lanes_of(300, 0, 300), 1, "not even one lane");
    }
}
