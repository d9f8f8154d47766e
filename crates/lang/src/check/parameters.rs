//! Parameters beside unbounded integers: a parameter that gives nothing its size is an integer that never changes.
//!
//! `param N >= 2;` becomes `shared N: int = any; init N >= 2;`, and an `int` that begins with a value that depends on N
//! begins with any value and a further `init`. Nobody can write to N, as that is an error of the file. So the runs for some
//! N are those of the system in which `N` has this value, and a claim about all of them is one about every N. A parameter
//! that is the end of a range, a size, or part of a constant has to be known where the system is made; then the file with
//! the integer has an error, and the parameter stays open (decision 0116).

use model::Subject;
use model::system::Scalar;

use crate::Model;
use crate::syntax::{
    Binary, Comments, Expr, ExprKind, File, Initial, Item, ItemKind, MemberKind, Name, Span, Type, Variables,
};
use crate::visit::visit;

/// The file with integers in place of the open parameters, if it has both.
pub(super) fn as_integers(file: &File, model: &Model) -> Option<File> {
    let Subject::Open(system) = &model.subject else { return None };
    system.variables.iter().find(|variable| variable.kind.scalar == Scalar::Int)?;
    let open: Vec<&str> = system.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let mut items = Vec::new();
    for item in &file.items {
        let mut item = item.clone();
        let mut init = Vec::new();
        match &mut item.kind {
            ItemKind::Param { name, least } if open.contains(&name.text.as_str()) => {
                init.push(compared(Binary::Ge, named(name), least.clone()));
                let (kind, initial) = (Type::Int(name.span), Some(Initial::Any(name.span)));
                item.kind = ItemKind::Shared(Variables { names: vec![name.clone()], kind, initial });
            }
            ItemKind::Shared(variables) => init.extend(freed(variables, &open, &named)),
            ItemKind::Process(process) if process.indices.is_empty() => {
                let owner = named(&process.name);
                let read = |name: &Name| Expr {
                    kind: ExprKind::Field(Box::new(owner.clone()), name.clone()),
                    span: name.span,
                };
                for member in &mut process.members {
                    if let MemberKind::Local(variables) = &mut member.kind {
                        init.extend(freed(variables, &open, &read));
                    }
                }
            }
            _ => {}
        }
        let span = item.span;
        items.push(item);
        let item = |expr| Item { kind: ItemKind::Init(expr), span, comments: Comments::default() };
        items.extend(init.into_iter().map(item));
    }
    Some(File { items, trailing: file.trailing.clone() })
}

/// If integers begin with a value that depends on a parameter, lets them begin with any value, and returns what it must be.
fn freed(variables: &mut Variables, open: &[&str], read: &dyn Fn(&Name) -> Expr) -> Vec<Expr> {
    let (Type::Int(span), Some(Initial::Value(value))) = (&variables.kind, &variables.initial) else {
        return Vec::new();
    };
    let mut depends = false;
    visit(value, &mut |part| {
        depends |= matches!(&part.kind, ExprKind::Name(name) if open.contains(&name.as_str()));
    });
    if !depends {
        return Vec::new();
    }
    let init = variables.names.iter().map(|name| compared(Binary::Eq, read(name), value.clone())).collect();
    variables.initial = Some(Initial::Any(*span));
    init
}

fn named(name: &Name) -> Expr {
    Expr { kind: ExprKind::Name(name.text.clone()), span: name.span }
}

fn compared(operator: Binary, a: Expr, b: Expr) -> Expr {
    let span = Span { start: a.span.start, end: b.span.end.max(a.span.end) };
    Expr { kind: ExprKind::Binary(operator, Box::new(a), Box::new(b)), span }
}
