//! The module that naga parses from the rules and their prelude. All decisions on the rules depend on the module, which
//! a device runs: readers may disagree on a text.

use super::{
    text::Text,
    tokens::{items, tokens},
    words,
};
use crate::error::{Error, Result};
use naga::{
    Block, Expression, Function, Handle, Module, Span, Statement,
    valid::{Capabilities, ModuleInfo, ValidationFlags, Validator},
};
use std::{collections::HashSet, ops::Range};

/// A valid module.
#[derive(Debug)]
pub(super) struct Parsed {
    pub module: Module,
    pub info: ModuleInfo,
    /// Bytes of the text before the rules.
    before: usize,
}

/// A statement or an expression that games must not have: the error, and what to do.
type Objection = (&'static str, &'static str);

const GLOBAL: Objection = (
    "a game has no variables outside of functions",
    "declare the variable in a function; the data of a position belong to its State",
);
const BARRIER: Objection =
    ("a game has no barriers", "each invocation plays its own game and waits for no other");
const PIXELS: Objection =
    ("only shaders that draw pixels can do this", "remove it: rules compute with numbers only");
const SHARED: Objection =
    ("a game shares nothing with other invocations", "each invocation plays its own game");

impl Parsed {
    /// The module of a text after its prelude. Finds every error of syntax or types, and every part that rules must not
    /// have.
    ///
    /// # Errors
    /// Shader, pointing at the error in the text.
    pub fn new(text: &Text, before: &str) -> Result<Self> {
        let whole = format!("{before}{}", text.text);
        let module = naga::front::wgsl::parse_str(&whole).map_err(|wrong| {
            let inside = wrong.labels().find(|(span, _)| place(*span, before.len()).is_some());
            let (place, label) =
                inside.map_or((None, ""), |(span, label)| (place(span, before.len()), label));
            let notes: Vec<_> = wrong.notes().collect();
            let what = [vec![wrong.message()], notes].concat().join("; ");
            error(text, place, &what, if label == wrong.message() { "" } else { label })
        })?;
        check_parts(text, &module, before.len())?;
        let valid = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
        let info = valid.map_err(|wrong| {
            // The innermost place is the most specific; the function is one of them.
            let inside = wrong.spans().filter_map(|(span, _)| place(*span, before.len()));
            error(text, inside.min_by_key(|place| place.len()), &words::of(wrong.as_inner()), "")
        })?;
        Ok(Self { module, info, before: before.len() })
    }

    /// The place of a span in the text; `None` if it is before the text.
    pub fn place(&self, span: Span) -> Option<Range<usize>> {
        place(span, self.before)
    }

    /// The functions of the text, each after those that it calls.
    pub fn functions(&self) -> impl Iterator<Item = (Handle<Function>, &Function, Range<usize>)> {
        self.module.functions.iter().filter_map(|(handle, function)| {
            Some((handle, function, self.place(self.module.functions.get_span(handle))?))
        })
    }
}

fn place(span: Span, before: usize) -> Option<Range<usize>> {
    let range = span.to_range().filter(|range| range.start >= before)?;
    Some(range.start - before..range.end - before)
}

fn error(text: &Text, place: Option<Range<usize>>, what: &str, label: &str) -> Error {
    match place {
        Some(place) => text.error_at(place, what, label, ""),
        None => text.error(what),
    }
}

/// Checks that rules are functions, types and constants, whose names the scanner of the text has seen; and that
/// functions have only statements of a single invocation.
fn check_parts(text: &Text, module: &Module, before: usize) -> Result<()> {
    let refuse = |place: Option<Range<usize>>, (what, help): Objection| match place {
        Some(place) => Err(text.error_at(place, what, "", help)),
        None => Err(text.error(&format!("{what}: {help}"))),
    };
    for (handle, _) in module.global_variables.iter() {
        if let Some(place) = place(module.global_variables.get_span(handle), before) {
            return refuse(Some(place), GLOBAL);
        }
    }
    if let Some((handle, _)) = module.overrides.iter().next() {
        let place = place(module.overrides.get_span(handle), before);
        return refuse(place, ("a game has no overrides", "write const instead"));
    }
    if !module.entry_points.is_empty() {
        return refuse(None, ("a game has no entry points", "the search calls its functions"));
    }
    let tokens = tokens(&text.text);
    let seen: HashSet<&str> = items(&tokens).into_iter().map(|item| item.name).collect();
    for (handle, function) in module.functions.iter() {
        let Some(place) = place(module.functions.get_span(handle), before) else { continue };
        if function.name.as_deref().is_some_and(|name| !seen.contains(name)) {
            return Err(text.error_at(
                place,
                "the declaration of this function can't be found in the text",
                "",
                "",
            ));
        }
        for (handle, expression) in function.expressions.iter() {
            if matches!(expression, Expression::Derivative { .. }) {
                return refuse(self::place(function.expressions.get_span(handle), before), PIXELS);
            }
        }
        if let Some((span, objection)) = objection(&function.body) {
            return refuse(self::place(span, before), objection);
        }
    }
    Ok(())
}

/// The first statement that games must not have.
fn objection(block: &Block) -> Option<(Span, Objection)> {
    block.span_iter().find_map(|(statement, span)| match statement {
        Statement::Emit(_)
        | Statement::Break
        | Statement::Continue
        | Statement::Return { .. }
        | Statement::Store { .. }
        | Statement::Call { .. } => None,
        Statement::Block(_) | Statement::If { .. } | Statement::Switch { .. } | Statement::Loop { .. } => {
            blocks(statement).find_map(objection)
        }
        Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_)
        | Statement::WorkGroupUniformLoad { .. } => Some((*span, BARRIER)),
        Statement::Kill => Some((*span, PIXELS)),
        _ => Some((*span, SHARED)),
    })
}

pub(super) fn blocks(statement: &Statement) -> impl Iterator<Item = &Block> {
    let blocks: Vec<&Block> = match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    };
    blocks.into_iter()
}

/// Whether a condition holds for any statement of a block or of its inner blocks.
pub(super) fn any_statement(block: &Block, holds: &dyn Fn(&Statement) -> bool) -> bool {
    block
        .iter()
        .any(|statement| holds(statement) || blocks(statement).any(|inner| any_statement(inner, holds)))
}
