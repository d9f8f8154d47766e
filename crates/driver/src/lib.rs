//! Chooses engines, runs them within limits, certifies, and reports.
