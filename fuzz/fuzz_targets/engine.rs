//! What a match runner sends to the engine. Every session comes to an end, whatever is in it.

#![no_main]

use std::path::PathBuf;

use alquerque::engine::{Settings, serve};
use libfuzzer_sys::fuzz_target;

/// Searches in a session that is fuzzed: a search takes milliseconds, everything else microseconds.
const SEARCHES: usize = 2;

/// The line, with a search limited to a few nodes.
fn limited(line: &str, searches: &mut usize) -> Option<String> {
    if line.split_whitespace().next() != Some("go") {
        // A hash table takes milliseconds to clear.
        let resizes =
            line.to_ascii_lowercase().contains("hash") || line.to_ascii_lowercase().contains("threads");
        return (!resizes).then(|| line.to_owned());
    }
    *searches += 1;
    (*searches <= SEARCHES).then(|| format!("{line} nodes 200"))
}

fuzz_target!(|text: &str| {
    let mut searches = 0;
    let lines: Vec<String> = text.lines().filter_map(|line| limited(line, &mut searches)).collect();
    let mut settings = Settings::default();
    settings.hash = 1;
    settings.table_path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tables"));
    serve((lines.join("\n") + "\n").as_bytes(), std::io::sink(), settings);
});
