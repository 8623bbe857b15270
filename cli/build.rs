//! Finds out which commit is built and with which optional parts, for `--version`.

use std::env;
use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // A package is built outside a checkout: its builder may say which commit it is.
    let given = env::var("ALQUERQUE_COMMIT").ok().filter(|commit| !commit.is_empty());
    // Only in release builds: others would be compiled again after every commit.
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let git = |arguments: &[&str]| is_release.then(|| git(arguments)).flatten();
    let commit = given.or_else(|| git(&["rev-parse", "--short=9", "HEAD"]));
    let mut parts = Vec::from_iter(commit);
    parts.extend(env::var_os("CARGO_FEATURE_SERVE").map(|_| "serve".to_owned()));
    parts.extend(env::var_os("CARGO_FEATURE_REMOTE").map(|_| "remote".to_owned()));
    let build = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    println!("cargo::rustc-env=ALQUERQUE_BUILD={build}");
    println!("cargo::rerun-if-env-changed=ALQUERQUE_COMMIT");
    // The file changes with every commit on any branch. Elsewhere there is none to watch.
    match git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        Some(log) => println!("cargo::rerun-if-changed={log}"),
        None => println!("cargo::rerun-if-changed=build.rs"),
    }
}
