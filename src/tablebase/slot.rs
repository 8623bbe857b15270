//! Where the tables of a rule set are: in a folder, open from the start, or on a server, opened when needed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::Tablebase;
use crate::index::Index;
use crate::material::Material;
use crate::rules::Rules;
#[cfg(feature = "remote")]
use crate::table::RemoteFolder;
use crate::table::{Access, Metric, Table, TableError, folder, url_of};

/// The place of a table, which may be empty.
#[derive(Default)]
pub(super) struct Slot {
    table: OnceLock<Table>,
    #[cfg(feature = "remote")]
    remote: Option<Arc<RemoteFolder>>,
}

impl Slot {
    /// The place of an open table.
    pub(super) fn of(table: Table) -> Slot {
        Slot {
            table: OnceLock::from(table),
            #[cfg(feature = "remote")]
            remote: None,
        }
    }

    /// Whether there is a table, open or not.
    #[inline]
    pub(super) fn is_taken(&self) -> bool {
        #[cfg(feature = "remote")]
        if self.remote.is_some() {
            return true;
        }
        self.table.get().is_some()
    }

    /// The table, if it is open.
    #[inline]
    pub(super) fn opened(&self) -> Option<&Table> {
        self.table.get()
    }

    /// Opens the table, if it is on a server. `folder` is for the error.
    #[cold]
    #[cfg_attr(not(feature = "remote"), allow(unused_variables))]
    pub(super) fn open(
        &self,
        index: &Arc<Index>,
        folder: &Path,
        material: Material,
        metric: Metric,
    ) -> Result<&Table, TableError> {
        #[cfg(feature = "remote")]
        if let Some(remote) = &self.remote {
            let name = crate::table::file_name(material, metric);
            let source = Box::new(remote.open(&name)?);
            let table = Table::from_source(remote.file_url(&name), source, index, material, metric)?;
            return Ok(self.table.get_or_init(|| table));
        }
        Err(TableError::NoTable { folder: folder.to_owned(), material, metric })
    }
}

/// The tables of a rule set in one directory.
pub(super) struct Listing {
    place: Place,
    names: Vec<String>,
}

enum Place {
    Folder(PathBuf),
    #[cfg(feature = "remote")]
    Remote(Arc<RemoteFolder>),
}

impl Listing {
    /// The tables for `rules` below `root`; `None` if it has no folder of them.
    pub(super) fn of(root: &Path, rules: &'static Rules) -> Result<Option<Listing>, TableError> {
        if let Some(url) = url_of(root) {
            return Listing::at(url, rules);
        }
        match Tablebase::table_names(root, rules) {
            Err(TableError::NoFolder { .. }) => Ok(None),
            names => Ok(Some(Listing { place: Place::Folder(folder(root, rules)), names: names? })),
        }
    }

    #[cfg(feature = "remote")]
    fn at(url: &str, rules: &'static Rules) -> Result<Option<Listing>, TableError> {
        let folder = RemoteFolder::new(url, rules.name());
        let Some(manifest) = folder.manifest()? else { return Ok(None) };
        let names = manifest.entries().map(|entry| entry.name.to_owned()).collect();
        Ok(Some(Listing { place: Place::Remote(Arc::new(folder)), names }))
    }

    #[cfg(not(feature = "remote"))]
    fn at(url: &str, _: &'static Rules) -> Result<Option<Listing>, TableError> {
        Err(TableError::NoRemote(url.to_owned()))
    }

    /// The names of the files.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The place of one of the tables. One in a folder is opened.
    pub(super) fn slot(
        &self,
        index: &Arc<Index>,
        material: Material,
        metric: Metric,
        access: Access,
    ) -> Result<Slot, TableError> {
        match &self.place {
            Place::Folder(folder) => Table::open(folder, index, material, metric, access).map(Slot::of),
            #[cfg(feature = "remote")]
            Place::Remote(folder) => Ok(Slot { remote: Some(Arc::clone(folder)), ..Slot::default() }),
        }
    }
}

/// The rule sets of which `root` has a folder of tables, or may have one. A server that does not answer is asked
/// once.
pub(super) fn rule_sets(root: &Path) -> Vec<&'static Rules> {
    let all = Rules::ALL.into_iter();
    match url_of(root) {
        None => all.filter(|rules| folder(root, rules).is_dir()).collect(),
        #[cfg(not(feature = "remote"))]
        Some(_) => all.collect(),
        #[cfg(feature = "remote")]
        Some(url) => {
            let mut is_silent = false;
            let may_have = |rules: &&'static Rules| {
                let found = if is_silent { Ok(true) } else { RemoteFolder::new(url, rules.name()).exists() };
                is_silent |= found.is_err();
                found.unwrap_or(true)
            };
            all.filter(may_have).collect()
        }
    }
}
