//! Files that are not what their names promise, disks without room, and tables that are cut off while a
//! program reads them: one sentence, nothing lost, no program killed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::server::Server;
use crate::support::{
    Random, assert_same_files, files, in_repo, job, materials, random_position, run, temp_dir,
};
use alquerque::knowledge::Knowledge;
use alquerque::position::Position;
use alquerque::rules::{BRAINKING, CLASSIC, QIRKAT};

/// What a call said, and its exit code.
struct Outcome {
    code: Option<i32>,
    stderr: String,
}

fn program(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    command.args(arguments).arg("--dir").arg(dir);
    command
}

/// Runs a call that must not take long.
fn call(command: &mut Command) -> Outcome {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(60), "{command:?} took {:?}", started.elapsed());
    Outcome { code: output.status.code(), stderr: String::from_utf8(output.stderr).unwrap() }
}

/// A call that fails with one sentence about `file`.
fn fails(command: &mut Command, file: &str) -> String {
    let outcome = call(command);
    assert_eq!(outcome.code, Some(1), "{command:?}: {}", outcome.stderr);
    let message = outcome.stderr.lines().last().unwrap_or_default().to_owned();
    assert!(message.contains(file), "{command:?}: {}", outcome.stderr);
    message
}

const GENERATE: [&str; 5] = ["generate", "--rules", "classic", "--stones", "3"];
const VERIFY: [&str; 3] = ["verify", "--rules", "classic"];

#[test]
fn a_manifest_that_is_no_file_or_too_long_is_refused_at_once() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 3)).unwrap();
    let manifest = dir.path().join("classic/manifest.xxh128");
    type Make = fn(&Path);
    let pipe: Make = |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let endless: Make = |path| symlink("/dev/zero", path).unwrap();
    let sparse: Make = |path| File::create(path).unwrap().set_len(100 << 30).unwrap();
    for make in [pipe, endless, sparse] {
        fs::remove_file(&manifest).unwrap();
        make(&manifest);
        for arguments in [&GENERATE[..], &VERIFY] {
            let message = fails(&mut program(dir.path(), arguments), "manifest.xxh128");
            assert!(!message.contains("--force"), "{message}");
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_is_no_table() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 3)).unwrap();
    let table = dir.path().join("classic/2v1.wdl");
    fs::remove_file(&table).unwrap();
    symlink("nowhere", &table).unwrap();
    for arguments in [&GENERATE[..], &VERIFY, &["info", "--rules", "classic"]] {
        let message = fails(&mut program(dir.path(), arguments), "2v1.wdl");
        assert!(message.contains("does not exist") && !message.contains("--force"), "{message}");
    }
    let forced = [&GENERATE[..], &["--force"]].concat();
    assert!(fails(&mut program(dir.path(), &forced), "2v1.wdl").contains("does not exist"));
}

#[test]
fn foreign_temporary_files_stay() {
    let (dir, whole) = (temp_dir(), temp_dir());
    run(&job(&CLASSIC, whole.path(), 3)).unwrap();
    let folder = dir.path().join("classic");
    fs::create_dir_all(folder.join("d.tmp")).unwrap();
    for name in ["x.tmp", "3v2.tmp", "3v2.wdl.tmp", "manifest.xxh128.tmp", "2v2.values.tmp"] {
        fs::write(folder.join(name), name).unwrap();
    }
    assert_eq!(call(&mut program(dir.path(), &GENERATE)).code, Some(0));
    assert!(folder.join("d.tmp").is_dir());
    for name in ["x.tmp", "3v2.tmp"] {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), name);
        fs::remove_file(folder.join(name)).unwrap();
    }
    assert_same_files(dir.path(), whole.path(), "what an interrupted run left is gone");
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_like_a_full_disk() {
    let (dir, whole) = (temp_dir(), temp_dir());
    run(&job(&CLASSIC, whole.path(), 5)).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("alquerque");
    // In units of half a kibibyte or a whole one.
    let script = "ulimit -f 2; exec \"$0\" generate --rules classic --stones 5 --dir \"$1\"";
    let mut limited = Command::new("sh");
    limited.args(["-c", script]).arg(program).arg(dir.path());
    let message = fails(&mut limited, "classic/");
    assert!(message.contains("os error"), "{message}");
    assert!(files(dir.path()).keys().all(|path| path.extension().is_none_or(|found| found != "tmp")));
    run(&job(&CLASSIC, dir.path(), 5)).unwrap();
    assert_same_files(dir.path(), whole.path(), "after a limit");
}

#[test]
fn a_forged_table_of_a_large_slice_is_refused_at_once() {
    let dir = temp_dir();
    run(&job(&BRAINKING, dir.path(), 3)).unwrap();
    // The bytes of another table: right magic, version, rules and checksum.
    fs::copy(dir.path().join("brainking/2v1.wdl"), dir.path().join("brainking/12v1.wdl")).unwrap();
    let started = Instant::now();
    fails(&mut program(dir.path(), &["info", "--rules", "brainking"]), "12v1.wdl");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

/// Sets every table in `dir` to this length.
fn cut_off(dir: &Path, length: u64) {
    for name in files(dir).into_keys().filter(|path| path.extension().is_some_and(|found| found == "wdl")) {
        File::options().write(true).open(dir.join(name)).unwrap().set_len(length).unwrap();
    }
}

#[test]
fn a_program_survives_tables_that_are_cut_off_while_it_runs() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    let mut command = program(dir.path(), &["probe", "--rules", "classic", "--stdin"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut answers) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    let mut ask = |position: &str| {
        writeln!(input, "{position}").unwrap();
        answers.next().unwrap().unwrap()
    };
    assert!(ask("5/1b3/5/5/2w1w w").starts_with("win"));
    cut_off(dir.path(), 0);
    // What was decoded before is still known, and what no table is needed for.
    assert!(ask("5/1b3/5/5/2w1w w").starts_with("win"));
    for position in ["5/1bb2/5/5/2w1w w", "5/1b3/5/5/2w2 w", "b4/5/5/5/1ww1w w"] {
        let answer = ask(position);
        assert!(answer.starts_with("error: ") && answer.contains("shorter"), "{position}: {answer}");
    }
    assert!(ask("5/5/5/5/1ww1w w").starts_with("win"));
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_server_survives_tables_and_certificates_that_are_cut_off() {
    let (dir, whole) = (temp_dir(), temp_dir());
    run(&job(&QIRKAT, whole.path(), 4)).unwrap();
    let proof = "qirkat/start.proof";
    fs::copy(in_repo("tables").join(proof), whole.path().join(proof)).unwrap();
    let good = files(whole.path());
    fs::create_dir(dir.path().join("qirkat")).unwrap();
    good.iter().for_each(|(path, bytes)| fs::write(dir.path().join(path), bytes).unwrap());
    let truth = Knowledge::open(whole.path(), &QIRKAT).unwrap();
    let server = Server::start_in(dir.path(), &[]);
    let mut random = Random::new(3);
    let tables = truth.tables().unwrap();
    let mut positions: Vec<Position> = (0..150)
        .map(|_| random_position(tables.index(), *random.choose(&materials(4)), &mut random))
        .collect();
    // Along the proof, where no table reaches.
    let proven = truth.main_line(&Position::start(&QIRKAT)).unwrap();
    positions.extend(proven.moves.iter().map(|ranked| ranked.position).take(20));
    // How many answers are errors; the others must be right.
    let errors = |from: usize| {
        let is_error = |position: &Position| {
            let text = position.to_string();
            let answer = server.ask("api/v1/qirkat", &[("position", &text)]);
            let json: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            if answer.status == 200 {
                let value = truth.verdict(position).unwrap().value;
                assert_eq!(json["value"], value.name(), "{text}");
                return false;
            }
            assert!(json["error"].is_string(), "{text}: {}", answer.body);
            true
        };
        positions[from..].iter().filter(|position| is_error(position)).count()
    };
    // Some blocks are decoded before and stay known.
    assert_eq!(errors(140), 0);
    for share in [2, 20, usize::MAX] {
        for (path, bytes) in good.iter().filter(|(path, _)| !path.ends_with("manifest.xxh128")) {
            let file = File::options().write(true).open(dir.path().join(path)).unwrap();
            file.set_len((bytes.len() / share) as u64).unwrap();
        }
        assert!(errors(0) > 0, "1/{share} of each file");
        assert_eq!(server.get("healthz").status, 200);
    }
    // The same files, whole again.
    good.iter().for_each(|(path, bytes)| fs::write(dir.path().join(path), bytes).unwrap());
    assert_eq!(errors(0), 0);
}
