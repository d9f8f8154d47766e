//! The tests of importers and exporters, as one program: linking is most of the cost of a small one.

mod c;
mod csp;
mod dve;
mod fuzz;
mod hoa;
mod imports;
mod its;
mod promela;
mod promela_states;
mod smv;
mod t2;
mod tla;
