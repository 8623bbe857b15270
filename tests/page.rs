//! API.
