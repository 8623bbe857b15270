//! Deriving tables again: whole rows and single entries agree, and find every wrong entry.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use alquerque::material::Material;
use alquerque::rules::{CLASSIC, Rules, YOUZAI};
use alquerque::table::{Longest, Metric, Table, TableInfo};
use alquerque::tablebase::Tablebase;
use alquerque::verify::{Derived, VerifyError, VerifyOptions, VerifyReport, verify};

use crate::reference::rules_called;
use crate::support::{Random, Silent, falsify_entry, files, job, rewrite, run, symbols, temp_dir};

/// Derives everything again: in whole rows where the rules allow it, or entry by entry.
fn derive(dir: &Path, rules: &'static Rules, in_rows: bool) -> Result<VerifyReport, VerifyError> {
    let memory = if in_rows { 1 << 30 } else { 0 };
    let options = VerifyOptions { derived: Derived::All, threads: 2, cache: 8 << 20, memory };
    verify(dir, rules, &options, &Silent, &AtomicBool::new(false))
}

/// All rule sets that the tests know, and how many stones are enough for each.
fn all_rules() -> impl Iterator<Item = (&'static Rules, usize)> {
    let of_files = crate::brute::variants().into_iter().map(|variant| rules_called(variant.name));
    let built_in = Rules::ALL.into_iter().map(|rules| (rules, if rules.no_return() { 3 } else { 5 }));
    built_in.chain(of_files.map(|rules| (rules, if rules.no_return() { 3 } else { 4 })))
}

#[test]
fn sound_tables_are_found_sound() {
    for (rules, stones) in all_rules() {
        let dir = temp_dir();
        run(&job(rules, dir.path(), stones)).unwrap();
        let entries = |metric| {
            let tables = Tablebase::open(dir.path(), rules).unwrap();
            let tables = tables.tables().filter(|table| table.info().metric == metric);
            tables.map(|table| table.info().entries).sum::<u64>()
        };
        let all = entries(Metric::Wdl);
        let report = derive(dir.path(), rules, true).unwrap();
        assert_eq!(report.positions, all, "{rules:?}");
        // Stones with states have no rows of bits.
        assert_eq!(report.in_rows, if rules.no_return() { 0 } else { all }, "{rules:?}");
        if stones < 5 {
            let report = derive(dir.path(), rules, false).unwrap();
            assert_eq!((report.positions, report.in_rows), (all, 0), "{rules:?}");
        }
    }
}

#[test]
fn fewer_metrics_are_enough_for_rows() {
    for (rules, stones) in all_rules().filter(|(rules, _)| !rules.no_return()) {
        let dir = temp_dir();
        run(&job(rules, dir.path(), stones.min(4))).unwrap();
        for metric in [Metric::Dtw, Metric::Dtc] {
            if metric == Metric::Dtc && rules.ply_limit().is_some() {
                continue;
            }
            for name in files(dir.path()).into_keys() {
                if name.extension().is_some_and(|extension| extension == metric.name()) {
                    std::fs::remove_file(dir.path().join(name)).unwrap();
                }
            }
            forget(dir.path(), rules, metric);
            let report = derive(dir.path(), rules, true).unwrap();
            assert!(report.positions > 0 && report.in_rows == report.positions, "{rules:?} {metric}");
        }
    }
}

/// Takes the tables of a metric out of the manifest.
fn forget(dir: &Path, rules: &Rules, metric: Metric) {
    let path = dir.join(rules.name()).join(alquerque::table::MANIFEST_NAME);
    let manifest = std::fs::read_to_string(&path).unwrap();
    let kept = manifest.lines().filter(|line| !line.ends_with(&format!(".{metric}")));
    let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
    std::fs::write(path, kept).unwrap();
}

/// A stored entry that means something, chosen at random, and another symbol for it.
fn falsehood(table: &Table, values: &[Option<u16>], random: &mut Random) -> Option<(u64, u16)> {
    let info = table.info();
    let stored = symbols(table);
    // The distance of a draw means nothing.
    let matters =
        |&entry: &usize| stored[entry].is_some() && (info.metric == Metric::Wdl || values[entry] != Some(1));
    let entries: Vec<usize> = (0..stored.len()).filter(matters).collect();
    if entries.is_empty() {
        return None;
    }
    let entry = *random.choose(&entries);
    let before = stored[entry]?;
    let symbol = match info.metric {
        // Without draws a table has room for two values.
        Metric::Wdl if info.draw == 0 => 2 - before,
        Metric::Wdl => (before + 1 + random.below(2) as u16) % 3,
        _ if random.below(2) == 0 => before + 1,
        _ => (before + 1 + random.below(254) as u16) % 256,
    };
    (symbol != before).then_some((entry as u64, symbol))
}

#[test]
fn every_wrong_entry_is_found_both_ways() {
    for (number, (rules, _)) in all_rules().enumerate() {
        let mut random = Random::new(number as u64);
        let sound = temp_dir();
        run(&job(rules, sound.path(), 3)).unwrap();
        for _ in 0..24 {
            let dir = temp_dir();
            for (name, bytes) in files(sound.path()) {
                let path = dir.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
            let (material, metric, (entry, symbol)) = {
                let tables = Tablebase::open(dir.path(), rules).unwrap();
                let all: Vec<&Table> = tables.tables().collect();
                let table = *random.choose(&all);
                let info = table.info();
                let values = symbols(tables.table(info.material, Metric::Wdl).unwrap());
                let Some(falsehood) = falsehood(table, &values, &mut random) else { continue };
                (info.material, info.metric, falsehood)
            };
            falsify_entry(dir.path(), rules, (material, metric), entry, symbol);
            for in_rows in [true, false] {
                let found = derive(dir.path(), rules, in_rows);
                let Err(error) = found else {
                    panic!("{rules:?} {material}.{metric} {entry} {symbol} is not found, in rows: {in_rows}")
                };
                assert!(error.to_string().contains(" is wrong: "), "{rules:?} {in_rows}: {error}");
            }
        }
    }
}

#[test]
fn wrong_headers_are_found_both_ways() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    let material = Material::new(2, 2).unwrap();
    for metric in Metric::ALL {
        let (info, symbols) = {
            let tables = Tablebase::open(dir.path(), &CLASSIC).unwrap();
            let table = tables.table(material, metric).unwrap();
            (*table.info(), symbols(table))
        };
        let Longest { win, loss } = info.longest;
        let of = |win, loss| TableInfo { longest: Longest { win, loss }, ..info };
        let mut wrong = vec![TableInfo { win: info.win - 1, draw: info.draw + 1, ..info }];
        if metric != Metric::Wdl {
            // Too short for what is stored, and too long.
            wrong.extend([of(Some(3), Some(3)), of(win, loss.map(|plies| plies + 1)), of(Some(200), loss)]);
        }
        for wrong in &wrong {
            rewrite(dir.path(), &CLASSIC, wrong, &symbols);
            for in_rows in [true, false] {
                let Err(error) = derive(dir.path(), &CLASSIC, in_rows) else { panic!("{wrong:?} {in_rows}") };
                assert!(error.to_string().contains("its header says"), "{wrong:?} {in_rows}: {error}");
            }
        }
        rewrite(dir.path(), &CLASSIC, &info, &symbols);
    }
    assert!(derive(dir.path(), &CLASSIC, true).is_ok());
}

#[test]
fn what_does_not_fit_is_derived_entry_by_entry() {
    for rules in [&CLASSIC, &YOUZAI] {
        let dir = temp_dir();
        run(&job(rules, dir.path(), 6)).unwrap();
        let with = |memory| {
            let options = VerifyOptions { derived: Derived::All, threads: 2, cache: 8 << 20, memory };
            verify(dir.path(), rules, &options, &Silent, &AtomicBool::new(false)).unwrap()
        };
        // Nearly all of it is reserved for what is small.
        let reports = [0, (64 << 20) + (1 << 16), 1 << 30].map(with);
        let [none, some, all] = reports.map(|report| report.in_rows);
        assert!(none == 0 && none < some && some < all, "{none} {some} {all}");
        assert!(reports.iter().all(|report| report.positions == all));
    }
}
