//! Modules whose kernels first fill their workgroup memory with a pattern.
//!
//! The shaders do not depend on it. Their text is changed before it is compiled: each entry point writes the pattern to
//! every workgroup variable that it uses, and then has a barrier.

use super::{compose::Composed, watch::POISON};
use naga::{AddressSpace, ArraySize, Binding, BuiltIn, Handle, Module, Scalar, ScalarKind, Type, TypeInner};
use std::fmt::Write;

/// The name of the parameter with the lane, which is added to entry points without one.
const LANE: &str = "poison_lane";

/// A module whose entry points fill their workgroup memory; `None` if they have none.
pub(crate) fn poisoned(composed: &Composed) -> Option<String> {
    let mut text = composed.text().to_owned();
    for (index, entry) in composed.module().entry_points.iter().enumerate() {
        let lane = lane_of(composed.module(), &entry.function);
        let lanes = entry.workgroup_size.iter().product();
        let used = composed.info().get_entry_point(index);
        let mut filling = String::new();
        for (handle, variable) in composed.module().global_variables.iter() {
            let Some(name) = variable.name.as_deref().filter(|_| !used[handle].is_empty()) else { continue };
            if variable.space == AddressSpace::WorkGroup {
                filling += &fill_by_lanes(composed.module(), variable.ty, name, (lane.as_deref(), lanes));
            }
        }
        if !filling.is_empty() {
            text = begin_with(&text, &entry.name, &filling, lane.is_none())?;
        }
    }
    (text != composed.text()).then_some(text)
}

/// The expression for the lane in an entry point, if it has one.
fn lane_of(module: &Module, function: &naga::Function) -> Option<String> {
    let is_lane =
        |binding: &Option<Binding>| *binding == Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex));
    function.arguments.iter().find_map(|argument| {
        let name = argument.name.as_deref()?;
        if is_lane(&argument.binding) {
            return Some(name.to_owned());
        }
        let TypeInner::Struct { members, .. } = &module.types[argument.ty].inner else { return None };
        let member = members.iter().find(|member| is_lane(&member.binding))?;
        Some(format!("{name}.{}", member.name.as_deref()?))
    })
}

/// The lanes share the elements of an array; the first one writes all other variables.
fn fill_by_lanes(
    module: &Module,
    ty: Handle<Type>,
    name: &str,
    (lane, lanes): (Option<&str>, u32),
) -> String {
    let lane = lane.unwrap_or(LANE);
    match &module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            let element = fill(module, *base, &format!("{name}[i0]"), 1);
            format!("for (var i0 = {lane}; i0 < {count}u; i0 += {lanes}u) {{ {element}}} ")
        }
        _ => format!("if {lane} == 0u {{ {}}} ", fill(module, ty, name, 0)),
    }
}

fn fill(module: &Module, ty: Handle<Type>, place: &str, depth: u32) -> String {
    match &module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            let element = fill(module, *base, &format!("{place}[i{depth}]"), depth + 1);
            format!("for (var i{depth} = 0u; i{depth} < {count}u; i{depth}++) {{ {element}}} ")
        }
        TypeInner::Struct { members, .. } => members.iter().fold(String::new(), |text, member| {
            let name = member.name.as_deref().unwrap_or_default();
            text + &fill(module, member.ty, &format!("{place}.{name}"), depth)
        }),
        TypeInner::Atomic(scalar) => format!("atomicStore(&{place}, {}); ", pattern(*scalar)),
        TypeInner::Scalar(scalar) => format!("{place} = {}; ", pattern(*scalar)),
        TypeInner::Vector { size, scalar } => {
            format!("{place} = vec{}({}); ", *size as u8, pattern(*scalar))
        }
        // The crate has no other types in workgroup memory, and game files must not.
        _ => String::new(),
    }
}

fn pattern(scalar: Scalar) -> String {
    let bits = format!("{POISON:#x}u");
    match scalar.kind {
        // The number of the upper half of the pattern.
        ScalarKind::Float if scalar.width == 2 => "f16(-427.25)".into(),
        ScalarKind::Sint => format!("bitcast<i32>({bits})"),
        ScalarKind::Float => format!("bitcast<f32>({bits})"),
        ScalarKind::Bool => "true".into(),
        _ => bits,
    }
}

/// Inserts statements at the beginning of an entry point. Lines keep their numbers.
fn begin_with(text: &str, entry: &str, filling: &str, needs_lane: bool) -> Option<String> {
    let parameters = text.find(&format!("fn {entry}("))? + entry.len() + 4;
    let mut open = 1;
    let end = parameters
        + text[parameters..].find(|letter| {
            open += i32::from(letter == '(') - i32::from(letter == ')');
            open == 0
        })?;
    let body = end + text[end..].find('{')? + 1;
    let mut begun = text[..end].to_owned();
    if needs_lane {
        let comma = if text[parameters..end].trim().trim_end_matches(',').is_empty() { "" } else { ", " };
        begun.truncate(begun.trim_end().trim_end_matches(',').len());
        write!(begun, "{comma}@builtin(local_invocation_index) {LANE}: u32").ok()?;
    }
    write!(begun, "{} {filling}workgroupBarrier();{}", &text[end..body], &text[body..]).ok()?;
    Some(begun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::compose::{Source, compose};

    #[test]
    fn every_kind_of_workgroup_memory_is_filled() {
        let text = "struct Pair { a: u32, b: array<vec2<f32>, 3> }
            struct Given { @builtin(local_invocation_index) index: u32 }
            var<workgroup> sh_words: array<u32, 9>;
            var<workgroup> sh_counts: array<array<atomic<i32>, 2>, 5>;
            var<workgroup> sh_pair: Pair;
            var<workgroup> sh_goes_on: bool;
            var<workgroup> sh_unused: u32;
            @group(0) @binding(0) var<storage, read_write> out: array<u32>;
            fn deep() -> u32 { return sh_words[0] + sh_pair.a + u32(sh_goes_on); }
            @compute @workgroup_size(4) fn one(@builtin(workgroup_id) group: vec3<u32>) { out[group.x] = deep(); }
            @compute @workgroup_size(4) fn two(given: Given) { out[given.index] = u32(atomicLoad(&sh_counts[0][1])); }
            @compute @workgroup_size(4) fn none() { out[0] = 1u; }";
        let composed = compose(&[Source::new("test.wgsl", text)]).expect("it is valid");
        let changed = poisoned(&composed).expect("there is workgroup memory");
        let again = compose(&[Source::new("poisoned.wgsl", changed.clone())]).expect("it stays valid");
        for entry in ["one", "two", "none"] {
            assert_eq!(again.workgroup(entry), composed.workgroup(entry), "{entry}");
            assert_eq!(again.bindings(entry), composed.bindings(entry), "{entry}");
        }
        assert_eq!(changed.lines().count(), text.lines().count());
        for filled in [
            "vec3<u32>, @builtin(local_invocation_index) poison_lane: u32) {",
            "for (var i0 = poison_lane; i0 < 9u; i0 += 4u) { sh_words[i0] = 0xdeadbeefu; }",
            "if poison_lane == 0u { sh_pair.a = 0xdeadbeefu; for (var i0 = 0u; i0 < 3u; i0++) { \
             sh_pair.b[i0] = vec2(bitcast<f32>(0xdeadbeefu)); } }",
            "if poison_lane == 0u { sh_goes_on = true; }",
            "for (var i0 = given.index; i0 < 5u; i0 += 4u) { for (var i1 = 0u; i1 < 2u; i1++) { \
             atomicStore(&sh_counts[i0][i1], bitcast<i32>(0xdeadbeefu)); } }",
            "fn none() { out[0] = 1u; }",
        ] {
            assert!(changed.contains(filled), "{filled}\n{changed}");
        }
        assert!(!changed.contains("sh_unused ="));
    }
}
