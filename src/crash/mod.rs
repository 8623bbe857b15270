//! Tests: whatever fails while tables are written, nothing wrong counts as finished.

mod faults;
mod power;
mod space;
