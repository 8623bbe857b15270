//! How the columns of a row are numbered: plain, where stones have no states, or stateful.

mod plain;
mod stateful;

pub use plain::PlainColumns;
pub use stateful::StatefulColumns;

/// The columns of the rows of one layout.
pub enum Columns {
    /// The stones have no states: all rows have the same combinations.
    Plain(PlainColumns),
    /// The stones have states: which combinations a row has depends on its placement.
    Stateful(StatefulColumns),
}
