//! Where memory, threads or descriptors run out: one sentence and an exit code, never an abort or a panic.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::temp_dir;

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");

/// Runs the program in a shell that has set limits before.
fn limited(limits: &str, arguments: &[&str], input: &str) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("alquerque");
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\"")).arg(program).args(arguments);
    command.env("ALQUERQUE_TABLES", TABLES);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may have ended already.
    let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// The message of a program that has ended in good order, with exit code 0 or 1.
fn message(output: &Output, what: &str) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    // A thread that finds no memory for its first thread-local value is ended by the C library, with the process,
    // and no program can prevent it. The sentence must be there all the same.
    let ended_by_library = text.contains("Fatal glibc error") && text.contains("alquerque: ");
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)) || ended_by_library, "{what}: {:?}: {text}", output.status);
    assert!(!text.contains("panicked") && !text.contains("memory allocation of"), "{what}: {text}");
    if output.status.code() == Some(1) {
        let errors = text.lines().filter(|line| line.starts_with("alquerque: ")).count();
        assert!(errors >= 1, "{what}: {text}");
    }
    text
}

/// Kibibytes of address space that the program needs for nothing but to start.
fn least_address_space() -> u64 {
    let starts = |kibibytes: &u64| {
        let output =
            limited(&format!("ulimit -v {kibibytes}"), &["moves", "--rules", "classic", "start"], "");
        output.status.success()
    };
    (1..200).map(|step| step * 4096).find(starts).expect("it starts somewhere below 800 MB")
}

#[test]
fn little_address_space_is_no_abort() {
    let dir = temp_dir();
    let proof = proof(dir.path());
    let proof = proof.to_str().unwrap();
    let tables = dir.path().join("new");
    let generate = ["generate", "--rules", "classic", "--stones", "4", "--threads", "2", "--dir"];
    let generate = [&generate[..], &[tables.to_str().unwrap()]].concat();
    let least = least_address_space();
    for more in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256] {
        let limits = format!("ulimit -v {}", least + more * 1024);
        for arguments in [
            &["search", "--rules", "classic", "--depth", "3", "--threads", "4", "start"][..],
            &["solve", "--rules", "classic", "--nodes", "1000", "--threads", "2", "start"],
            &["check", proof],
            &["probe", "--rules", "classic", "5/5/1w3/5/w2b1 w"],
            &["verify", "--rules", "classic", "--threads", "2"],
            &["play", "--rules", "classic", "--movetime", "10", "--you", "nobody", "5/5/1w3/5/w2b1 w"],
            &generate,
        ] {
            message(&limited(&limits, arguments, ""), &format!("{limits}: {arguments:?}"));
        }
        let output = limited(&limits, &["engine"], "isready\nposition startpos\ngo depth 2\nquit\n");
        message(&output, &format!("{limits}: engine"));
        let output = limited(&limits, &["probe", "--rules", "classic", "--stdin"], &"start\n".repeat(1000));
        message(&output, &format!("{limits}: probe --stdin"));
    }
}

#[test]
fn serve_says_what_it_lacks() {
    let serve = ["serve", "--listen", "127.0.0.1:0", "--log", "off"];
    for descriptors in 3..=9 {
        let limits = format!("ulimit -n {descriptors}");
        // With enough of them it would serve for ever.
        let output = limited(&format!("{limits}; exec timeout 2 \"$0\" \"$@\""), &serve, "");
        let what = format!("{limits}: serve");
        if output.status.code() != Some(124) && output.status.code() != Some(127) {
            message(&output, &what);
        }
    }
    let least = least_address_space();
    for more in [0, 2, 8, 16, 32, 64] {
        let limits = format!("ulimit -v {}", least + more * 1024);
        let output = limited(&format!("{limits}; exec timeout 2 \"$0\" \"$@\""), &serve, "");
        if output.status.code() != Some(124) {
            message(&output, &format!("{limits}: serve"));
        }
    }
}

/// A small certificate that rests on no table.
fn proof(dir: &Path) -> PathBuf {
    let file = dir.join("drawn.proof");
    let arguments =
        ["solve", "--rules", "classic", "--no-tables", "--hash", "16M", "5/5/1w2b/5/5 b", "--certificate"];
    let output = limited("true", &[&arguments[..], &[file.to_str().unwrap()]].concat(), "");
    assert!(output.status.success(), "{output:?}");
    file
}

#[test]
fn more_memory_than_there_is_is_refused() {
    for arguments in [
        &["search", "--rules", "classic", "--hash", "1T", "start"][..],
        &["search", "--rules", "classic", "--hash", "500T", "start"],
        &["solve", "--rules", "classic", "--hash", "1T", "start"],
    ] {
        let output = limited("true", arguments, "");
        let text = message(&output, &format!("{arguments:?}"));
        assert_eq!(output.status.code(), Some(1));
        assert!(text.starts_with("alquerque: --hash asks for ") && text.lines().count() == 1, "{text}");
    }
    let session = "setoption name Hash value 65536\nisready\nsetoption name Hash value 4\nisready\nquit\n";
    let output = limited("ulimit -v 4000000", &["engine"], session);
    message(&output, "Hash 65536");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("info string error: Hash must be a whole number from 1 to "), "{text}");
    assert_eq!(text.matches("readyok").count(), 2, "{text}");
}

/// Runs the program in a control group with 40 MiB of memory. `None` where this process may not make one.
fn in_a_small_group(arguments: &[&str]) -> Option<Output> {
    let is_unified = Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
    let parent = if is_unified { "/sys/fs/cgroup" } else { "/sys/fs/cgroup/memory" };
    let group = PathBuf::from(format!("{parent}/alquerque-test-{}", std::process::id()));
    fs::create_dir(&group).ok()?;
    let limit = if is_unified { "memory.max" } else { "memory.limit_in_bytes" };
    let is_limited = fs::write(group.join(limit), "41943040").is_ok();
    let join = format!("echo $$ > {}/cgroup.procs", group.display());
    let output = is_limited.then(|| limited(&join, arguments, ""));
    let _ = fs::remove_dir(&group);
    output
}

#[test]
fn defaults_fit_a_small_control_group() {
    let dir = temp_dir();
    let proof = proof(dir.path());
    for arguments in [
        &["search", "--rules", "classic", "--movetime", "2000", "start"][..],
        &["solve", "--rules", "classic", "--time", "2", "start"],
        &["check", proof.to_str().unwrap()],
    ] {
        let Some(output) = in_a_small_group(arguments) else {
            eprintln!("not tested: this process may not make control groups");
            return;
        };
        message(&output, &format!("{arguments:?}"));
    }
}
