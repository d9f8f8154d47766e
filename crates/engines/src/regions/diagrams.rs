//! A system as diagrams: its initial states, and its steps group by group.
//!
//! A group has one relation. Its *proper* steps are those that change something; the others lead nowhere, so closures
//! leave them out.
//!
//! A system of many groups, of which few have a step from a typical set, can have *lookups*: the groups with a step from
//! a set are then found without asking every one, and neighbouring groups are joined in clusters.

use std::collections::BTreeSet;

use crate::bdd::{Bdd, Cells, Relation, Table, Union};
use crate::encoding::Stop;

/// The least number of groups for which clusters are made, and the size of a cluster.
const MANY: usize = 200;
const TOGETHER: usize = 32;

/// The initial states and the steps of a system.
pub(crate) struct Diagrams {
    pub(crate) initial: Bdd,
    /// The groups; the last is that of `idle`.
    pub(crate) groups: Vec<Group>,
    /// The same steps in fewer relations, or none.
    pub(crate) clusters: Vec<Cluster>,
    lookups: Option<Lookups>,
}

/// Where steps of each group may begin, and where proper ones do.
struct Lookups {
    enabled: Union,
    begins: Union,
}

/// Steps with one relation.
pub(crate) struct Group {
    /// Where a step may begin.
    pub(crate) enabled: Bdd,
    pub(crate) relation: Relation,
    /// The steps that change something.
    pub(crate) proper: Relation,
}

/// The steps of several groups in one relation.
pub(crate) struct Cluster {
    pub(crate) relation: Relation,
    pub(crate) proper: Relation,
}

impl Group {
    /// The steps of a predicate that writes these cells.
    pub(crate) fn new(
        table: &Table<'_>,
        cells: &Cells,
        enabled: Bdd,
        predicate: Bdd,
        written: impl Iterator<Item = usize> + Clone,
    ) -> Result<Group, Stop> {
        let bits: Vec<u32> = written.clone().flat_map(|cell| cells.bits_of(cell)).collect();
        let stays = written.map(|cell| cells.stays(table, cell)).collect::<Result<Vec<_>, _>>()?;
        let proper = Relation::new(table.minus(&predicate, &table.all(stays)?)?, bits.clone());
        Ok(Group { enabled, relation: Relation::new(predicate, bits), proper })
    }

    /// Steps from some states to themselves.
    pub(crate) fn unmoving(table: &Table<'_>, enabled: Bdd) -> Group {
        Group {
            relation: Relation::new(enabled.clone(), Vec::new()),
            enabled,
            proper: Relation::new(table.never(), Vec::new()),
        }
    }

    /// The same steps.
    pub(crate) fn copy(&self) -> Group {
        let same = |relation: &Relation| relation.restricted(relation.predicate.clone());
        Group { enabled: self.enabled.clone(), relation: same(&self.relation), proper: same(&self.proper) }
    }
}

impl Diagrams {
    pub(crate) fn new(initial: Bdd, groups: Vec<Group>) -> Diagrams {
        Diagrams { initial, groups, clusters: Vec::new(), lookups: None }
    }

    /// The same system with lookups, and with clusters if there are many groups.
    pub(crate) fn with_lookups(mut self, table: &Table<'_>) -> Result<Diagrams, Stop> {
        let enabled = Union::of(table, self.groups.iter().map(|group| group.enabled.clone()))?;
        let begins = self.groups.iter().map(|group| table.preimage(&table.always(), &group.proper));
        let begins = Union::of(table, begins.collect::<Result<Vec<_>, _>>()?.into_iter())?;
        self.lookups = Some(Lookups { enabled, begins });
        if self.groups.len() >= MANY {
            self.join(table, TOGETHER)?;
        }
        Ok(self)
    }

    /// Whether [`Diagrams::groups_from`] is any better than asking all groups.
    pub(crate) fn has_lookups(&self) -> bool {
        self.lookups.is_some()
    }

    /// The groups that may have a step from a set, or a proper one, in order.
    pub(crate) fn groups_from(&self, table: &Table<'_>, set: &Bdd, proper: bool) -> Result<Vec<usize>, Stop> {
        match &self.lookups {
            None => Ok((0..self.groups.len()).collect()),
            Some(Lookups { begins, .. }) if proper => Ok(begins.met_by(table, set)?),
            Some(Lookups { enabled, .. }) => Ok(enabled.met_by(table, set)?),
        }
    }

    /// Makes clusters of so many neighbouring groups.
    pub(crate) fn join(&mut self, table: &Table<'_>, together: usize) -> Result<(), Stop> {
        let cluster = |groups: &[Group]| {
            let of = |steps: fn(&Group) -> &Relation| {
                let relations: Vec<&Relation> = groups.iter().map(steps).collect();
                joined(table, &relations)
            };
            Ok(Cluster { relation: of(|group| &group.relation)?, proper: of(|group| &group.proper)? })
        };
        self.clusters = self.groups.chunks(together).map(cluster).collect::<Result<_, Stop>>()?;
        Ok(())
    }
}

/// The union of some relations. What one of them does not write and another does stays as it is. Halves are joined
/// first: so what stays is written down once per level and not once per relation.
fn joined(table: &Table<'_>, relations: &[&Relation]) -> Result<Relation, Stop> {
    match relations {
        [] => Ok(Relation::new(table.never(), Vec::new())),
        [one] => Ok(one.restricted(one.predicate.clone())),
        _ => {
            let (a, b) = relations.split_at(relations.len() / 2);
            let (a, b) = (joined(table, a)?, joined(table, b)?);
            let widened = |relation: &Relation, other: &Relation| {
                if table.is_never(&relation.predicate) {
                    return Ok(table.never());
                }
                let kept = other.writes().iter().filter(|bit| !relation.writes().contains(bit));
                let stay = |bit: &u32| table.equal(&table.current(*bit)?, &table.next(*bit)?);
                let stays = table.all(kept.map(stay).collect::<Result<_, _>>()?)?;
                table.and(&relation.predicate, &stays)
            };
            let predicate = table.or(&widened(&a, &b)?, &widened(&b, &a)?)?;
            let bits: BTreeSet<u32> = a.writes().iter().chain(b.writes()).copied().collect();
            Ok(Relation::new(predicate, bits.into_iter().collect()))
        }
    }
}
