//! The bytes of a certificate, opened and checked. The first byte tells whether its checksums are made right; the rest
//! are the bytes of the file.
//!
//! No certificate is accepted whose claim the tables of the repository contradict.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use alquerque::certificate::{Certificate, check};
use alquerque::rules::Rules;
use alquerque::tablebase::Tablebase;
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 128;
const TABLE: usize = 20;
const BLOCK: usize = 32;

/// Makes the checksums of the header, the lists and the blocks right, as far as the file reaches.
fn repair(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let number = |bytes: &[u8], at: usize, width: usize| {
        let digits = bytes.get(at..at + width).unwrap_or_default();
        digits.iter().rev().fold(0_usize, |number, &digit| number << 8 | usize::from(digit))
    };
    let blocks = (number(bytes, 72, 4).min(1 << 10)) + (number(bytes, 76, 4).min(1 << 10));
    let directory = HEADER + number(bytes, 84, 2) * TABLE;
    let start = (directory + blocks * BLOCK).min(bytes.len());
    let mut from = start;
    for block in 0..blocks {
        let at = directory + block * BLOCK;
        let end = number(bytes, at + 16, 8);
        let sum = bytes.get(from..end).map_or(0, xxh3_64) as u32;
        if let Some(field) = bytes.get_mut(at + 28..at + 32) {
            field.copy_from_slice(&sum.to_le_bytes());
        }
        from = end;
    }
    let lists = xxh3_64(&bytes[HEADER..start]);
    bytes[96..104].copy_from_slice(&lists.to_le_bytes());
    let length = bytes.len() as u64;
    bytes[88..96].copy_from_slice(&length.to_le_bytes());
    let sum = xxh3_64(&bytes[..HEADER - 8]);
    bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
}

/// The tables of the repository for these rules, if it has any.
fn tables(rules: &'static Rules) -> Option<&'static Tablebase> {
    static TABLES: OnceLock<Vec<Tablebase>> = OnceLock::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables");
    let all = TABLES.get_or_init(|| {
        let open = |rules| Tablebase::open(&dir, rules).expect("the tables of the repository");
        Tablebase::rule_sets_in(&dir).into_iter().map(open).collect()
    });
    all.iter().find(|tables| tables.rules() == rules)
}

fn file() -> PathBuf {
    static DIR: OnceLock<tempfile::TempDir> = OnceLock::new();
    DIR.get_or_init(|| tempfile::tempdir().expect("a temporary directory")).path().join("fuzzed.proof")
}

fuzz_target!(|data: &[u8]| {
    let [repaired, bytes @ ..] = data else { return };
    let mut bytes = bytes.to_vec();
    if repaired % 2 == 1 {
        repair(&mut bytes);
    }
    let path = file();
    fs::write(&path, &bytes).expect("a file that can be written");
    let Ok(certificate) = Certificate::open(&path) else { return };
    let tables = tables(certificate.rules());
    if check(&certificate, tables).is_err() {
        return;
    }
    // What was accepted must be true where that is known.
    let known = tables.and_then(|tables| tables.probe(certificate.root()).ok());
    let (Some(claimed), Some(known)) = (certificate.value(), known) else { return };
    assert_eq!(claimed, known.value, "{}", certificate.root());
});
