//! The tools: what an agent may call, and what it is told of each.

/// Which tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Diagnose,
    Check,
    Advise,
    Explain,
    Simulate,
    Replay,
}

/// A tool.
pub(super) struct Tool {
    pub(super) which: Name,
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
}

/// All tools.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        which: Name::Diagnose,
        name: "diagnose",
        title: "Diagnose a model",
        description: "Reads a model and says what is wrong with it, where, and how to mend it. Runs nothing. Use it \
                      after every change.",
    },
    Tool {
        which: Name::Check,
        name: "check",
        title: "Check the properties of a model",
        description: "Decides whether properties hold on every fair run, with a counterexample where they fail. Says \
                      what each verdict rests on, and whether it is weaker than it looks: vacuous, under fairness that \
                      is too strong or cannot be met, or about nothing.",
    },
    Tool {
        which: Name::Advise,
        name: "advise",
        title: "Find the fairness that properties need",
        description: "For each property: under which kinds of fairness it holds, the minimal assumptions that are \
                      enough, and which declared ones are superfluous, too strong or impossible to meet.",
    },
    Tool {
        which: Name::Explain,
        name: "explain",
        title: "Explain answers",
        description: "Like check, and says for each answer why: which process starves on the run and what would rule \
                      that out, or which assumptions the property rests on.",
    },
    Tool {
        which: Name::Simulate,
        name: "simulate",
        title: "Walk through a model",
        description: "Takes chosen and random steps from an initial state and returns the states, and the steps that \
                      are possible next.",
    },
    Tool {
        which: Name::Replay,
        name: "replay",
        title: "Judge a run",
        description: "Lets an independent judge say whether a run, as `check` returns it, is a counterexample to a \
                      property of this model.",
    },
];
