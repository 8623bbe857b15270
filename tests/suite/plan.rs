//! What a plan says is what a run does.

use std::collections::BTreeSet;
use std::path::Path;

use alquerque::material::{Material, Pair};
use serde_json::Value as Json;

use crate::cli::{alquerque, assert_in_order, failure, in_dir, json, keys, output};
use crate::support::{assert_same_files, files, temp_dir};

/// Two threads and so much memory, so that a plan does not depend on the machine.
const MACHINE: [&str; 4] = ["--threads", "2", "--memory", "1G"];

fn plan(dir: &Path, job: &[&str]) -> Json {
    json(&output(in_dir(dir, &["plan", "--json"]).args(MACHINE).args(job)))
}

/// The strings in an array.
fn strings(array: &Json) -> Vec<&str> {
    array.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn generate(dir: &Path, job: &[&str]) -> String {
    output(in_dir(dir, &["generate", "--json"]).args(MACHINE).args(job))
}

#[test]
fn a_dry_run_prints_the_plan_and_writes_nothing() {
    let dir = temp_dir();
    let job = ["--rules", "classic", "--stones", "5"];
    for form in [[].as_slice(), &["--json"]] {
        let print = |command: &[&str]| output(in_dir(dir.path(), command).args(MACHINE).args(job).args(form));
        let dry = print(&["generate", "--dry-run"]);
        assert_eq!(dry, print(&["plan"]));
        assert!(dry.contains("3v2"), "{dry}");
    }
    assert!(files(dir.path()).is_empty());
    // A run that was planned is what a run does.
    let expected = plan(dir.path(), &job);
    assert_eq!(generate(dir.path(), &job).lines().count(), 10);
    let done = plan(dir.path(), &job);
    assert_eq!(done["entries"], 0, "{done}");
    let total: u64 = files(dir.path()).values().map(|bytes| bytes.len() as u64).sum();
    // Small tables hold little but their headers: the prediction is for large ones.
    assert!(expected["disk"].as_u64().unwrap() > total / 4, "{total} bytes, {expected}");
}

#[test]
fn plans_as_json_have_the_keys_that_were_promised() {
    let dir = temp_dir();
    let text =
        output(in_dir(dir.path(), &["plan", "--json", "--rules", "youzai", "--stones", "4"]).args(MACHINE));
    let expected = ["rules", "entries", "memory", "scratch", "disk", "seconds", "pairs"];
    assert_in_order(&keys(&text), &expected);
    let pair = text.split_once("\"pairs\":[").unwrap().1;
    let of_a_pair = ["pair", "slices", "needs", "task", "entries", "memory", "scratch", "seconds"];
    assert_in_order(&keys(pair), &of_a_pair);
    let plan = json(&text);
    let pairs = plan["pairs"].as_array().unwrap();
    let sum: u64 = pairs.iter().map(|pair| pair["entries"].as_u64().unwrap()).sum();
    assert_eq!(plan["entries"], sum);
    assert!(pairs.iter().all(|pair| pair["memory"].as_u64() <= plan["memory"].as_u64()), "{plan}");
}

#[test]
fn pairs_come_after_what_they_need_and_can_be_run_one_by_one() {
    for rules in ["classic", "brainking"] {
        let (whole, dir) = (temp_dir(), temp_dir());
        let job = ["--rules", rules, "--stones", "4"];
        let plan = plan(dir.path(), &job);
        let mut finished = BTreeSet::new();
        for pair in plan["pairs"].as_array().unwrap() {
            assert_eq!(pair["task"], "solve");
            let (slices, needs) = (strings(&pair["slices"]), strings(&pair["needs"]));
            for slice in needs {
                assert!(finished.contains(slice), "{slice} comes after {pair}");
            }
            let name: Pair = slices[0].parse::<Material>().unwrap().pair();
            assert_eq!(pair["pair"], name.to_string());
            // All that is needed is there: nothing but this pair is solved.
            let solved = generate(dir.path(), &["--rules", rules, "--material", slices[0]]);
            let new: Vec<String> = files(dir.path())
                .keys()
                .filter_map(|path| Some(path.strip_prefix(rules).ok()?.file_stem()?.to_str()?.to_owned()))
                .filter(|name| name != "manifest" && !finished.contains(name))
                .collect();
            assert_eq!(
                BTreeSet::from_iter(new.iter().map(String::as_str)),
                BTreeSet::from_iter(slices),
                "{solved}"
            );
            finished.extend(new);
        }
        generate(whole.path(), &job);
        assert_same_files(whole.path(), dir.path(), rules);
    }
}

#[test]
fn what_exists_is_loaded_if_something_needs_it_and_else_kept() {
    let dir = temp_dir();
    generate(dir.path(), &["--rules", "classic", "--stones", "4"]);
    generate(dir.path(), &["--rules", "classic", "--material", "4v1"]);
    let plan = plan(dir.path(), &["--rules", "classic", "--stones", "5"]);
    let pairs = plan["pairs"].as_array().unwrap();
    // A pair that is loaded needs smaller ones, too.
    let in_use = pairs.iter().filter(|pair| pair["task"] != "keep");
    let needed: BTreeSet<&str> = in_use.flat_map(|pair| strings(&pair["needs"])).collect();
    assert!(needed.contains("1v1") && !needed.contains("4v1"), "{plan}");
    for pair in pairs {
        let is_needed = strings(&pair["slices"]).iter().any(|slice| needed.contains(slice));
        let expected = match pair["pair"].as_str().unwrap() {
            "3v2" => "solve",
            _ if is_needed => "load",
            _ => "keep",
        };
        assert_eq!(pair["task"], expected, "{pair}");
    }
    let solved = plan["entries"].as_u64().unwrap();
    let entries = |pair: &Json| pair["entries"].as_u64().unwrap();
    assert_eq!(pairs.iter().filter(|pair| pair["task"] == "solve").map(entries).sum::<u64>(), solved);
}

#[test]
fn the_job_file_makes_the_same_tables() {
    let (whole, dir) = (temp_dir(), temp_dir());
    let job = ["--rules", "youzai", "--stones", "4"];
    let text = output(in_dir(dir.path(), &["plan", "--hyperqueue"]).args(MACHINE).args(job));
    let field = |name: &str| {
        let start = format!("{name} = ");
        let lines = text.lines().filter_map(move |line| line.strip_prefix(&start));
        lines.map(json).collect::<Vec<Json>>()
    };
    let (ids, commands, dependencies) = (field("id"), field("command"), field("deps"));
    assert!(ids.len() == 4 && commands.len() == 4 && dependencies.len() == 4, "{text}");
    let mut done = BTreeSet::new();
    for ((id, command), dependencies) in ids.iter().zip(&commands).zip(&dependencies) {
        for dependency in dependencies.as_array().unwrap() {
            assert!(done.contains(&dependency.as_u64().unwrap()), "{text}");
        }
        let words = strings(command);
        assert_eq!(words[0], "alquerque");
        output(&mut alquerque(&words[1..]));
        done.insert(id.as_u64().unwrap());
    }
    generate(whole.path(), &job);
    assert_same_files(whole.path(), dir.path(), "by the job file");
    // Nothing is left to do.
    let text = output(in_dir(dir.path(), &["plan", "--hyperqueue"]).args(MACHINE).args(job));
    assert!(!text.contains("[[task]]"), "{text}");
}

#[test]
fn a_refusal_names_the_largest_job_that_fits() {
    let dir = temp_dir();
    for (rules, stones, memory) in
        [("classic", "9", "64M"), ("brainking", "8", "48M"), ("youzai", "14", "40M")]
    {
        let plan = |stones: &str| {
            let mut command =
                in_dir(dir.path(), &["plan", "--rules", rules, "--stones", stones, "--threads", "2"]);
            command.args(["--memory", memory]);
            command
        };
        let message = failure(&mut plan(stones), 1);
        let fits = message.split_once("try --stones ").unwrap_or_else(|| panic!("{message}")).1;
        let fits: usize =
            fits.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap();
        output(&mut plan(&fits.to_string()));
        failure(&mut plan(&(fits + 1).to_string()), 1);
        // As much as it asks for is enough.
        if let Some((_, enough)) =
            message.trim().split_once("--memory ").filter(|_| !message.contains("at least"))
        {
            output(
                in_dir(dir.path(), &["plan", "--rules", rules, "--stones", stones, "--threads", "2"])
                    .args(["--memory", enough]),
            );
        }
    }
    assert!(files(dir.path()).is_empty());
}
