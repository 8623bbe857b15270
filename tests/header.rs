//! `include/alquerque.h` is what cbindgen makes of `src/capi`.

use std::path::Path;

/// To write the header anew: `ALQUERQUE_WRITE_HEADER=1 cargo test -p alquerque --features capi --test
/// header`.
#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in ["capi/status", "position/bits", "capi/tablebase", "capi/moves", "capi/position"] {
        builder = builder.with_src(root.join("src").join(file).with_extension("rs"));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let path = root.join("include/alquerque.h");
    if std::env::var_os("ALQUERQUE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    // By lines, so that line ends do not matter.
    let made = String::from_utf8(made).unwrap();
    let differs = checked_in.lines().zip(made.lines()).position(|(old, new)| old != new);
    let same = differs.is_none() && checked_in.lines().count() == made.lines().count();
    assert!(
        same,
        "include/alquerque.h is not what src/capi says, from line {:?} on; write it anew with \
         ALQUERQUE_WRITE_HEADER=1",
        differs.map(|index| index + 1)
    );
}
