//! Proofs with something wrong: each is refused by the premise that is false.
