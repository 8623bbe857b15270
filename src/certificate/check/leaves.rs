//! Tables as leaves: the positions that need no reply.

use super::{CheckError, CheckOptions};
use crate::board::MAX_STONES;
use crate::canonical::Canonical;
use crate::certificate::Certificate;
use crate::material::Material;
use crate::table::{Metric, Value};
use crate::tablebase::Tablebase;

/// For the stones of the side to move and of the other side.
type Slices = [[bool; MAX_STONES + 1]; MAX_STONES + 1];

/// The tables that a certificate names. No other tables are read.
pub(super) struct Leaves<'a> {
    tables: Option<&'a Tablebase>,
    /// By metric: whether the table of the material is named and, except for DTC, those of all materials that
    /// captures of the side to move can lead to.
    known: [Slices; Metric::ALL.len()],
}

impl<'a> Leaves<'a> {
    pub fn new(
        certificate: &Certificate,
        tables: Option<&'a Tablebase>,
        options: &CheckOptions<'_>,
    ) -> Result<Leaves<'a>, CheckError> {
        let mut leaves =
            Leaves { tables, known: [[[false; MAX_STONES + 1]; MAX_STONES + 1]; Metric::ALL.len()] };
        let mut stamps = certificate.tables().to_vec();
        // Captures lead to smaller totals: those come first.
        stamps.sort_by_key(|stamp| stamp.material.total());
        for stamp in stamps {
            let (material, metric) = (stamp.material, stamp.metric);
            let tables = tables.ok_or(CheckError::NoTables { material, metric })?;
            if tables.rules() != certificate.rules() {
                let (tables, certificate) = (tables.rules().name(), certificate.rules().name());
                return Err(CheckError::OtherRules { tables, certificate });
            }
            let checksum = tables.table(material, metric)?.checksum_unless(options.stop)?;
            if checksum.ok_or(CheckError::Stopped)? != stamp.checksum {
                return Err(CheckError::OtherTable { material, metric });
            }
            let known = &mut leaves.known[metric as usize];
            let after_captures = (1..material.opponent()).all(|left| known[left][material.mover()]);
            // After a capture the counter is 0, and no distance to conversion matters.
            known[material.mover()][material.opponent()] = after_captures || metric == Metric::Dtc;
        }
        Ok(leaves)
    }

    fn knows(&self, canonical: Canonical, metric: Metric) -> bool {
        self.known[metric as usize][canonical.own().count()][canonical.opponent().count()]
    }

    /// The value of a position with the ply counter at `plies` by the tables; `None` if they do not cover it.
    pub fn value(&self, canonical: Canonical, plies: u8) -> Result<Option<Value>, CheckError> {
        let Some(tables) = self.tables.filter(|_| self.knows(canonical, Metric::Wdl)) else {
            return Ok(None);
        };
        // The counter is compared with distances.
        if plies > 0
            && !self.knows(canonical, Metric::Dtc)
            && let Some(material) = Material::new(canonical.own().count(), canonical.opponent().count())
        {
            return Err(CheckError::Unnamed { material, metric: Metric::Dtc });
        }
        Ok(Some(tables.probe_value(&canonical.position(plies))?))
    }

    /// Plies from a position to the end of the game, if it is one that the tables know: `Some(None)` if they
    /// know the value only.
    pub fn plies(&self, canonical: Canonical) -> Result<Option<Option<u16>>, CheckError> {
        let Some(tables) = self.tables.filter(|_| self.knows(canonical, Metric::Wdl)) else {
            return Ok(None);
        };
        if !self.knows(canonical, Metric::TO_END) {
            return Ok(Some(None));
        }
        Ok(Some(tables.probe(&canonical.position(0))?.plies_to_end()))
    }
}
