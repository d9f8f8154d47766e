//! Lets the judge check a proof that comes from somewhere else: a file, another run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use certify::{Judge, Standing};
use model::proof::Local;
use model::{Answer, Proof, Task};

use crate::ask::panic_message;
use crate::report::Note;
use crate::world::World;

/// What the judge says of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// Every premise is true: the property holds.
    Checked,
    /// The first premise that is false, in the user's names. The property may hold all the same.
    Refused(String),
    /// A limit ended the work, or the judge cannot encode the model.
    Unfinished(String),
}

/// Checks a proof that the property of a task holds.
pub fn verify(task: &Task, proof: Local, world: &World<'_>) -> Verified {
    let session = world.session();
    let answer = Answer::Holds(Proof::Local(Box::new(proof)));
    // A proof from outside may be anything; the judge must not take the command with it.
    match catch_unwind(AssertUnwindSafe(|| Judge::new(world.solvers, &session).certify(task, answer))) {
        Ok(Ok(certified)) if certified.standing() == Standing::Checked => Verified::Checked,
        Ok(Ok(_)) => {
            let notes = session.notes.into_inner().unwrap_or_default().into_iter();
            let notes: Vec<String> = notes.map(|note| Note::Fact(note).to_string()).collect();
            Verified::Unfinished(notes.join("; "))
        }
        Ok(Err(flaw)) => Verified::Refused(flaw.to_string()),
        Err(payload) => Verified::Unfinished(format!("the judge broke down ({})", panic_message(&*payload))),
    }
}
