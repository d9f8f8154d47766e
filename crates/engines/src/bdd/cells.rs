//! Values of finite domains in bits.
//!
//! A cell with `n` values has `⌈log₂ n⌉` bits, the most significant first, and holds the code of its value:
//! the distance from the least one. Codes from `n` on stand for nothing. Every set of states that anyone
//! computes here is made from initial states by images, or is intersected with such a set, and so never contains
//! them. The bits of a cell lie together, and the cells lie in the order they are given in.

use model::StopReason;

use super::{Bdd, Table};

/// The bits of the cells of a state.
pub struct Cells {
    cells: Vec<Layout>,
    bits: usize,
}

/// The bits of one cell.
struct Layout {
    least: i64,
    greatest: i64,
    first: u32,
    width: u32,
}

impl Cells {
    /// Lays out cells, which have a least and a greatest value each. `order` says which cell comes at which place
    /// from the top, each at most once; a cell that does not appear has no bits, and nobody may ask for its value.
    pub fn new(domains: &[(i64, i64)], order: &[usize]) -> Cells {
        let mut cells: Vec<Layout> =
            domains.iter().map(|&(least, greatest)| Layout { least, greatest, first: 0, width: 0 }).collect();
        let mut bits = 0;
        for cell in order {
            let layout = &mut cells[*cell];
            layout.first = bits;
            layout.width = width(layout.least, layout.greatest);
            bits += layout.width;
        }
        Cells { cells, bits: bits as usize }
    }

    /// The number of bits.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The bits of a cell, the most significant first.
    pub fn bits_of(&self, cell: usize) -> std::ops::Range<u32> {
        let layout = &self.cells[cell];
        layout.first..layout.first + layout.width
    }

    /// The values of a cell.
    pub fn values(&self, cell: usize) -> std::ops::RangeInclusive<i64> {
        self.cells[cell].least..=self.cells[cell].greatest
    }

    /// The states in which a cell has a value of its domain.
    pub fn is(&self, table: &Table<'_>, cell: usize, value: i64) -> Result<Bdd, StopReason> {
        self.code(table, cell, value, &|bit| table.current(bit))
    }

    /// The steps after which a cell has a value of its domain.
    pub fn becomes(&self, table: &Table<'_>, cell: usize, value: i64) -> Result<Bdd, StopReason> {
        self.code(table, cell, value, &|bit| table.next(bit))
    }

    /// The steps that leave a cell as it is.
    pub fn stays(&self, table: &Table<'_>, cell: usize) -> Result<Bdd, StopReason> {
        let mut same = table.always();
        for bit in self.bits_of(cell).rev() {
            let equal = table.equal(&table.current(bit)?, &table.next(bit)?)?;
            same = table.and(&equal, &same)?;
        }
        Ok(same)
    }

    /// The values of the cells, from those of the bits.
    pub fn decode(&self, bits: &[bool]) -> Vec<i64> {
        let value = |cell: usize| {
            let code = self.bits_of(cell).fold(0i64, |code, bit| code << 1 | i64::from(bits[bit as usize]));
            self.cells[cell].least.wrapping_add(code)
        };
        (0..self.cells.len()).map(value).collect()
    }

    /// The values of the bits, from those of the cells.
    pub fn encode(&self, values: &[i64]) -> Vec<bool> {
        let mut bits = vec![false; self.bits];
        for (layout, value) in self.cells.iter().zip(values) {
            let code = value.wrapping_sub(layout.least);
            for place in 0..layout.width {
                bits[(layout.first + place) as usize] = code >> (layout.width - 1 - place) & 1 == 1;
            }
        }
        bits
    }

    /// The set of one state.
    pub fn single(&self, table: &Table<'_>, values: &[i64]) -> Result<Bdd, StopReason> {
        let mut literals = Vec::with_capacity(self.bits);
        for (bit, value) in self.encode(values).into_iter().enumerate() {
            let variable = table.current(bit as u32)?;
            literals.push(if value { variable } else { table.not(&variable)? });
        }
        table.all(literals)
    }

    fn code(
        &self,
        table: &Table<'_>,
        cell: usize,
        value: i64,
        variable: &dyn Fn(u32) -> Result<Bdd, StopReason>,
    ) -> Result<Bdd, StopReason> {
        let Layout { least, width, .. } = self.cells[cell];
        let code = value.wrapping_sub(least);
        let mut cube = table.always();
        for (place, bit) in self.bits_of(cell).enumerate().rev() {
            let literal = variable(bit)?;
            cube = if code >> (width as usize - 1 - place) & 1 == 1 {
                table.and(&literal, &cube)?
            } else {
                table.minus(&cube, &literal)?
            };
        }
        Ok(cube)
    }
}

/// The number of bits that tell the values from `least` to `greatest` apart.
fn width(least: i64, greatest: i64) -> u32 {
    u64::BITS - greatest.abs_diff(least).leading_zeros()
}
