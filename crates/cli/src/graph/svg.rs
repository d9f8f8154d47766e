//! Draws a state graph as an SVG picture, without another program.
//!
//! The layers are the distances from an initial state, top to bottom, as in [STT81]. So a step leads one layer down,
//! stays in its layer or goes up, and no step down crosses a layer. Within a layer the states are ordered by the mean
//! position of their neighbours, first downwards, then upwards, a few times; then each state is moved towards that
//! mean as far as its neighbours in the layer allow. Steps up are drawn as bows to the right of the states they pass,
//! steps down as plain curves. The name of a step is placed along its curve, if possible where it covers no other
//! name and no state.
//!
//! The cost is at worst quadratic in the width of a layer; graphs here are small.

use std::cmp::Ordering;
use std::fmt::Write;

use driver::graph::{LassoPart, StateGraph};

use super::{Link, in_full, lines, links};
use crate::markup::escaped;

/// The distance between layers, on top of the height of a state.
const LAYER: f64 = 58.0;
/// The distance between states of a layer, without and with the names of steps.
const GAP: (f64, f64) = (26.0, 108.0);
/// The width of a letter.
const LETTER: f64 = 7.0;
/// The width of a letter in the name of a step.
const NAME: f64 = 6.2;
/// The height of a line.
const LINE: f64 = 16.0;
/// The margin around the picture.
const MARGIN: f64 = 40.0;
/// With more steps than this, names are shown only on hover.
const NAMED: usize = 48;

const STYLE: &str = include_str!("graph.css");

/// The position of a state: its centre and its size.
#[derive(Clone, Copy)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The picture.
pub(super) fn picture(graph: &StateGraph, title: &str) -> String {
    let links = links(graph);
    let places = places(graph, &links);
    let right = places.iter().map(|place| place.x + place.width / 2.0).fold(0.0, f64::max);
    let bottom = places.iter().map(|place| place.y + place.height / 2.0).fold(0.0, f64::max);
    // Bows to the right need room; the further up they lead, the more.
    let bow = links.iter().map(|link| rise(graph, link)).max().unwrap_or(0);
    let width = right + MARGIN + 24.0 + (bow as f64) * 14.0;
    let words = caption(graph, title);
    let width = width
        .max(words.iter().map(|line| line.chars().count() as f64 * 7.2).fold(0.0, f64::max) + 2.0 * MARGIN);
    let height = bottom + MARGIN + words.len() as f64 * 20.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        escaped(title)
    );
    text += "<defs>";
    for class in ["step", "stem", "cycle"] {
        // Writing to a string does not fail, here and below.
        let _ = write!(
            text,
            "<marker id=\"{class}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip {class}\" d=\"M0 0L8 4L0 8z\"/></marker>"
        );
    }
    text += "</defs>\n";
    // Marked steps are drawn last, on top.
    let mut order: Vec<&Link> = links.iter().collect();
    order.sort_by_key(|link| link.part);
    for link in &order {
        text += &edge(graph, link, &places);
    }
    for (state, place) in places.iter().enumerate() {
        text += &node(graph, state, place);
    }
    if links.len() <= NAMED {
        text += &names(graph, &order, &places);
    }
    for (number, line) in words.iter().enumerate() {
        let y = bottom + MARGIN + number as f64 * 20.0;
        let _ =
            writeln!(text, "<text class=\"caption\" x=\"{MARGIN}\" y=\"{y:.0}\">{}</text>", escaped(line));
    }
    text + "</svg>\n"
}

/// The caption of the picture.
fn caption(graph: &StateGraph, title: &str) -> Vec<String> {
    let states = if graph.states.len() == 1 { "state" } else { "states" };
    let mut lines = vec![format!("{title}: {} {states}, {} steps", graph.states.len(), graph.steps.len())];
    let fair = graph.fair.iter().filter(|fair| **fair).count();
    match &graph.property {
        None => lines.push(format!("shaded: {fair} states in which a run can stay for ever")),
        Some(property) => {
            lines.push(format!(
                "shaded: {fair} states in which a run can stay for ever and be fair, as {property} assumes"
            ));
            if graph.refuted {
                lines.push(format!("thick: a run that violates {property}, the way to it and its loop"));
            }
        }
    }
    lines
}

/// How many layers a step leads up; 0 if it does not.
fn rise(graph: &StateGraph, link: &Link) -> usize {
    graph.levels[link.from].saturating_sub(graph.levels[link.to])
}

/// The position of each state.
fn places(graph: &StateGraph, links: &[Link]) -> Vec<Place> {
    // The width of a state includes the gap to the next one.
    let gap = if links.len() <= NAMED { GAP.1 } else { GAP.0 };
    let sizes: Vec<(f64, f64)> = (0..graph.states.len())
        .map(|state| {
            let lines = lines(graph, state);
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            (longest as f64 * LETTER + 22.0 + gap, (lines.len().max(1) as f64) * LINE + 14.0)
        })
        .collect();
    let mut layers: Vec<Vec<usize>> = Vec::new();
    for (state, level) in graph.levels.iter().enumerate() {
        layers.resize_with(layers.len().max(level + 1), Vec::new);
        layers[*level].push(state);
    }
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); graph.states.len()];
    for link in links.iter().filter(|link| graph.levels[link.from].abs_diff(graph.levels[link.to]) == 1) {
        neighbours[link.from].push(link.to);
        neighbours[link.to].push(link.from);
    }
    let mut x = vec![0.0; graph.states.len()];
    let centre = layers.iter().map(|layer| row_width(layer, &sizes)).fold(0.0, f64::max) / 2.0;
    layers.iter().for_each(|layer| spread(layer, &sizes, &mut x, centre));
    for round in 0..12 {
        let order: Vec<usize> =
            if round % 2 == 0 { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
        for level in order {
            let from = if round % 2 == 0 { level.checked_sub(1) } else { Some(level + 1) };
            let mean = |state: usize, x: &[f64]| {
                let near = neighbours[state].iter().filter(|other| Some(graph.levels[**other]) == from);
                let (count, sum) = near.fold((0, 0.0), |(count, sum), other| (count + 1, sum + x[*other]));
                if count == 0 { x[state] } else { sum / f64::from(count) }
            };
            let wanted: Vec<f64> = (0..graph.states.len()).map(|state| mean(state, &x)).collect();
            let layer = &mut layers[level];
            layer.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]).then(a.cmp(b)));
            settle(layer, &sizes, &wanted, &mut x);
        }
    }
    let left =
        (0..x.len()).map(|state| x[state] - (sizes[state].0 - gap) / 2.0).fold(f64::INFINITY, f64::min);
    let mut top = MARGIN;
    let mut places = vec![Place { x: 0.0, y: 0.0, width: 0.0, height: 0.0 }; graph.states.len()];
    for layer in &layers {
        let height = layer.iter().map(|state| sizes[*state].1).fold(0.0, f64::max);
        for state in layer {
            let (width, own) = sizes[*state];
            let width = width - gap;
            places[*state] =
                Place { x: x[*state] - left + MARGIN, y: top + height / 2.0, width, height: own };
        }
        top += height + LAYER;
    }
    places
}

fn row_width(layer: &[usize], sizes: &[(f64, f64)]) -> f64 {
    layer.iter().map(|state| sizes[*state].0).sum()
}

/// Places the states of a layer side by side around a centre.
fn spread(layer: &[usize], sizes: &[(f64, f64)], x: &mut [f64], centre: f64) {
    let mut left = centre - row_width(layer, sizes) / 2.0;
    for state in layer {
        x[*state] = left + sizes[*state].0 / 2.0;
        left += sizes[*state].0;
    }
}

/// Places the states of a layer, in order, near their wanted positions: pushed apart to the right, then to the left,
/// and the mean of both.
fn settle(layer: &[usize], sizes: &[(f64, f64)], wanted: &[f64], x: &mut [f64]) {
    let apart = |a: usize, b: usize| sizes[a].0.midpoint(sizes[b].0);
    let (mut right, mut left) = (Vec::new(), Vec::new());
    for (k, state) in layer.iter().enumerate() {
        let least = if k == 0 { f64::NEG_INFINITY } else { right[k - 1] + apart(layer[k - 1], *state) };
        right.push(wanted[*state].max(least));
    }
    for (k, state) in layer.iter().rev().enumerate() {
        let most = if k == 0 { f64::INFINITY } else { left[k - 1] - apart(layer[layer.len() - k], *state) };
        left.push(wanted[*state].min(most));
    }
    for (k, state) in layer.iter().enumerate() {
        x[*state] = right[k].midpoint(left[layer.len() - 1 - k]);
    }
}

fn node(graph: &StateGraph, state: usize, place: &Place) -> String {
    let mut class = "state".to_owned();
    for (name, is) in [
        ("fair", graph.fair[state]),
        ("initial", graph.levels[state] == 0),
        ("faulty", graph.faulty.contains(&state)),
    ] {
        if is {
            class = format!("{class} {name}");
        }
    }
    let (left, top) = (place.x - place.width / 2.0, place.y - place.height / 2.0);
    let mut text = format!(
        "<g class=\"{class}\"><title>{}</title><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
        escaped(&in_full(graph, state)),
        place.width,
        place.height
    );
    for (number, line) in lines(graph, state).iter().enumerate() {
        let y = top + 19.0 + number as f64 * LINE;
        let _ = write!(text, "<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>", place.x, escaped(line));
    }
    text + "</g>\n"
}

fn class(link: &Link) -> &'static str {
    match link.part {
        None => "step",
        Some(LassoPart::Stem) => "stem",
        Some(LassoPart::Cycle) => "cycle",
    }
}

/// The four points of the curve of a step.
fn curve(graph: &StateGraph, link: &Link, places: &[Place]) -> [(f64, f64); 4] {
    let (a, b) = (places[link.from], places[link.to]);
    let (from, to) = (graph.levels[link.from], graph.levels[link.to]);
    if link.from == link.to {
        let (x, y) = (a.x + a.width / 2.0, a.y);
        return [(x, y - 7.0), (x + 30.0, y - 18.0), (x + 30.0, y + 18.0), (x, y + 7.0)];
    }
    if to == from + 1 {
        let (y, end) = (a.y + a.height / 2.0, b.y - b.height / 2.0);
        // Curves leave and arrive leaning a little towards each other, so that several do not meet in one point.
        let lean = |place: &Place, other: f64| {
            place.x
                + (other - place.x).clamp(-1.0, 1.0)
                    * (place.width / 5.0)
                    * ((other - place.x).abs() / 120.0).min(1.0)
        };
        let (x, x2) = (lean(&a, b.x), lean(&b, a.x));
        return [(x, y), (x, y + LAYER * 0.45), (x2, end - LAYER * 0.45), (x2, end)];
    }
    if to == from {
        let side = if b.x > a.x { 1.0 } else { -1.0 };
        let (x, x2) = (a.x + side * a.width / 2.0, b.x - side * b.width / 2.0);
        let dip = 14.0 + (x2 - x).abs() * 0.12;
        return [
            (x, a.y + 6.0),
            (x + side * 18.0, a.y + dip),
            (x2 - side * 18.0, b.y + dip),
            (x2, b.y + 6.0),
        ];
    }
    let reach = 26.0 + rise(graph, link) as f64 * 14.0;
    let (x, x2) = (a.x + a.width / 2.0, b.x + b.width / 2.0);
    let out = x.max(x2) + reach;
    [(x, a.y - 5.0), (out, a.y - 12.0), (out, b.y + 12.0), (x2, b.y + 5.0)]
}

fn edge(graph: &StateGraph, link: &Link, places: &[Place]) -> String {
    let [a, b, c, d] = curve(graph, link, places);
    let class = class(link);
    format!(
        "<path class=\"{class}\" marker-end=\"url(#{class})\" d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\">\
         <title>{}</title></path>\n",
        a.0,
        a.1,
        b.0,
        b.1,
        c.0,
        c.1,
        d.0,
        d.1,
        escaped(&link.actions.join(", "))
    )
}

/// The names of all steps, each beside its curve where it overlaps as little as possible. Marked steps come first,
/// and each takes the best of a few free positions.
fn names(graph: &StateGraph, order: &[&Link], places: &[Place]) -> String {
    let mut taken: Vec<Place> = places.to_vec();
    let mut text = String::new();
    for link in order.iter().rev() {
        let points = curve(graph, link, places);
        let shown = match &link.actions[..] {
            [one] => one.clone(),
            [one, rest @ ..] => format!("{one} +{}", rest.len()),
            [] => String::new(),
        };
        let (width, height) = (shown.chars().count() as f64 * NAME + 4.0, LINE);
        // The name of a bow goes to its right.
        let beside = if link.from == link.to || rise(graph, link) > 0 { width / 2.0 + 4.0 } else { 0.0 };
        let at = |along_it: f64| {
            let (x, y) = along(&points, along_it);
            Place { x: x + beside, y, width, height }
        };
        let crowd = |place: &Place| taken.iter().map(|other| overlap(place, other)).sum::<f64>();
        // Curves cross in the middle; a little before it there is more room.
        let wanted: &[f64] = match graph.levels[link.to].cmp(&graph.levels[link.from]) {
            Ordering::Greater => &[0.45, 0.35, 0.55, 0.25, 0.65, 0.75, 0.2, 0.8],
            Ordering::Equal => &[0.5, 0.4, 0.6, 0.3, 0.7],
            Ordering::Less => &[0.3, 0.4, 0.5, 0.6, 0.2, 0.7],
        };
        let candidates = wanted.iter().map(|along_it| at(*along_it));
        let best = candidates
            .map(|place| (crowd(&place), place))
            .reduce(|best, other| if other.0 < best.0 { other } else { best });
        let Some((_, place)) = best else { continue };
        taken.push(place);
        let _ = writeln!(
            text,
            "<text class=\"name {}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            class(link),
            place.x,
            place.y + 4.0,
            escaped(&shown)
        );
    }
    text
}

/// The area that two places share.
fn overlap(a: &Place, b: &Place) -> f64 {
    let shared = |centre: f64, size: f64, other: f64, its: f64| {
        ((centre + size / 2.0).min(other + its / 2.0) - (centre - size / 2.0).max(other - its / 2.0)).max(0.0)
    };
    shared(a.x, a.width, b.x, b.width) * shared(a.y, a.height, b.y, b.height)
}

/// A point of a cubic curve.
fn along(points: &[(f64, f64); 4], place: f64) -> (f64, f64) {
    let rest: f64 = 1.0 - place;
    let weights = [rest.powi(3), 3.0 * rest.powi(2) * place, 3.0 * rest * place.powi(2), place.powi(3)];
    let sum = |of: fn(&(f64, f64)) -> f64| {
        points.iter().zip(weights).map(|(point, weight)| of(point) * weight).sum()
    };
    (sum(|point| point.0), sum(|point| point.1))
}

#[cfg(test)]
mod tests {
    use driver::report::{Binding, Spot, Value};

    use super::*;

    /// The middle of each name in a picture.
    fn named(picture: &str) -> Vec<(f64, f64)> {
        let names = picture.lines().filter(|line| line.contains("class=\"name"));
        let number = |line: &str, key: &str| {
            line.split(&format!(" {key}=\"")).nth(1).and_then(|rest| rest.split('"').next()?.parse().ok())
        };
        names.filter_map(|line| Some((number(line, "x")?, number(line, "y")?))).collect()
    }

    #[test]
    fn the_names_of_steps_are_not_written_over_one_another() {
        let step = |from, to, action: &str, part| driver::graph::GraphStep {
            from,
            to,
            action: action.to_owned(),
            part,
        };
        let located =
            Binding { spot: Spot::Location("P".into()), value: Value::Member("somewhere".to_owned()) };
        // Two states above, two below, and every step down: the curves cross in the middle.
        let graph = StateGraph {
            states: vec![vec![located]; 4],
            levels: vec![0, 0, 1, 1],
            fair: vec![false; 4],
            faulty: std::collections::BTreeSet::new(),
            steps: vec![
                step(0, 2, "P[1].enter", None),
                step(0, 3, "P[2].enter", None),
                step(1, 2, "P[1].leave", Some(LassoPart::Stem)),
                step(1, 3, "P[2].leave", None),
            ],
            property: None,
            refuted: false,
        };
        let names = named(&picture(&graph, "test"));
        assert_eq!(names.len(), 4);
        for (number, a) in names.iter().enumerate() {
            for b in &names[number + 1..] {
                assert!((a.0 - b.0).abs() >= 60.0 || (a.1 - b.1).abs() >= LINE, "{names:?}");
            }
        }
    }
}
