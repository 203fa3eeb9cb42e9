//! The functions that a game file must define, and those that it may define. They are found by their names; their
//! signatures must be those listed here.

use super::{
    parsed::Parsed,
    taken::{OWN_PREFIX, is_taken},
    text::Text,
    tokens::{Item, items, tokens},
};
use crate::error::{Error, Result};
use naga::{Function, Module, ScalarKind, Type, TypeInner};
use std::{collections::HashSet, ops::Range};

/// A function of the contract: its name, parameters and result, in WGSL.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signature {
    pub name: &'static str,
    /// Names and types.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Empty for a function without a result.
    pub result: &'static str,
}

const STATE: (&str, &str) = ("state", "ptr<function, State>");
const TURN: (&str, &str) = ("turn", "u32");
const ACTION: (&str, &str) = ("action", "u32");
const PLAYOUT: (&str, &str) = ("playout", "ptr<function, Playout>");
const LANE: (&str, &str) = ("lane", "u32");

const fn signature(
    name: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    result: &'static str,
) -> Signature {
    Signature { name, parameters, result }
}

/// Functions that every file defines.
const REQUIRED: [Signature; 3] = [
    signature("is_action_legal", &[STATE, TURN, ACTION], "bool"),
    signature("take_action", &[STATE, TURN, ACTION], ""),
    signature("compute_outcome", &[STATE, TURN, ("last_action", "u32")], "u32"),
];

/// Functions that any file may define.
const OPTIONAL: [Signature; 10] = [
    signature("action_urgency", &[STATE, TURN, ACTION], "u32"),
    signature("solved_outcome", &[STATE, TURN], "u32"),
    signature("action_worth", &[STATE, TURN, ACTION], "u32"),
    signature("foreseen_outcome", &[STATE, TURN], "u32"),
    signature("start_position", &[STATE], ""),
    signature("planes", &[STATE, TURN, ("place", "u32")], "u32"),
    signature("cell", &[STATE, ("row", "u32"), ("column", "u32")], "u32"),
    signature("action_name", &[ACTION], "vec4<u32>"),
    signature("position_key", &[STATE], "vec2<u32>"),
    signature("may_repeat", &[ACTION], "bool"),
];

/// Functions that a file without playouts of its own may define.
const BY_THE_RULES: [Signature; 2] =
    [signature("action_weight", &[STATE, TURN, ACTION], "u32"), signature("compute_score", &[STATE], "i32")];

/// Former names of functions, and their present names, each with a definition that calls the former.
const FORMER: [(&str, &str, &str); 2] = [
    (
        "action_worth",
        "action_urgency",
        "fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
    return action_worth(state, turn, action);
}
",
    ),
    (
        "foreseen_outcome",
        "solved_outcome",
        "fn solved_outcome(state: ptr<function, State>, turn: u32) -> u32 {
    return foreseen_outcome(state, turn);
}
",
    ),
];

/// Functions that a file with a `struct Playout` defines.
const OWN_PLAYOUT: [Signature; 3] = [
    signature("playout_begin", &[STATE, TURN, LANE], "Playout"),
    signature("legal_actions_playout", &[PLAYOUT, LANE], "u32"),
    signature("take_action_playout", &[PLAYOUT, ("ordinal", "u32"), LANE], "u32"),
];

/// Functions that such a file may define.
const OWN_PLAYOUT_OPTIONAL: [Signature; 4] = [
    signature("run_playout", &[PLAYOUT, ("rng", "ptr<function, Rng>"), ("most", "u32"), LANE], "PlayoutRun"),
    signature("advance_playout", &[PLAYOUT, ("ordinal", "u32"), LANE], "bool"),
    signature("playout_score", &[PLAYOUT, LANE], "i32"),
    signature("playout_cut_off", &[PLAYOUT, LANE], "bool"),
];

/// Every function that is called by name.
pub(super) fn all() -> impl Iterator<Item = Signature> {
    REQUIRED.into_iter().chain(OPTIONAL).chain(BY_THE_RULES).chain(OWN_PLAYOUT).chain(OWN_PLAYOUT_OPTIONAL)
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parameters: Vec<_> = self.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        write!(f, "fn {}({})", self.name, parameters.join(", "))?;
        if self.result.is_empty() { Ok(()) } else { write!(f, " -> {}", self.result) }
    }
}

/// Checks the declarations at the outermost level of a file: none that are forbidden, and no names that are already
/// taken.
///
/// # Errors
/// Shader, pointing at the declaration.
pub(super) fn check_items(text: &Text) -> Result<()> {
    let tokens = tokens(&text.text);
    for Item { kind, name, place } in items(&tokens) {
        let (what, help) = match kind {
            "var" => (
                "a game has no variables outside of functions",
                "declare the variable in a function; the data of a position belong to its State",
            ),
            "override" => ("a game has no overrides", "write const instead"),
            "enable" | "requires" | "diagnostic" => {
                ("a game has no directives", "remove it: rules use no optional features of WGSL")
            }
            "@" => (
                "a game has no entry points or bindings",
                "write functions without attributes; the search calls them",
            ),
            _ if is_taken(name) => return Err(taken(text, name, place)),
            _ => continue,
        };
        return Err(text.error_at(place, what, "", help));
    }
    // A variable of such a name would hide a function that guards call.
    match tokens.into_iter().find(|token| token.text.starts_with(OWN_PREFIX)) {
        Some(token) => Err(taken(text, token.text, token.place)),
        None => Ok(()),
    }
}

fn taken(text: &Text, name: &str, place: Range<usize>) -> Error {
    let what = format!("the name '{name}' is used by the search itself, or by WGSL");
    text.error_at(place, &what, "", &format!("give it another, such as game_{name}"))
}

/// The functions that a file defines.
#[derive(Debug, Clone, Default)]
pub(super) struct Defined {
    names: HashSet<&'static str>,
    /// Whether it has a `struct Playout`.
    pub own_playout: bool,
    /// Definitions of functions that it has under their former names.
    pub renamed: Vec<&'static str>,
}

impl Defined {
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub fn is_scored(&self) -> bool {
        self.has("compute_score") || self.has("playout_score")
    }
}

/// Finds the functions of the contract in a valid module with the text, and checks their signatures.
///
/// # Errors
/// Shader, for a missing function, another signature, or functions that exclude each other.
pub(super) fn check_functions(text: &Text, parsed: &Parsed) -> Result<Defined> {
    let module = &parsed.module;
    let own = items(&tokens(&text.text))
        .into_iter()
        .filter(|item| item.kind == "fn")
        .map(|item| (item.name, item.place));
    let own: Vec<(&str, Range<usize>)> = own.collect();
    let own_playout =
        items(&tokens(&text.text)).iter().any(|item| item.kind == "struct" && item.name == "Playout");
    let mut defined = Defined { own_playout, ..Defined::default() };
    for signature in all() {
        let Some((_, place)) = own.iter().find(|(name, _)| *name == signature.name) else { continue };
        let function =
            module.functions.iter().find(|(_, function)| function.name.as_deref() == Some(signature.name));
        if let Some(wrong) = function.and_then(|(_, function)| difference(module, function, signature)) {
            let what = format!("{} {wrong}", signature.name);
            return Err(text.error_at(place.clone(), &what, "", &format!("expected: {signature}")));
        }
        defined.names.insert(signature.name);
    }
    let mut required = REQUIRED.iter().chain(if own_playout { &OWN_PLAYOUT[..] } else { &[] });
    if let Some(missing) = required.find(|signature| !defined.has(signature.name)) {
        return Err(missing_function(text, *missing, &own));
    }
    check_together(text, &defined, &own)?;
    for (former, now, definition) in FORMER {
        if defined.has(former) && defined.names.insert(now) {
            defined.renamed.push(definition);
        }
    }
    Ok(defined)
}

/// Checks functions that need others, or exclude them.
fn check_together(text: &Text, defined: &Defined, own: &[(&str, Range<usize>)]) -> Result<()> {
    let (unfit, help) = match defined.own_playout {
        true => (
            &BY_THE_RULES[..],
            "a file with a struct Playout draws and scores by the functions of its Playout",
        ),
        false => (&[OWN_PLAYOUT.as_slice(), &OWN_PLAYOUT_OPTIONAL].concat()[..], "it needs a struct Playout"),
    };
    let unfit = unfit.iter().find(|signature| defined.has(signature.name));
    let wrong = unfit.map(|signature| (signature.name, help)).or_else(|| {
        [
            ("playout_score", "advance_playout", "scores of playouts need fn advance_playout, too"),
            ("advance_playout", "playout_score", "it needs fn playout_score, too"),
            ("playout_cut_off", "playout_score", "it needs fn playout_score, too"),
            ("may_repeat", "position_key", "it needs fn position_key, too"),
        ]
        .into_iter()
        .find(|(has, needs, _)| defined.has(has) && !defined.has(needs))
        .map(|(has, _, help)| (has, help))
    });
    let Some((name, help)) = wrong else { return Ok(()) };
    let place = own.iter().find(|(own, _)| *own == name).map_or(0..0, |(_, place)| place.clone());
    Err(text.error_at(place, &format!("{name} does not fit the other functions of the file"), "", help))
}

fn missing_function(text: &Text, missing: Signature, own: &[(&str, Range<usize>)]) -> Error {
    let what = format!("there is no function {}", missing.name);
    let help = format!("expected: {missing}");
    let alike = |name: &str| strsim::damerau_levenshtein(name, missing.name);
    let near = own.iter().filter(|(name, _)| all().all(|known| known.name != *name));
    match near.min_by_key(|(name, _)| alike(name)).filter(|(name, _)| alike(name) <= missing.name.len() / 3) {
        Some((_, place)) => text.error_at(place.clone(), &what, "did you mean this one?", &help),
        None => text.error(&format!("{what}; {help}")),
    }
}

/// Notices of unused functions whose names are almost those of optional ones.
pub(super) fn notices(text: &Text, defined: &Defined) -> Vec<String> {
    let tokens = tokens(&text.text);
    let unused = items(&tokens).into_iter().filter(|item| {
        item.kind == "fn" && tokens.iter().filter(|token| token.text == item.name).count() == 1
    });
    let near = unused.filter(|item| all().all(|known| known.name != item.name)).filter_map(|item| {
        let known = all().find(|known| {
            !defined.has(known.name)
                && strsim::damerau_levenshtein(known.name, item.name) <= known.name.len() / 3
        })?;
        Some(format!("{}: nothing calls {}: did you mean {known}?", text.file, item.name))
    });
    near.collect()
}

/// The difference of a function to its signature.
fn difference(module: &Module, function: &Function, signature: Signature) -> Option<String> {
    let found = &function.arguments;
    let expected = signature.parameters;
    if found.len() != expected.len() {
        return Some(format!("has {} parameters instead of {}", found.len(), expected.len()));
    }
    for (argument, (name, ty)) in found.iter().zip(expected) {
        let has = type_name(module, &module.types[argument.ty]);
        if has != *ty {
            return Some(format!("has a parameter {name} of type {has} instead of {ty}"));
        }
    }
    let result =
        function.result.as_ref().map_or(String::new(), |result| type_name(module, &module.types[result.ty]));
    let named = |ty: &str| if ty.is_empty() { "nothing".to_owned() } else { ty.to_owned() };
    (result != signature.result)
        .then(|| format!("returns {} instead of {}", named(&result), named(signature.result)))
}

/// A type in WGSL.
fn type_name(module: &Module, ty: &Type) -> String {
    let inner = |handle| type_name(module, &module.types[handle]);
    match &ty.inner {
        TypeInner::Scalar(scalar) => scalar_name(scalar.kind).into(),
        TypeInner::Vector { size, scalar } if ty.name.as_deref() != Some("Rng") => {
            format!("vec{}<{}>", *size as u32, scalar_name(scalar.kind))
        }
        TypeInner::Vector { .. } => "Rng".into(),
        TypeInner::Pointer { base, space } => {
            format!("ptr<{}, {}>", format!("{space:?}").to_lowercase(), inner(*base))
        }
        TypeInner::Array { base, .. } => {
            ty.name.clone().unwrap_or_else(|| format!("array<{}, ...>", inner(*base)))
        }
        TypeInner::Struct { .. } => ty.name.clone().unwrap_or_default(),
        _ => "another".into(),
    }
}

fn scalar_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Sint => "i32",
        ScalarKind::Uint => "u32",
        ScalarKind::Float => "f32",
        _ => "bool",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of the check for functions beside a State of two words.
    fn checked(text: &str) -> Result<Defined> {
        let before = "alias State = array<u32, 2>;\n";
        let text = Text { file: "game.wgsl".into(), text: text.into() };
        let parsed = Parsed::new(&text, before)?;
        check_functions(&text, &parsed)
    }

    fn stub(signature: &Signature) -> String {
        let result =
            if signature.result.is_empty() { "" } else { &format!("return {}();", signature.result) };
        format!("{signature} {{ {result} }}\n")
    }

    fn required() -> String {
        REQUIRED.iter().map(stub).collect()
    }

    #[test]
    fn signatures_are_wgsl() {
        assert!(checked(&required()).is_ok());
        for optional in OPTIONAL.iter().chain(&BY_THE_RULES).filter(|optional| optional.name != "may_repeat")
        {
            let defined = checked(&(required() + &stub(optional))).expect("it fits");
            assert!(defined.has(optional.name) && !defined.own_playout);
        }
        let types = "struct Playout { a: u32 }\n\
            struct PlayoutRun { outcome: u32, plies: u32 }\nalias Rng = vec4<u32>;\n";
        let own: String = OWN_PLAYOUT.iter().chain(&OWN_PLAYOUT_OPTIONAL).map(stub).collect();
        let defined = checked(&(required() + types + &own)).expect("it fits");
        assert!(defined.own_playout && defined.is_scored() && defined.has("run_playout"));
    }

    #[test]
    fn every_parameter_is_held_to_its_type() {
        for signature in &REQUIRED {
            for (name, ty) in signature.parameters {
                let other =
                    signature.to_string().replace(&format!("{name}: {ty}"), &format!("{name}: vec2<i32>"));
                let wrong = required().replace(&signature.to_string(), &other);
                let message = checked(&wrong).expect_err("another type").to_string();
                assert!(message.contains(&format!("{name} of type vec2<i32> instead of {ty}")), "{message}");
                assert!(message.ends_with(&format!("expected: {signature}")), "{message}");
            }
            let without = required().replace(&stub(signature), "");
            let message = checked(&without).expect_err("it is missing").to_string();
            assert!(message.contains(&format!("there is no function {}", signature.name)), "{message}");
        }
    }
}
