pub mod board;
pub mod moves;
pub mod position;
pub mod rules;
