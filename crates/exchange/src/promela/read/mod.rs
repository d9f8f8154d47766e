//! Models in Promela, the language of SPIN [Hol03]: proctypes that come and go, channels, `atomic` and `d_step`.
//!
//! A file goes through its preprocessor and parser, becomes an automaton per proctype ([`flow`]) and then a syntax tree of
//! our language. Its states are those between steps of SPIN's search without partial order reduction and without merged statements.
//! What is asked is in [`claims`]. What our language cannot say is refused with its line: code in C, priorities, claims about traces, and
//! processes whose number is not [bounded](count). `docs/imports.md` is the page for users.

mod actions;
mod claims;
mod count;
mod expressions;
mod flow;
mod include;
mod items;
mod listing;
mod parser;
mod points;
mod preprocess;
mod sequence;
mod steps;
mod symbols;
mod syntax;
mod timeout;
mod tokens;
mod translate;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::{File as Tree, Item, ItemKind, Span};

use self::include::Whole;
use self::points::Points;
use self::steps::Steps;
use self::syntax::Initial;
use self::translate::{Translator, Who, not};
use self::world::{Kind, Where, World};
use crate::dve::{Claim, Refused, Translated};
use crate::import::Files;
use crate::numbers::Interval;
use crate::tree::{free, name, named};

/// Translates a file, and claims about it.
pub(crate) fn translate(text: &str, claims: &[Claim], files: Files<'_>) -> Result<Translated, Refused> {
    let whole = Whole::new(text, files)?;
    let file = parser::file(&whole)?;
    let mut asked = Vec::new();
    for (position, claim) in claims.iter().enumerate() {
        let (Claim::Safety(formula) | Claim::Ctl(formula) | Claim::Ltl(formula)) = claim;
        let refused = |diagnostic| Refused::Claim(position, diagnostic);
        let formula = parser::formula(formula, &whole).map_err(refused)?;
        if let Claim::Ctl(_) = claim {
            let message = "formulas of CTL about a model in Promela are not supported";
            let diagnostic = Diagnostic::error(formula.span, message, "use --ltl");
            return Err(Refused::Claim(position, diagnostic.into()));
        }
        asked.push(formula);
    }
    let mentioned = claims::asked_labels(&file, &asked);
    let mut uncounted = World::new(&file, &mentioned)?;
    let built = |counts: &[i64]| system(text, &file, &mentioned, counts);
    let counts = match count::counts(&mut uncounted) {
        Ok(counts) => counts,
        Err(error) => {
            let listed = listing::counts(&uncounted, &|counts| {
                let (world, _, items) = built(counts)?;
                Ok((world, Tree { items, trailing: Vec::new() }))
            });
            listed.ok_or(error)?
        }
    };
    let (world, points, mut all) = built(&counts)?;
    let translator = Translator { world: &world, points: &points, who: None };
    all.extend(claims::safety(translator, &|span| line(text, span))?);
    let hidden = claims::hidden(translator, Span::default());
    let passing = |formula| claims::passing(formula, hidden.as_ref());
    let mut automata = Vec::new();
    for (number, (called, formula)) in file.formulas.iter().enumerate() {
        let called = called.clone().unwrap_or_else(|| name(format!("ltl_{number}"), formula.span));
        all.push(claims::property(called, passing(translator.truth(formula)?)));
    }
    if let Some(never) = &file.never {
        let (claim, automaton) = claims::never(translator, never, "never_claim")?;
        all.push(claim);
        automata.push(("never_claim".to_owned(), automaton));
    }
    all.extend(claims::labels(translator));
    for (position, (claim, formula)) in claims.iter().zip(&asked).enumerate() {
        let body = translator.truth(formula).map_err(|diagnostic| Refused::Claim(position, diagnostic))?;
        let called = |word: &str| {
            let text = if claims.len() == 1 { word.to_owned() } else { format!("{word}_{}", position + 1) };
            name(text, Span::default())
        };
        all.push(match claim {
            Claim::Safety(_) => {
                claims::invariant(called("safety"), translate::any(hidden.iter().cloned().chain([not(body)])))
            }
            Claim::Ctl(_) | Claim::Ltl(_) => claims::property(called("ltl"), passing(body)),
        });
    }
    Ok(Translated { file: Tree { items: all, trailing: Vec::new() }, automata })
}

/// Everything but what is asked, with so many processes of each proctype.
fn system<'a>(
    text: &str,
    file: &'a syntax::File,
    mentioned: &BTreeSet<String>,
    counts: &[i64],
) -> Result<(World<'a>, Points, Vec<Item>), Box<Diagnostic>> {
    let mut world = World::new(file, mentioned)?;
    count::apply(&mut world, counts);
    let points = Points::new(&world);
    symbols::settle(&mut world, &points);
    settle(&mut world, &points, &|span| line(text, span));
    let mut items = settled(&mut world, &points)?;
    if timeout::mentioned(file) {
        let translator = Translator { world: &world, points: &points, who: None };
        items.insert(0, timeout::definition(translator)?);
    }
    items::check_beginnings(&world)?;
    let mut all = items::globals(&world);
    all.extend(items);
    Ok((world, points, all))
}

/// The number of the line where something stands.
fn line(text: &str, span: Span) -> usize {
    text.get(..span.start).unwrap_or("").matches('\n').count() + 1
}

/// Gives channels their numbers, decides where variables are kept, and gives everything its name.
fn settle(world: &mut World<'_>, points: &Points, line: &dyn Fn(Span) -> usize) {
    for reserved in ["which_", "partner_", "someone_", translate::TIMEOUT] {
        world.taken.insert(reserved.to_owned());
    }
    world.taken.extend((1..=20).map(|number| format!("received_{number}")));
    let counts: Vec<i64> = world.processes.iter().map(|process| process.count).collect();
    let mut next = 1;
    for group in &mut world.groups {
        group.count = group.each * group.owner.map_or(1, |owner| counts[owner]);
        group.first = next;
        next += group.count;
    }
    let mut taken = std::mem::take(&mut world.taken);
    let symbols = world.symbols.clone();
    for name in &world.order {
        let Some(variable) = world.globals.get_mut(name) else { continue };
        if let Some(group) = variable.group {
            world.groups[group].called.clone_from(&variable.called);
            if points.is_written(name, None) {
                world.groups[group].called = free(&format!("{}_channel", variable.called), &mut taken);
            } else {
                variable.place = Where::Channel(group);
            }
        }
    }
    for (number, process) in world.processes.iter_mut().enumerate() {
        process.alive = free(&format!("{}_alive", process.called), &mut taken);
        process.pid = free(&format!("{}_pid", process.called), &mut taken);
        let parameters: BTreeSet<&str> =
            process.source.parameters.iter().map(|own| own.name.text.as_str()).collect();
        for (known, variable) in &mut process.variables {
            let constant = |expr: &syntax::Expr| expr.constant(&|name| symbols.get(name).copied());
            let is_constant = match &variable.declared.initial {
                Initial::None => true,
                Initial::Value(value) => constant(value).is_some(),
                Initial::List(values) => values.iter().all(|value| constant(value).is_some()),
                Initial::Channel(..) => false,
            };
            let shared_name = format!("{}_{}", process.called, known);
            variable.place = match variable.group {
                Some(group) if !points.is_written(known, Some(number)) => {
                    world.groups[group].called = free(&shared_name, &mut taken);
                    Where::Channel(group)
                }
                Some(group) => {
                    world.groups[group].called = free(&format!("{shared_name}_channel"), &mut taken);
                    Where::PerProcess
                }
                None if process.runs && parameters.contains(known.as_str()) || !is_constant => {
                    Where::PerProcess
                }
                None => Where::Local,
            };
            if variable.place == Where::PerProcess {
                variable.called = free(&shared_name, &mut taken);
            }
        }
    }
    let comes_and_goes =
        world.processes.iter().any(|process| process.runs || process.count > 0 && process.ends());
    if comes_and_goes {
        world.alive = Some(free("processes_alive", &mut taken));
    }
    let meeting = world.groups.iter().filter(|group| group.capacity == 0);
    let mut widest: BTreeMap<(usize, bool), Interval> = BTreeMap::new();
    for group in meeting {
        for (at, kind) in group.fields.iter().enumerate() {
            let known = widest.entry((at, *kind == Kind::Symbol)).or_insert(Interval::new(0, 0));
            *known = known.join(world.values(kind));
        }
    }
    for ((number, is_symbol), values) in widest {
        let called = free(&format!("message_{}", number + 1), &mut taken);
        let kind = if is_symbol { Kind::Symbol } else { Kind::Number(values) };
        world.scratch.insert((number, is_symbol), (called, kind));
    }
    world.partner = free("message_from", &mut taken);
    let holder = free("uninterrupted", &mut taken);
    world.taken = taken;
    world.taken.insert(holder);
    for process in &mut world.processes {
        let mut own = world.taken.clone();
        for name in &process.order {
            if let Some(variable) = process.variables.get_mut(name)
                && variable.place == Where::Local
            {
                variable.called = free(name, &mut own);
            }
        }
        process.index = free("i", &mut own);
        (process.places, process.dead) = steps::places(&process.flow.nodes, process.flow.end, line);
    }
}

/// The code of all proctypes. Which places there are between steps, and whether somebody must not be interrupted there, is
/// known only after it is made; so it is made again until that does not change.
fn settled(world: &mut World<'_>, points: &Points) -> Result<Vec<Item>, Box<Diagnostic>> {
    loop {
        let mut items = Vec::new();
        let mut stops = Vec::new();
        let mut cuts = false;
        for (process, family) in world.processes.iter().enumerate() {
            if family.count == 0 {
                stops.push(BTreeSet::new());
                continue;
            }
            let index = family.is_family().then(|| named(family.index.clone(), family.source.name.span));
            let who = Who { process, index, own: true };
            let mut steps = Steps::new(world, points, &who);
            let body = steps.body()?;
            cuts |= steps.cuts;
            stops.push(steps.stops);
            items.push(items::family(world, process, body));
        }
        let same = world.stops == stops && world.holder.is_some() == cuts;
        world.stops = stops;
        world.holder = cuts.then(|| "uninterrupted".to_owned());
        if same {
            return Ok(items);
        }
    }
}

/// The claims that SPIN makes of every model, in words: about its ends, and its assertions as they stand in the text.
pub(crate) fn implied(file: &Tree, text: &str) -> Vec<(String, String)> {
    let words = |item: &Item| {
        let ItemKind::Invariant { name, .. } = &item.kind else { return None };
        if name.text == claims::ENDS {
            return Some((name.text.clone(), "no process is stuck where it may not end".to_owned()));
        }
        let written = text.get(name.span.start..name.span.end)?;
        let is_assertion = name.text.starts_with("assert_line") && written.starts_with("assert");
        is_assertion.then(|| (name.text.clone(), written.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    file.items.iter().filter_map(words).collect()
}
