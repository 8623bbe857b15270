//! The committed tables are what this version of the program writes: same input, same bytes.

use std::path::Path;

use crate::support::{files, job, run, temp_dir};
use alquerque::rules::Rules;

#[test]
fn committed_tables_come_out_again() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables");
    for (rules, stones) in Rules::ALL.into_iter().zip([4, 3, 4, 3]) {
        let dir = temp_dir();
        run(&job(rules, dir.path(), stones)).unwrap();
        let (made, mut kept) = (files(&dir.path().join(rules.name())), files(&committed.join(rules.name())));
        // Certificates lie beside the tables.
        kept.retain(|name, _| name.extension().is_none_or(|extension| extension != "proof"));
        assert!(kept.len() > 9, "{}: there are committed tables", rules.name());
        assert!(made.keys().eq(kept.keys()), "{}: the files", rules.name());
        for (name, bytes) in made {
            assert!(bytes == kept[&name], "{}: {} has other bytes", rules.name(), name.display());
        }
    }
}

/// The manifest lists the checksum of every file, so that one number stands for all bytes of a larger run.
#[test]
fn larger_tables_have_known_checksums() {
    for (name, stones, known) in [
        ("classic", 5, 0x2d74_2bdc_de15_e4ad),
        ("youzai", 5, 0x32fb_1623_83c4_a9b5),
        ("brainking", 4, 0xafd2_d315_ee78_7051),
        ("qirkat", 4, 0x0507_f99c_e96f_b888),
    ] {
        let dir = temp_dir();
        run(&job(Rules::by_name(name).unwrap(), dir.path(), stones)).unwrap();
        let manifest = std::fs::read(dir.path().join(name).join("manifest.xxh128")).unwrap();
        let found = xxhash_rust::xxh3::xxh3_64(&manifest);
        assert!(found == known, "{name} with {stones} stones: {found:#x}, not {known:#x}");
    }
}
