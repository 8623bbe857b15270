//! The C interface, used as C programs use it: compiled with `cc` and linked to the library.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// What a static Rust library needs of the system.
const SYSTEM: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// Where the libraries and the programs lie. They are built once.
static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(ROOT).args(["rustc", "--lib", "--features", "capi"]);
    command.args(["--crate-type", "cdylib,staticlib", "--target-dir"]).arg(&target);
    check(command);
    let built = target.join("debug");
    // Programs ask for the library by its SONAME, which a package manager would make a link.
    match std::os::unix::fs::symlink("libalquerque.so", built.join(SONAME)) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => panic!("{SONAME}: {error}"),
        _ => built,
    }
});

/// The name of the version of the shared library: before 1.0 every minor version may change the interface.
const SONAME: &str = concat!("libalquerque.so.0.", env!("CARGO_PKG_VERSION_MINOR"));

fn check(mut command: Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    output
}

/// Compiles a program of one file and links it to the static or the shared library.
fn compile(source: &str, name: &str, shared: bool) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]);
    cc.args(["-Wconversion", "-Wsign-conversion"]);
    cc.arg("-I").arg(Path::new(ROOT).join("include")).arg(Path::new(ROOT).join(source));
    if shared {
        let dir = BUILT.display();
        cc.args([format!("-L{dir}"), format!("-Wl,-rpath,{dir}"), "-lalquerque".to_owned()]);
    } else {
        cc.arg(BUILT.join("libalquerque.a"));
    }
    cc.args(SYSTEM).arg("-o").arg(&program);
    check(cc);
    program
}

fn run(program: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.current_dir(ROOT).args(arguments);
    String::from_utf8_lossy(&check(command).stdout).into_owned()
}

#[test]
fn sixteen_threads_call_everything_on_two_tablebases() {
    let program = compile("tests/c/hammer.c", "hammer-threads", true);
    assert_eq!(run(&program, &["tables", "threads", "500"]), "ok\n");
}

#[test]
fn null_and_garbage_are_errors() {
    let program = compile("tests/c/hammer.c", "hammer-garbage", false);
    assert_eq!(run(&program, &["tables", "garbage"]), "ok\n");
}

/// With valgrind, which finds every lost byte and every wrong access. Without it the mapped memory of the
/// process, limited to what a few open tablebases need, must do for a thousand.
#[test]
fn opening_and_closing_a_thousand_times_leaks_nothing() {
    let program = compile("tests/c/hammer.c", "hammer-reopen", false);
    let limit = "ulimit -v 400000 && exec \"$0\" tables reopen 1000";
    let mut limited = Command::new("sh");
    limited.current_dir(ROOT).args(["-c", limit]).arg(&program);
    assert_eq!(String::from_utf8(check(limited).stdout).unwrap(), "ok\n");

    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("valgrind is missing: leaks are looked for by the size of the process only");
        return;
    }
    for arguments in [&["reopen", "20"][..], &["garbage"], &["threads", "2"]] {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["-q", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect"]);
        valgrind.arg("--error-exitcode=9").arg(&program).arg("tables").args(arguments).current_dir(ROOT);
        assert_eq!(String::from_utf8(check(valgrind).stdout).unwrap(), "ok\n");
    }
}

#[test]
fn the_example_runs() {
    let program = compile("examples/probe.c", "probe", true);
    let answer = "value 1, conversion in 22 plies, win in 23\nbest of 7 moves: b3-c3\n";
    let printed = run(&program, &[]);
    assert_eq!(printed, answer);
}

#[cfg(target_os = "linux")]
#[test]
fn the_shared_library_has_a_soname() {
    let program = compile("examples/probe.c", "probe-soname", true);
    for (file, tag) in [(BUILT.join("libalquerque.so"), "(SONAME)"), (program, "(NEEDED)")] {
        let mut readelf = Command::new("readelf");
        readelf.arg("-d").arg(&file);
        let printed = String::from_utf8(check(readelf).stdout).unwrap();
        let has_name = |line: &str| line.contains(tag) && line.ends_with(&format!("[{SONAME}]"));
        assert!(printed.lines().any(has_name), "{}: {printed}", file.display());
    }
}

#[test]
fn the_manual_shows_the_example() {
    let example = std::fs::read_to_string(Path::new(ROOT).join("examples/probe.c")).unwrap();
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/c.md")).unwrap();
    let shown: Vec<_> = page.split("```c\n").skip(1).map(|block| block.split("```").next()).collect();
    assert_eq!(shown, [Some(example.as_str())], "docs/c.md");
}
