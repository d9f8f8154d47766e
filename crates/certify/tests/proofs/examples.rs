//! Proofs of well-known systems.
