//! The names in the Promela text, and where the values of a state are kept.
//!
//! Every variable of the system becomes one global variable: an array over the processes that own it and over its
//! positions, in the order of the cells, or a plain variable if it has a single cell. Locals are global too, because
//! formulas and guards of other processes read them. A name keeps the user's spelling unless it is taken by SPIN, by
//! the C compiler that translates its output, or by another name; then it gets underscores. Control locations and
//! members of enums are named by `#define`.

use std::collections::BTreeSet;
use std::fmt::Write;

use model::expr::{Operator, Place};
use model::system::Scalar;
use model::{Expr, Instance, VariableId};

use crate::export::Refusal;
use crate::export::names::identifier;
use crate::export::range::{INT, cells, constant, family_span, hull};

/// The names of an instance in Promela.
pub(super) struct Names {
    /// Per variable of the system.
    variables: Vec<String>,
    /// Per enum of the system, those of its members.
    members: Vec<Vec<String>>,
    /// Per process.
    pub(super) processes: Vec<String>,
    claimed: BTreeSet<String>,
}

impl Names {
    /// Names for everything in the instance.
    pub(super) fn new(instance: &Instance) -> Names {
        let mut names = Names {
            variables: Vec::new(),
            members: Vec::new(),
            processes: Vec::new(),
            claimed: RESERVED.split_whitespace().map(str::to_owned).collect(),
        };
        for process in &instance.processes {
            let name = names.claim(&format!("process_{}", process.name));
            // The C text has a macro of this name.
            names.claimed.insert(format!("P{name}"));
            names.processes.push(name);
        }
        let system = &instance.system;
        for (number, variable) in system.variables.iter().enumerate() {
            let is_location = system.is_location(VariableId(number as u32));
            let name = match variable.owner {
                None => variable.name.clone(),
                Some(family) if is_location => format!("at_{}", system.family(family).name),
                Some(family) => format!("{}_{}", system.family(family).name, variable.name),
            };
            let name = names.claim(&name);
            names.variables.push(name);
        }
        for enumeration in &system.enums {
            let name = |member| format!("{}_{member}", enumeration.name.trim_end_matches('@'));
            let members = enumeration.members.iter().map(|member| names.claim(&name(member))).collect();
            names.members.push(members);
        }
        names
    }

    /// A free name, as similar to `wish` as possible.
    pub(super) fn claim(&mut self, wish: &str) -> String {
        let mut name = identifier(wish);
        // Names without a small letter are often macros of SPIN's C text.
        if !name.chars().any(|c| c.is_ascii_lowercase())
            || name.starts_with(|c: char| c == '_' || c.is_ascii_digit())
        {
            name = format!("m_{name}");
        }
        // `t0`, `p3_1` and `turn0` are names of the exporter's own.
        let stem = name.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit());
        if stem.len() < name.len() && ["t", "p", "turn"].contains(&stem) {
            name = format!("m_{name}");
        }
        while !self.claimed.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// The declarations of all variables, with the values of `state` if there is one.
    pub(super) fn declarations(&self, instance: &Instance, state: Option<&[i64]>) -> Result<String, Refusal> {
        let mut text = String::new();
        for (number, members) in self.members.iter().enumerate() {
            let used = |scalar: &Scalar| matches!(scalar, Scalar::Enum(id) if id.0 as usize == number);
            if instance.system.variables.iter().any(|variable| used(&variable.kind.scalar)) {
                for (value, member) in members.iter().enumerate() {
                    let _ = writeln!(text, "#define {member} {value}");
                }
            }
        }
        text.push('\n');
        for (number, variable) in instance.system.variables.iter().enumerate() {
            let id = VariableId(number as u32);
            let Some((lo, hi)) = hull(instance, id) else { continue };
            let kind = match (lo, hi) {
                _ if lo < INT.0 || INT.1 < hi => {
                    return Err(Refusal {
                        reason: format!(
                            "the values of `{}` do not fit into the 32 bits of Promela's `int`",
                            variable.name
                        ),
                        instead: "declare it with a range".to_owned(),
                    });
                }
                _ if variable.kind.scalar == Scalar::Bool => "bool",
                (0.., ..=1) => "bit",
                (0.., ..=255) => "byte",
                (-32_768.., ..=32_767) => "short",
                _ => "int",
            };
            let cells = cells(instance, id);
            let name = &self.variables[number];
            let size = if cells.len() == 1 { String::new() } else { format!("[{}]", cells.len()) };
            let meaning: Vec<&str> =
                cells.iter().take(3).map(|cell| instance.cells[*cell].name.as_str()).collect();
            let more = if cells.len() > 3 { ", ..." } else { "" };
            let values: Vec<i64> = cells.iter().map(|cell| state.map_or(0, |state| state[*cell])).collect();
            let initial = match values.first() {
                Some(value) if state.is_some() && values.iter().all(|other| other == value) => {
                    format!(" = {}", self.value(instance, id, *value))
                }
                Some(_) if state.is_some() => {
                    let values: Vec<String> =
                        values.iter().map(|value| self.value(instance, id, *value)).collect();
                    format!(" = {{ {} }}", values.join(", "))
                }
                _ => String::new(),
            };
            let _ = writeln!(text, "{kind} {name}{size}{initial}; /* {}{more} */", meaning.join(", "));
        }
        Ok(text)
    }

    /// A constant of a variable's type.
    pub(super) fn value(&self, instance: &Instance, variable: VariableId, value: i64) -> String {
        match &instance.system.variable(variable).kind.scalar {
            Scalar::Bool => (value != 0).to_string(),
            Scalar::Enum(id) => {
                let member = self.members[id.0 as usize].get(value as usize);
                member.cloned().unwrap_or_else(|| value.to_string())
            }
            _ => value.to_string(),
        }
    }

    /// One cell.
    pub(super) fn cell(&self, instance: &Instance, cell: usize) -> String {
        let variable = instance.cells[cell].variable;
        let name = &self.variables[variable.0 as usize];
        let cells = cells(instance, variable);
        match cells.iter().position(|other| *other == cell) {
            Some(position) if cells.len() > 1 => format!("{name}[{position}]"),
            _ => name.clone(),
        }
    }

    /// The array of a place and the expression of its index; no index if it is a plain variable.
    pub(super) fn element(&self, instance: &Instance, place: &Place) -> (&str, Option<Expr>) {
        let name = self.variables[place.variable.0 as usize].as_str();
        if cells(instance, place.variable).len() == 1 {
            return (name, None);
        }
        let mut index = Expr::Int(0);
        let owner = instance.system.variable(place.variable).owner;
        let spans = owner.map(|family| family_span(instance, family)).into_iter();
        let spans = spans.chain(instance.dimensions(place.variable).iter().copied());
        let process = owner.map(|_| place.process.as_deref().cloned().unwrap_or(Expr::Int(0)));
        for ((lo, hi), at) in spans.zip(process.into_iter().chain(place.position.iter().cloned())) {
            let scaled = folded(Operator::Mul, index, Expr::Int(hi - lo + 1));
            let offset = folded(Operator::Sub, at, Expr::Int(lo));
            index = match (scaled, offset) {
                (Expr::Int(0), offset) => offset,
                (scaled, Expr::Int(0)) => scaled,
                (Expr::Int(a), Expr::Int(b)) => Expr::Int(a + b),
                (scaled, offset) => Expr::Sum(vec![scaled, offset]),
            };
        }
        (name, Some(index))
    }
}

/// `a operator b`, folded for constants and for factors 1 and summands 0.
fn folded(operator: Operator, a: Expr, b: Expr) -> Expr {
    match (operator, constant(&a), constant(&b)) {
        (_, Some(x), Some(y)) => {
            model::semantics::binary(operator, x, y).map_or_else(|_| Expr::binary(operator, a, b), Expr::Int)
        }
        (Operator::Mul, _, Some(1)) | (Operator::Sub, _, Some(0)) => a,
        _ => Expr::binary(operator, a, b),
    }
}

/// Keywords of Promela, of its formulas and of C, macros in the C text that SPIN writes, and our own names.
const RESERVED: &str = "\
    U V W X accept active age always asm assert atomic auto begun bit bool break byte c_code c_decl \
    c_expr c_state c_track case chan char const continue d_proctype d_step default depth do double else \
    empty enabled end enum equivalent errno eval eventually extern fair false fault fi final float for \
    full get_priority getframe goto hidden i386 iam_alive idle if implies in inbuf init inline int last \
    len linux local long ltl main max maxseq0 min minseq0 mix mtype nempty never next nfull notrace now \
    np_ observe od of onstack_put onstack_zap pc_value pid print printf printm priority proctype product \
    progress provided q_sz rand register release return reveal rot run select set_priority short show \
    signed sizeof skip static stderr stdin stdout stronguntil struct switch timeout trace true typedef \
    uchar uint ulong union unix unless unsigned until ushort void volatile wasnew weakuntil while xr xs";
