//! Lets the judge check a proof from outside: from a file, or from another run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use certify::{Judge, Standing};
use model::{Answer, Proof, Task};

use crate::ask::panic_message;
use crate::report::Note;
use crate::world::World;

/// The judge's result on a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// Every premise is true: the property holds.
    Checked,
    /// The first false premise, in the user's names. The property may still hold.
    Refused(String),
    /// A limit ended the work, or the judge cannot encode the model.
    Unfinished(String),
}

/// Checks a proof that the property of a task holds.
pub fn verify(task: &Task, proof: Proof, world: &World<'_>) -> Verified {
    let session = world.session();
    let answer = Answer::Holds(proof);
    // A proof from outside may be anything, so a panic of the judge must not end the command.
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
