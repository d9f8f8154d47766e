//! The tools as an agent sees them: what they take and what they return, as JSON schemas.

use driver::FairnessOption;
use fairly::session::Language;
use serde_json::{Value, json};

use super::tools::{Name, Tool};

/// A tool in the answer to `tools/list`.
pub(super) fn tool(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input(tool.which),
        "outputSchema": output(tool.which),
        "annotations": {
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
    })
}

/// The names of the arguments of a tool.
pub(super) fn arguments(which: Name) -> Vec<String> {
    let schema = input(which);
    schema["properties"].as_object().into_iter().flat_map(|own| own.keys().cloned()).collect()
}

fn input(which: Name) -> Value {
    let languages: Vec<&str> = Language::all().map(|(ending, _)| ending).collect();
    let mut properties = json!({
        "text": { "type": "string", "description": "The model. Either this or `file`." },
        "file": {
            "type": "string",
            "description": "A file, relative to the folder of the server and inside it. Either this or `text`.",
        },
        "language": {
            "enum": languages,
            "description": "The language of the model: that of Fairly (fair) if it is not given, of a file by its ending. \
                            Models in Promela, SMV, CSP# and DVE are translated; programs (c, t2, smt2) can only be checked.",
        },
        "set": {
            "type": "object",
            "description": "Values for constants and parameters, such as {\"N\": 3}.",
            "additionalProperties": { "type": ["integer", "boolean"] },
        },
    });
    let time = json!({
        "type": "number",
        "exclusiveMinimum": 0,
        "description": "Seconds the call may take; 20 if it is not given. The server has a limit of its own.",
    });
    let names = json!({
        "type": "array",
        "items": { "type": "string" },
        "description": "Names of properties, families or members (`access[1]`); all if it is not given.",
    });
    let fairness: Vec<&str> = FairnessOption::ALL.map(FairnessOption::name).to_vec();
    let fairness = json!({
        "enum": fairness,
        "description": "The fairness to assume in place of what the model declares.",
    });
    match which {
        Name::Diagnose => {}
        Name::Check | Name::Explain => {
            properties["properties"] = names;
            properties["fairness"] = fairness;
            properties["time_limit"] = time;
        }
        Name::Advise => {
            properties["properties"] = names;
            properties["time_limit"] = time;
        }
        Name::Simulate => {
            properties["steps"] = json!({
                "type": "integer", "minimum": 0, "maximum": super::call::STEPS,
                "description": "How many random steps to take after the chosen ones; 0 if it is not given.",
            });
            properties["seed"] = json!({
                "type": "integer", "minimum": 0,
                "description": "The seed of what is random; 1 if it is not given. The same seed gives the same walk.",
            });
            properties["choices"] = json!({
                "type": "array", "maxItems": super::call::STEPS, "items": { "type": "integer", "minimum": 0 },
                "description": "Which of the steps on offer to take, each time, counted from 0.",
            });
            properties["initial"] = json!({
                "type": "integer", "minimum": 1,
                "description": "The number of the initial state; a random one if it is not given.",
            });
        }
        Name::Replay => {
            properties["property"] =
                json!({ "type": "string", "description": "The property that the run should violate." });
            properties["run"] = json!({
                "type": "object",
                "description": "A run: the `counterexample` of a result of `check`.",
                "properties": {
                    "initial": { "type": "object", "additionalProperties": { "type": "string" } },
                    "steps": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "action": { "type": "string" },
                                "changes": { "type": "object", "additionalProperties": { "type": "string" } },
                            },
                            "required": ["action", "changes"],
                        },
                    },
                    "loop": { "type": ["integer", "null"], "minimum": 0 },
                },
                "required": ["initial", "steps"],
            });
            properties["time_limit"] = time;
        }
    }
    let required = if which == Name::Replay { json!(["property", "run"]) } else { json!([]) };
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn output(which: Name) -> Value {
    let list = |what: &str| json!({ "type": "array", "items": { "type": "object" }, "description": what });
    let mut properties = json!({
        "status": {
            "enum": ["answered", "errors_in_model", "bad_request", "undecided"],
            "description": "Only `answered` is an answer to all that was asked.",
        },
        "summary": { "type": "string", "description": "The answer in sentences." },
        "diagnostics": list("What is wrong with the model: line, column, message, and how to mend it."),
    });
    match which {
        Name::Diagnose => properties["outline"] = list("What the model declares."),
        Name::Check | Name::Explain => {
            properties["all_as_expected"] = json!({
                "type": "boolean",
                "description": "Whether every property was decided, is as expected, and nothing weakens it.",
            });
            properties["results"] = list(
                "One for each property: `verdict` is holds, holds_but (see `concerns`), fails, fault, unknown or \
                 refused; `rests_on` says who answered, whether it was checked, and for which scope; `assumes` whether its \
                 fairness is what it needs.",
            );
            properties["concerns"] = json!({ "type": "array", "items": { "type": "string" } });
        }
        Name::Advise => properties["advice"] = list("For each property the fairness it needs."),
        Name::Simulate => properties["walk"] = json!({ "type": "object" }),
        Name::Replay => {
            properties["judged"] = json!({ "enum": ["counterexample", "not_a_counterexample", "undecided"] });
        }
    }
    json!({ "type": "object", "properties": properties, "required": ["status", "summary"] })
}
