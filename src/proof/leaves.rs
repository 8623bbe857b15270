//! Tables as the leaves of a search.

use super::bounds::Bounds;
use crate::board::MAX_STONES;
use crate::canonical::Canonical;
use crate::material::Material;
use crate::table::{Metric, Value};
use crate::tablebase::{ProbeError, Tablebase};

/// For the stones of the side to move and of the other: whether all tables that a probe may need are there.
pub(super) type Covered = [[bool; MAX_STONES + 1]; MAX_STONES + 1];

/// The positions of which the tables know the value.
pub(super) struct Leaves<'a> {
    tables: Option<&'a Tablebase>,
    covered: Covered,
}

impl<'a> Leaves<'a> {
    pub fn new(tables: Option<&'a Tablebase>) -> Leaves<'a> {
        let mut covered = [[false; MAX_STONES + 1]; MAX_STONES + 1];
        if let Some(tables) = tables {
            for total in 2..=2 * MAX_STONES {
                for material in (1..total).filter_map(|mover| Material::new(mover, total - mover)) {
                    let (mover, opponent) = (material.mover(), material.opponent());
                    // The side to move may capture: then the position is looked up among fewer stones.
                    let captures = (1..opponent).all(|left| covered[left][mover]);
                    covered[mover][opponent] = captures && tables.has_table(material, Metric::Wdl);
                }
            }
        }
        Leaves { tables, covered }
    }

    /// Which slices the tables cover.
    pub fn covered(&self) -> &Covered {
        &self.covered
    }

    /// The material of the position if the tables know its value.
    #[inline]
    pub fn covers(&self, canonical: Canonical) -> Option<Material> {
        let (mover, other) = (canonical.own().count(), canonical.opponent().count());
        if self.covered[mover][other] { Material::new(mover, other) } else { None }
    }

    /// What the tables say about "the attacker wins `canonical`"; `None` if they do not cover it.
    #[inline]
    pub fn look_up(&self, canonical: Canonical, attacking: bool) -> Result<Option<Bounds>, ProbeError> {
        let Some(tables) = self.tables else { return Ok(None) };
        if self.covers(canonical).is_none() {
            return Ok(None);
        }
        let position = canonical.position(0);
        let wanted = if attacking { Value::Win } else { Value::Loss };
        let Some(limit) = tables.rules().ply_limit() else {
            let won = tables.probe_value(&position)? == wanted;
            return Ok(Some(if won { Bounds::WON } else { Bounds::NOT_WON }));
        };
        // A win stands if its next capture comes in time.
        let verdict = tables.probe(&position)?;
        if verdict.value != wanted {
            return Ok(Some(Bounds::NOT_WON));
        }
        Ok(Some(match verdict.dtc {
            Some(plies) => Bounds { won_from: plies, not_won_below: plies },
            None => Bounds::won_from(limit.into()),
        }))
    }

    /// Plies to the end of the game from a position that the tables cover, 0 without distances to the end;
    /// `None` if they do not cover it.
    pub fn length(&self, canonical: Canonical) -> Result<Option<usize>, ProbeError> {
        let Some(tables) = self.tables.filter(|_| self.covers(canonical).is_some()) else { return Ok(None) };
        let verdict = tables.probe(&canonical.position(0))?;
        Ok(Some(verdict.plies_to_end().map_or(0, usize::from)))
    }
}
