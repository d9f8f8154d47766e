//! LTL to transition-based generalised Büchi automata.
