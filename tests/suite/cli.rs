//! The command line, as other programs rely on it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::reference::{PERFT, rows};
use crate::support::{assert_same_files, files, temp_dir};
use assert_cmd::Command;
use serde_json::Value as Json;
use tempfile::TempDir;

/// A call of the program, away from the tables of whoever runs the tests.
pub fn alquerque(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    command.args(arguments).env_remove("ALQUERQUE_TABLES").timeout(Duration::from_secs(300));
    command
}

/// A call with `--dir`.
pub fn in_dir(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = alquerque(arguments);
    command.arg("--dir").arg(dir);
    command
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The standard output of a call that succeeds.
pub fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let code = output.status.code();
    assert_eq!(code, Some(0), "{command:?}\n{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

/// The message of a call that fails with this exit code.
pub fn failure(command: &mut Command, code: i32) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let (stdout, stderr) = (text(&stdout), text(&stderr));
    assert_eq!(status.code(), Some(code), "{command:?}\n{stdout}\n{stderr}");
    assert!(!stderr.trim().is_empty(), "{command:?} says nothing");
    assert!(!stderr.contains("panicked"), "{command:?}: {stderr}");
    assert_eq!(stdout, "", "{command:?} prints results");
    stderr.to_owned()
}

pub fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// The keys of an object, in the order in which they are written in `text`, which must begin with it.
pub fn keys(text: &str) -> Vec<String> {
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    let (mut current, mut keys) = (String::new(), Vec::new());
    for letter in text.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => {
                in_string = !in_string;
                if in_string {
                    current.clear();
                }
            }
            _ if in_string => current.push(letter),
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            ':' if depth == 1 => keys.push(current.clone()),
            _ => {}
        }
    }
    keys
}

/// Whether `expected` come in this order among `found`: more keys may be added.
pub fn assert_in_order(found: &[String], expected: &[&str]) {
    let known: Vec<&str> = found.iter().map(String::as_str).filter(|key| expected.contains(key)).collect();
    assert_eq!(known, expected, "the keys are {found:?}");
}

/// A directory with the tables of up to so many stones.
fn tables(rules: &str, stones: &str) -> TempDir {
    let dir = temp_dir();
    output(&mut in_dir(dir.path(), &["generate", "--rules", rules, "--stones", stones]));
    dir
}

#[test]
fn bad_positions_are_refused() {
    for (rules, position, part) in [
        ("classic", "wwwww wwwww bb-ww bbbbb bbbbbb w", "26 points"),
        ("classic", "5/5/5/5/4 w", "4 points"),
        ("classic", "wwwww/wwwww/www2/5/5 w", "13 stones"),
        ("classic", "5/5/5/5/5 w", "no stone"),
        ("classic", "5/5/2x2/5/5 w", "'x'"),
        ("classic", "5/5/2w2/5/5", "side to move"),
        ("classic", "5/5/2w2/5/5 w c3-d3", "forbidden steps"),
        ("classic", "", "empty"),
        ("youzai", "5/5/2w2/5/5 w - 51", "51"),
        ("brainking", "5/5/2w2/5/5 w c3-c4", "c3-c4"),
        ("brainking", "5/5/2w2/5/5 w b3-c3", "b3"),
        ("qirkat", "2w2/5/5/5/5 w c5-d5", "far rank"),
    ] {
        for command in ["moves", "probe", "line", "perft", "search"] {
            let depth: &[&str] = if command == "perft" { &["--depth", "2"] } else { &[] };
            let arguments = [&[command, "--rules", rules][..], depth, &[position]].concat();
            let message = failure(&mut alquerque(&arguments), 2);
            assert!(message.contains(part), "{position}: {message}");
        }
    }
}

#[test]
fn wrong_usage_is_refused() {
    let dir = temp_dir();
    for arguments in [
        &[][..],
        &["fly"],
        &["moves", "start"],
        &["moves", "--rules", "chess", "start"],
        &["perft", "--rules", "chess", "--depth", "3"],
        &["perft", "--rules", "classic"],
        &["perft", "--rules", "classic", "--depth", "0"],
        &["perft", "--rules", "classic", "--depth", "three"],
        &["perft", "--rules", "classic", "--depth", "-1"],
        &["probe", "--rules", "classic", "--no-such-option", "start"],
        &["probe", "--rules", "classic"],
        &["generate", "--stones", "3"],
        &["generate", "--rules", "classic"],
        &["generate", "--rules", "Classic", "--stones", "3"],
        &["generate", "--rules", "classic", "--stones", "many"],
        &["generate", "--rules", "classic", "--stones", "-3"],
        &["generate", "--rules", "classic", "--stones", "99999999999999999999999"],
        &["generate", "--rules", "classic", "--stones", "3", "--threads", "-1"],
        &["generate", "--rules", "classic", "--stones", "3", "--threads", "x"],
        &["generate", "--rules", "classic", "--stones", "3", "--memory", "lots"],
        &["generate", "--rules", "classic", "--stones", "3", "--memory", "-4G"],
        &["generate", "--rules", "classic", "--stones", "3", "--metrics", "wdl,dtz"],
        &["generate", "--rules", "classic", "--material", "3x2"],
        &["generate", "--rules", "classic", "--material", "13v2"],
        &["generate", "--rules", "classic", "--material", "3v2", "--stones", "5"],
        &["verify", "--rules", "classic", "--full", "--cache", "1"],
        &["solve", "--rules", "classic", "--time", "0", "start"],
        &["serve", "--listen", "127.0.0.1:0", "--max-batch", "0"],
    ] {
        failure(alquerque(arguments).current_dir(dir.path()), 2);
    }
    let message = failure(&mut alquerque(&["moves", "--rules", "chess", "start"]), 2);
    for name in ["chess", "classic", "brainking", "youzai", "qirkat"] {
        assert!(message.contains(name), "{message}");
    }
    assert!(files(dir.path()).is_empty());
}

/// What is well formed, but cannot be done, or makes no sense: 1 or 2, and nothing is written.
#[test]
fn absurd_numbers_are_refused() {
    let dir = temp_dir();
    for arguments in [
        &["--stones", "0"][..],
        &["--stones", "1"],
        &["--stones", "25"],
        &["--stones", "1000000"],
        &["--stones", "24", "--memory", "1G"],
        &["--stones", "4", "--memory", "1"],
        &["--stones", "4", "--memory", "0"],
        &["--stones", "3", "--memory", "99999999999999G"],
        &["--stones", "3", "--threads", "0"],
        &["--stones", "3", "--threads", "1000000000000"],
        &["--material", "0v3"],
        &["--material", "25v25"],
    ] {
        let mut command = in_dir(&dir.path().join("tables"), &["generate", "--rules", "classic"]);
        let output = command.args(arguments).output().unwrap();
        let message = text(&output.stderr);
        let code = output.status.code();
        assert!(code == Some(1) || code == Some(2), "{arguments:?}: {code:?} {message}");
        assert!(!message.contains("panicked") && !message.is_empty(), "{arguments:?}: {message}");
        assert!(files(dir.path()).is_empty(), "{arguments:?} wrote something");
    }
    let mut command = in_dir(dir.path(), &["generate", "--rules", "youzai", "--stones", "2"]);
    failure(command.args(["--metrics", "dtw"]), 2);
}

#[test]
fn perft_prints_depths_and_paths() {
    for row in rows(PERFT) {
        let position = "bbbbb/bbbbb/bb1ww/wwwww/wwwww w - 0";
        let found = output(&mut alquerque(&["perft", "--rules", row.get("rules"), "--depth", "7", position]));
        let line = |depth: u64| format!("{depth}\t{}\n", row.get(&depth.to_string()));
        assert_eq!(found, (1..=7).map(line).collect::<String>());
    }
    // Without a position: the start, which looks the same to either side.
    let found = output(&mut alquerque(&["perft", "--rules", "youzai", "--depth", "4"]));
    assert_eq!(found, "1\t4\n2\t5\n3\t6\n4\t12\n");
    let divided = output(&mut alquerque(&["perft", "--rules", "classic", "--depth", "5", "--divide"]));
    let split: u64 = divided
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(mv, _)| mv.contains('-') || mv.contains('x'))
        .map(|(_, paths)| paths.trim().parse::<u64>().unwrap())
        .sum();
    assert_eq!(split, 29, "{divided}");
}

#[test]
fn moves_need_no_tables() {
    let dir = temp_dir();
    let mut command = alquerque(&["moves", "--rules", "classic", "start"]);
    let found = output(command.current_dir(dir.path()));
    for mv in ["b2-c3", "c2-c3", "d2-c3", "d3-c3"] {
        assert!(found.contains(mv), "{found}");
    }
    let found = output(&mut alquerque(&["moves", "--rules", "classic", "--json", "start"]));
    assert_eq!(keys(&found[1..]), ["move", "position"]);
    let found = json(&found);
    let column = |key: &str| -> Vec<&str> {
        found.as_array().unwrap().iter().map(|mv| mv[key].as_str().unwrap()).collect()
    };
    assert_eq!(column("move"), ["b2-c3", "c2-c3", "d2-c3", "d3-c3"]);
    assert_eq!(column("position")[3], "bbbbb/bbbbb/bbw1w/wwwww/wwwww b - 0");
    // The 25-character form, which may begin like an option, and the end of a game.
    let text = "--wb---b-b---b----------- w";
    let found = output(&mut alquerque(&["moves", "--rules", "qirkat", "--json", text]));
    assert!(found.contains("c1xc3xe3xe1xc1"), "{found}");
    let found = output(&mut alquerque(&["moves", "--rules", "youzai", "--json", "2w2/5/5/5/b4 w"]));
    assert_eq!(json(&found), Json::Array(Vec::new()));
}

#[test]
fn probe_answers_in_json() {
    let (classic, youzai) = (tables("classic", "3"), tables("youzai", "2"));
    let position = "5/5/3b1/5/1w2b b - 0";
    let command = ["probe", "--rules", "classic", "--json", position];
    let found = output(&mut in_dir(classic.path(), &command));
    let expected = ["rules", "position", "value", "dtc", "dtw", "moves"];
    assert_in_order(&keys(&found), &expected);
    let answer = json(&found);
    assert_eq!(answer["rules"], "classic");
    assert_eq!(answer["position"], position);
    assert_eq!(answer["value"], "win");
    assert_eq!((&answer["dtc"], &answer["dtw"]), (&Json::from(22), &Json::from(23)));
    let moves = answer["moves"].as_array().unwrap();
    // The first move of the list, as it is written.
    let first = &found[found.find("\"moves\"").unwrap()..];
    let first = &first[first.find('{').unwrap()..];
    assert_in_order(&keys(first), &["move", "position", "value", "dtc", "dtw"]);
    assert_eq!(moves[0]["value"], "win");
    assert_eq!(moves[0]["dtw"], 23);
    let order = |mv: &Json| match mv["value"].as_str().unwrap() {
        "win" => (0, mv["dtw"].as_i64().unwrap()),
        "draw" => (1, 0),
        "loss" => (2, -mv["dtw"].as_i64().unwrap()),
        other => panic!("'{other}' is no value"),
    };
    assert!(moves.is_sorted_by_key(order), "{found}");
    assert!(moves.iter().all(|mv| mv["position"].as_str().unwrap().contains(" w - 0")));

    // A draw has no distances; youzai has no distance to win.
    let command = ["probe", "--rules", "classic", "--json", "5/5/1w2b/5/5 b - 0"];
    let answer = json(&output(&mut in_dir(classic.path(), &command)));
    assert_eq!(answer["value"], "draw");
    assert!(answer["dtc"].is_null() && answer["dtw"].is_null());
    assert!(answer["moves"][0]["dtc"].is_null());
    let command = ["probe", "--rules", "youzai", "--json", "2b2/5/3w1/5/5 b"];
    let answer = json(&output(&mut in_dir(youzai.path(), &command)));
    assert_eq!(answer["position"], "2b2/5/3w1/5/5 b - 0");
    assert_eq!((&answer["value"], &answer["dtc"]), (&Json::from("win"), &Json::from(7)));
    assert!(answer.as_object().unwrap().contains_key("dtw") && answer["dtw"].is_null());
    let command = ["probe", "--rules", "youzai", "--json", "2b2/5/3w1/5/5 b - 44"];
    assert_eq!(json(&output(&mut in_dir(youzai.path(), &command)))["value"], "draw");
    // A lost game has no moves.
    let command = ["probe", "--rules", "classic", "--json", "5/5/2w2/5/5 b"];
    let answer = json(&output(&mut in_dir(classic.path(), &command)));
    assert_eq!((&answer["value"], &answer["dtc"]), (&Json::from("loss"), &Json::from(0)));
    assert_eq!(answer["moves"], Json::Array(Vec::new()));
}

#[test]
fn probe_takes_several_positions() {
    let tables = tables("classic", "3");
    let positions = ["5/5/1w2b/5/5 b", "5/5/5/5/1bw2 w"];
    let command = [&["probe", "--rules", "classic", "--json"][..], &positions].concat();
    let found = output(&mut in_dir(tables.path(), &command));
    let answers: Vec<Json> =
        serde_json::Deserializer::from_str(&found).into_iter().collect::<Result<_, _>>().unwrap();
    let values: Vec<&str> = answers.iter().map(|answer| answer["value"].as_str().unwrap()).collect();
    assert_eq!(values, ["draw", "win"]);
    let plain = [&["probe", "--rules", "classic"][..], &positions].concat();
    let found = output(&mut in_dir(tables.path(), &plain));
    assert!(found.contains("Draw") && found.contains("White wins"), "{found}");
    // A position that cannot be answered does not keep the others from being answered.
    let command =
        ["probe", "--rules", "classic", "--json", "5/5/1w2b/5/5 b", "wwww1/5/5/5/bbbb1 w", "5/5/5/5/1bw2 w"];
    let output = in_dir(tables.path(), &command).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout).lines().count(), 2);
    assert!(text(&output.stderr).contains("4v4"));
}

#[test]
fn stdin_gives_a_line_for_a_line() {
    let tables = tables("classic", "3");
    let input = "5/5/1w2b/5/5 b\n5/5/2x2/5/5 w\n5/5/4w/3b1/1w3 w - 0\nwwww1/5/5/5/bbbb1 w\n";
    let run = |json: bool| {
        let mut command = in_dir(tables.path(), &["probe", "--rules", "classic", "--stdin"]);
        if json {
            command.arg("--json");
        }
        let output = command.write_stdin(input).output().unwrap();
        assert!(!text(&output.stderr).contains("panicked"));
        (output.status.code(), text(&output.stdout).to_owned())
    };
    let (code, found) = run(true);
    let lines: Vec<Json> = found.lines().map(json).collect();
    assert_eq!(lines.len(), 4, "{found}");
    assert_eq!(lines[0]["value"], "draw");
    assert!(lines[1]["error"].as_str().unwrap().contains("'x'"));
    assert_eq!(lines[2]["value"], "win");
    assert!(lines[3]["error"].as_str().unwrap().contains("4v4"), "{found}");
    assert_eq!(code, Some(1), "one of the positions was not answered");
    let (_, found) = run(false);
    assert_eq!(found.lines().count(), 4, "{found}");
    let mut command = in_dir(tables.path(), &["probe", "--rules", "classic", "--stdin", "--json"]);
    assert_eq!(output(command.write_stdin("5/5/1w2b/5/5 b\n")).lines().count(), 1);
    // By a certificate, where no table reaches.
    let committed = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tables"));
    let mut command = in_dir(committed, &["probe", "--rules", "brainking", "--stdin"]);
    assert_eq!(output(command.write_stdin("start\n")), "win\t-\t-\n");
    let mut command = in_dir(tables.path(), &["probe", "--rules", "classic", "--stdin", "--json"]);
    assert_eq!(output(command.write_stdin("")), "");
    // A file may begin with a byte order mark.
    let mut command = in_dir(tables.path(), &["probe", "--rules", "classic", "--stdin"]);
    let answers = output(command.write_stdin("\u{feff}5/5/1w2b/5/5 b\r\n5/5/1w2b/5/5 b\n"));
    assert_eq!(answers, "draw\t-\t-\n".repeat(2));
    // Bytes that are no text are an error, not the end.
    let mut command = in_dir(tables.path(), &["probe", "--rules", "classic", "--stdin", "--json"]);
    let output = command.write_stdin(&b"\xff\xfe\n5/5/1w2b/5/5 b\n"[..]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!text(&output.stderr).contains("panicked"));
}

#[test]
fn line_plays_to_the_end() {
    let tables = tables("classic", "3");
    let command = ["line", "--rules", "classic", "--json", "5/5/3b1/5/1w2b b - 0"];
    let found = output(&mut in_dir(tables.path(), &command));
    assert_in_order(&keys(&found), &["rules", "position", "value", "dtc", "dtw", "moves"]);
    let line = json(&found);
    assert_eq!(line["moves"].as_array().unwrap().len(), 23, "{found}");
    let command = ["line", "--rules", "classic", "5/5/3b1/5/1w2b b - 0"];
    let plain = output(&mut in_dir(tables.path(), &command));
    for mv in line["moves"].as_array().unwrap() {
        let mv = mv["move"].as_str().unwrap();
        assert!(plain.contains(mv), "{mv} is not in {plain}");
    }
}

#[test]
fn a_win_without_distances_is_not_told_as_a_draw() {
    let dir = temp_dir();
    let generate = ["generate", "--rules", "classic", "--material", "2v1", "--metrics", "wdl"];
    output(&mut in_dir(dir.path(), &generate));
    let won = "5/b4/3w1/3w1/5 w";
    let line = json(&output(&mut in_dir(dir.path(), &["line", "--rules", "classic", "--json", won])));
    assert_eq!((&line["value"], &line["end"]), (&"win".into(), &"no distances".into()));
    let moves = line["moves"].as_array().unwrap();
    let positions: BTreeSet<&str> = moves.iter().map(|mv| mv["position"].as_str().unwrap()).collect();
    assert_eq!((positions.len(), positions.contains(&*format!("{won} - 0"))), (moves.len(), false), "{line}");
    assert!(!moves.is_empty() && moves.iter().all(|mv| mv["value"] != "draw"), "{line}");
    let told = output(&mut in_dir(dir.path(), &["line", "--rules", "classic", won]));
    assert!(told.contains("White wins") && told.contains("The line stops here"), "{told}");
    assert!(!told.contains("Draw"), "{told}");
}

/// A certificate of a draw, beside no table at all.
fn drawn_certificate(dir: &Path) -> PathBuf {
    let file = dir.join("classic/drawn.proof");
    fs::create_dir(dir.join("classic")).unwrap();
    let solve = ["solve", "--rules", "classic", "--no-tables", "--hash", "16M", DRAWN, "--certificate"];
    output(alquerque(&solve).arg(&file));
    file
}

const DRAWN: &str = "5/5/1w2b/5/5 b";

#[test]
fn a_line_from_a_drawn_root_goes_as_far_as_the_certificate() {
    let dir = temp_dir();
    drawn_certificate(dir.path());
    let known = json(&output(&mut in_dir(dir.path(), &["probe", "--rules", "classic", "--json", DRAWN])));
    let line = json(&output(&mut in_dir(dir.path(), &["line", "--rules", "classic", "--json", DRAWN])));
    assert_eq!((&line["value"], &line["end"]), (&"draw".into(), &"no table".into()), "{line}");
    assert_eq!(line["moves"][0], known["moves"][0]);
    let told = output(&mut in_dir(dir.path(), &["line", "--rules", "classic", DRAWN]));
    assert!(told.contains("no table or certificate covers this position"), "{told}");
    let unknown = failure(&mut in_dir(dir.path(), &["line", "--rules", "classic", "5/5/1w2b/5/5 w"]), 1);
    assert!(unknown.contains("no wdl table for 1v1"), "{unknown}");
}

#[test]
fn certificates_beside_tables_are_listed_and_verified() {
    let dir = temp_dir();
    let file = drawn_certificate(dir.path());
    let told = output(&mut in_dir(dir.path(), &["info"]));
    assert!(told.contains("drawn.proof: draw for Black"), "{told}");
    let told = output(&mut in_dir(dir.path(), &["verify"]));
    assert!(told.contains("drawn.proof with") && told.contains("Proven: draw"), "{told}");
    let good = fs::read(&file).unwrap();
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for (what, bytes) in [("cut", &good[..good.len() - 1]), ("flipped", &flipped), ("foreign", b"GIF89a")] {
        fs::write(&file, bytes).unwrap();
        let verified = in_dir(dir.path(), &["verify"]).output().unwrap();
        assert_eq!(verified.status.code(), Some(1), "{what}");
        assert!(text(&verified.stderr).contains("drawn.proof"), "{what}: {}", text(&verified.stderr));
    }
    fs::write(&file, &good).unwrap();
    fs::create_dir(dir.path().join("qirkat")).unwrap();
    fs::copy(&file, dir.path().join("qirkat/drawn.proof")).unwrap();
    let message = failure(&mut in_dir(dir.path(), &["probe", "--rules", "qirkat", DRAWN]), 1);
    assert!(message.contains("is for the rules 'classic', but lies in the folder of 'qirkat'"), "{message}");
}

#[test]
fn a_certificate_without_its_tables_is_not_called_wrong() {
    let (dir, tables, others) = (temp_dir(), tables("classic", "3"), tables("classic", "2"));
    let file = dir.path().join("rests.proof");
    let solve = ["solve", "--rules", "classic", "--hash", "16M", "5/b4/1b1w1/3w1/4w w", "--certificate"];
    output(alquerque(&solve).arg(&file).arg("--tables").arg(tables.path()));
    output(in_dir(tables.path(), &["check"]).arg(&file));
    let message = failure(in_dir(others.path(), &["check"]).arg(&file), 1);
    assert!(message.contains("cannot be checked without the tables"), "{message}");
}

#[test]
#[cfg(unix)]
fn only_files_are_replaced_by_files() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let dir = temp_dir();
    let at = |name: &str| dir.path().join(name);
    let solve = ["solve", "--rules", "classic", "--no-tables", "--hash", "16M", DRAWN, "--certificate"];
    let (pipe, folder, dangling) = (at("pipe"), at("folder"), at("dangling"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(&folder).unwrap();
    symlink(at("nothing"), &dangling).unwrap();
    symlink(&pipe, at("link to pipe")).unwrap();
    for name in ["pipe", "folder", "link to pipe"] {
        let message = failure(alquerque(&solve).arg(at(name)), 1);
        assert!(message.contains(name) && message.contains("is not a regular file"), "{message}");
    }
    failure(alquerque(&solve).arg(&dangling), 1);
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo() && folder.is_dir());
    assert!(dangling.is_symlink() && at("link to pipe").is_symlink() && !at("nothing").exists());

    let (file, link) = (at("file.proof"), at("link.proof"));
    fs::write(&file, "old").unwrap();
    symlink("file.proof", &link).unwrap();
    output(alquerque(&solve).arg(&link));
    assert!(link.is_symlink() && fs::read(&file).unwrap().starts_with(b"ALQPROOF"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 6);
}

#[test]
fn search_tells_proofs_from_estimates() {
    let tables = tables("classic", "3");
    let search = |arguments: &[&str]| {
        let arguments = [&["search", "--rules", "classic"][..], arguments].concat();
        output(&mut in_dir(tables.path(), &arguments))
    };
    let covered = "5/5/3b1/5/1w2b b";
    let found = search(&["--json", covered]);
    assert_in_order(
        &keys(&found),
        &["rules", "position", "proven", "value", "within", "estimate", "best", "line", "depth", "nodes"],
    );
    let answer = json(&found);
    assert_eq!((&answer["proven"], &answer["value"]), (&Json::from(true), &Json::from("win")), "{found}");
    assert_eq!((&answer["within"], &answer["nodes"]), (&Json::from(23), &Json::from(0)), "{found}");
    assert_eq!(answer["line"].as_array().unwrap().len(), 23, "{found}");
    assert!(search(&[covered]).contains("Proven: Black wins within 23 plies\n"));
    let answer = json(&search(&["--json", "--depth", "4", "--no-tables", covered]));
    assert_eq!((&answer["proven"], &answer["depth"]), (&Json::from(false), &Json::from(4)), "{answer}");
    assert!(
        answer["value"].is_null() && answer["within"].is_null() && answer["estimate"].is_i64(),
        "{answer}"
    );
    assert!(search(&["--depth", "4", "start"]).contains("Estimate: "));
    assert!(search(&["--nodes", "1000", "--hash", "1M", "--threads", "2", "start"]).contains("Best line: "));
    assert!(search(&["--movetime", "10", "5/5/5/5/b4 w"]).contains("has lost: no stone left"));
    // Without tables it does what it can.
    let nowhere = tables.path().join("nowhere");
    let command = ["search", "--rules", "youzai", "--depth", "3", "start"];
    let found = in_dir(&nowhere, &command).output().unwrap();
    assert_eq!(found.status.code(), Some(0));
    assert!(text(&found.stderr).contains("searching without"), "{}", text(&found.stderr));
    for arguments in
        [&["--depth", "0"][..], &["--depth", "101"], &["--hash", "much"], &["--threads", "0"], &["x"]]
    {
        failure(&mut alquerque(&[&["search", "--rules", "classic", "start"], arguments].concat()), 2);
    }
}

#[test]
fn info_describes_every_slice() {
    let tables = tables("classic", "4");
    for (rules, stones) in [("youzai", "3"), ("brainking", "2")] {
        output(&mut in_dir(tables.path(), &["generate", "--rules", rules, "--stones", stones]));
    }
    let found = output(&mut in_dir(tables.path(), &["info", "--rules", "classic", "--json"]));
    let object = &found[found.find('{').unwrap()..];
    let expected = [
        "rules",
        "material",
        "mover",
        "opponent",
        "positions",
        "win",
        "draw",
        "loss",
        "max_dtc_win",
        "max_dtc_loss",
        "max_dtw_win",
        "max_dtw_loss",
        "bytes",
    ];
    assert_in_order(&keys(object), &expected);
    let slices = json(&found);
    let names: Vec<&str> =
        slices.as_array().unwrap().iter().map(|slice| slice["material"].as_str().unwrap()).collect();
    assert_eq!(names, ["1v1", "2v1", "1v2", "3v1", "2v2", "1v3"]);
    for row in rows(crate::reference::SLICES) {
        let material = format!("{}v{}", row.get("mover"), row.get("opponent"));
        let Some(slice) =
            slices.as_array().unwrap().iter().find(|slice| slice["material"] == material.as_str())
        else {
            continue;
        };
        if row.get("rules") != "classic" {
            continue;
        }
        for column in &expected[2..12] {
            let found = if slice[column].is_null() { Some(0) } else { slice[column].as_u64() };
            assert_eq!(found, Some(row.number(column)), "{material} {column}");
        }
        for metric in ["wdl", "dtc", "dtw"] {
            let file = tables.path().join(format!("classic/{material}.{metric}"));
            assert_eq!(slice["bytes"][metric], fs::metadata(file).unwrap().len());
        }
    }
    // Without --rules: everything in the directory.
    let all = json(&output(&mut in_dir(tables.path(), &["info", "--json"])));
    let count = |rules| all.as_array().unwrap().iter().filter(|slice| slice["rules"] == rules).count();
    assert_eq!(["classic", "youzai", "brainking", "qirkat"].map(count), [6, 3, 1, 0]);
    let youzai = all.as_array().unwrap().iter().find(|slice| slice["rules"] == "youzai").unwrap();
    assert!(youzai["max_dtw_win"].is_null());
    assert!(youzai["bytes"]["dtw"].is_null());
    let plain = output(&mut in_dir(tables.path(), &["info"]));
    assert!(plain.contains("2v2") && plain.contains("classic"), "{plain}");
}

#[test]
fn generate_then_probe() {
    let dir = temp_dir();
    let tables = dir.path().join("new/tables");
    let mut command = alquerque(&["generate", "--rules", "qirkat", "--stones", "2", "--json"]);
    let found = output(command.env("ALQUERQUE_TABLES", &tables));
    for value in serde_json::Deserializer::from_str(&found).into_iter::<Json>() {
        value.unwrap();
    }
    for metric in ["wdl", "dtc", "dtw"] {
        assert!(tables.join(format!("qirkat/1v1.{metric}")).is_file());
    }
    let mut command = alquerque(&["probe", "--rules", "qirkat", "--json", "5/5/2b2/2w2/5 w"]);
    let answer = json(&output(command.env("ALQUERQUE_TABLES", &tables)));
    assert_eq!((&answer["value"], &answer["dtw"]), (&Json::from("win"), &Json::from(1)));
    // The default is the folder `tables` where the program is called.
    let mut command = alquerque(&["probe", "--rules", "qirkat", "--json", "5/5/2b2/2w2/5 w"]);
    let answer = json(&output(command.current_dir(dir.path().join("new"))));
    assert_eq!(answer["value"], "win");
    // Some metrics only.
    let dir = temp_dir();
    let command = ["generate", "--rules", "classic", "--material", "2v1", "--metrics", "wdl,dtc"];
    output(&mut in_dir(dir.path(), &command));
    let command = ["probe", "--rules", "classic", "--json", "5/5/3b1/5/1w2b b"];
    let answer = json(&output(&mut in_dir(dir.path(), &command)));
    assert_eq!((&answer["dtc"], &answer["dtw"]), (&Json::from(22), &Json::Null));
}

#[test]
fn missing_tables_are_named() {
    let dir = temp_dir();
    let nowhere = dir.path().join("nowhere");
    for command in [
        &["probe", "--rules", "classic", "5/5/1w2b/5/5 b"][..],
        &["line", "--rules", "classic", "5/5/1w2b/5/5 b"],
        &["info", "--rules", "classic"],
        &["verify", "--rules", "classic"],
    ] {
        let message = failure(&mut in_dir(&nowhere, command), 1);
        assert!(message.contains("nowhere"), "{message}");
    }
    let command = ["probe", "--rules", "classic", "bbb2/5/5/w4/wwwww w"];
    let message = failure(&mut in_dir(tables("classic", "2").path(), &command), 1);
    assert!(message.contains("6v3"), "{message}");
    // A table directory below a file.
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let command = ["generate", "--rules", "classic", "--stones", "2"];
    failure(&mut in_dir(&file.join("tables"), &command), 1);
}

#[test]
fn damaged_files_are_named() {
    let dir = temp_dir();
    output(&mut in_dir(dir.path(), &["generate", "--rules", "classic", "--stones", "3"]));
    let file = dir.path().join("classic/2v1.wdl");
    let good = fs::read(&file).unwrap();
    let mut newer = good.clone();
    newer[8] += 1;
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let other = fs::read(dir.path().join("classic/1v2.wdl")).unwrap();
    let truncated = good[..good.len() - 1].to_vec();
    let foreign = b"GIF89a, or something like it, but no table".repeat(10);
    for (what, bytes) in [
        ("truncated", truncated),
        ("empty", Vec::new()),
        ("foreign", foreign),
        ("newer", newer),
        ("flipped", flipped),
        ("another slice", other),
    ] {
        fs::write(&file, bytes).unwrap();
        for command in
            [&["probe", "--rules", "classic", "5/5/3b1/5/1w2b b"][..], &["verify", "--rules", "classic"]]
        {
            let message = failure(&mut in_dir(dir.path(), command), 1);
            assert!(message.contains("2v1.wdl"), "{what}: {message}");
            assert!(what != "newer" || message.contains("version 3"), "{what}: {message}");
        }
    }
    fs::write(&file, good).unwrap();
    output(&mut in_dir(dir.path(), &["verify", "--rules", "classic"]));
}

#[test]
fn every_processor_writes_the_same_bytes() {
    for (rules, stones) in [("classic", "6"), ("youzai", "5"), ("brainking", "3")] {
        let (best, portable) = (temp_dir(), temp_dir());
        let args = ["generate", "--rules", rules, "--stones", stones, "--metrics", "wdl,dtc"];
        output(&mut in_dir(best.path(), &args));
        // Without the instructions that not every processor has.
        output(in_dir(portable.path(), &args).env("ALQUERQUE_PORTABLE", "1"));
        assert_same_files(best.path(), portable.path(), rules);
    }
}

#[test]
fn verify_is_content_with_good_tables() {
    let tables = tables("classic", "4");
    for (rules, stones) in [("youzai", "4"), ("brainking", "3"), ("qirkat", "2")] {
        output(&mut in_dir(tables.path(), &["generate", "--rules", rules, "--stones", stones]));
    }
    assert_eq!(output(&mut in_dir(tables.path(), &["verify"])).lines().count(), 4);
    for rules in ["classic", "youzai", "brainking", "qirkat"] {
        output(&mut in_dir(tables.path(), &["verify", "--rules", rules, "--full"]));
    }
}

#[cfg(unix)]
#[test]
fn a_killed_run_can_be_taken_up() {
    let (whole, dir) = (temp_dir(), temp_dir());
    let generate = ["generate", "--rules", "youzai", "--stones", "6"];
    let begun = Instant::now();
    output(&mut in_dir(whole.path(), &generate));
    let whole_run = begun.elapsed();
    // Killed at several points, each time a little later.
    for part in 1..=4 {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
        command.args(generate).arg("--dir").arg(dir.path());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole_run * part / 8);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    output(&mut in_dir(dir.path(), &generate));
    assert_same_files(whole.path(), dir.path(), "after kills");
    output(&mut in_dir(dir.path(), &["verify", "--rules", "youzai"]));
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_in_good_order() {
    let (whole, dir) = (temp_dir(), temp_dir());
    let generate = ["generate", "--rules", "youzai", "--stones", "6"];
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    command.args(generate).arg("--dir").arg(dir.path());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let interrupt =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    // On a fast machine it may have been done already.
    if interrupt.success() && !output.status.success() {
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("stopped"), "{message}");
        for path in files(dir.path()).keys() {
            assert!(path.extension().is_none_or(|extension| extension != "tmp"), "{}", path.display());
        }
    }
    for dir in [&whole, &dir] {
        self::output(&mut in_dir(dir.path(), &generate));
    }
    assert_same_files(whole.path(), dir.path(), "after an interrupt");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    command.args(["perft", "--rules", "classic", "--depth", "11"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((first.as_str(), output.status.code()), ("1\t4\n", Some(0)));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let help = alquerque(&["--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = listed
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = alquerque(&["completions", shell]).assert().success().get_output().stdout.clone();
        let script = String::from_utf8(script).unwrap();
        for command in &commands {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    let dir = temp_dir();
    let pages = dir.path().join("man/man1");
    alquerque(&["manpages", pages.to_str().unwrap()]).assert().success();
    for command in &commands {
        let page = fs::read_to_string(pages.join(format!("alquerque-{command}.1"))).unwrap();
        assert!(page.contains(".SH NAME"), "{command}");
    }
    assert!(pages.join("alquerque.1").is_file());
    alquerque(&["manpages", "/dev/null/pages"])
        .assert()
        .code(1)
        .stderr(predicates::str::contains("cannot write"));
}

#[test]
fn the_version_tells_the_optional_parts() {
    let version = alquerque(&["--version"]).assert().success().get_output().stdout.clone();
    let version = String::from_utf8(version).unwrap();
    assert!(version.starts_with("alquerque 0."), "{version}");
    assert!(version.contains("serve"), "{version}");
}
