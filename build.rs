//! Gives the shared library of the C interface a name by which the dynamic linker finds the version that a
//! program was linked with.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if var("CARGO_FEATURE_CAPI").is_err() {
        return;
    }
    let part = |name: &str| var(name).unwrap_or_default();
    // Before 1.0 every minor version may change the interface.
    let version = match part("CARGO_PKG_VERSION_MAJOR").as_str() {
        "0" => format!("0.{}", part("CARGO_PKG_VERSION_MINOR")),
        major => major.to_owned(),
    };
    let argument = match part("CARGO_CFG_TARGET_OS").as_str() {
        "macos" | "ios" => format!("-Wl,-install_name,@rpath/libalquerque.{version}.dylib"),
        "windows" => return,
        _ => format!("-Wl,-soname,libalquerque.so.{version}"),
    };
    // Test programs of this package get it too, which does them no harm.
    println!("cargo::rustc-link-arg={argument}");
}
