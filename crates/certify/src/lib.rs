//! The judge: checks answers against the model, and holds the oracle.
