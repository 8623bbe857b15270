//! Archives of tables.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use alquerque::pack::{PackError, Selection, pack};
use alquerque::progress::Progress;
use alquerque::rules::{CLASSIC, Rules, YOUZAI};
use alquerque::table::Metric;
use alquerque::verify::{Derived, VerifyOptions, verify};

use crate::cli::{failure, in_dir, json, output};
use crate::support::{assert_same_files, files, in_repo, job, run, temp_dir};

fn unpack(archive: &Path, into: &Path) {
    tar::Archive::new(fs::File::open(archive).unwrap()).unpack(into).unwrap();
}

static GO_ON: AtomicBool = AtomicBool::new(false);

fn packed(
    dir: &Path,
    rules: &'static Rules,
    archive: &Path,
    progress: &dyn Progress,
) -> Result<String, PackError> {
    Ok(pack(dir, rules, &Selection::all(), archive, progress, &GO_ON)?.digits())
}

#[test]
fn an_archive_holds_the_tables_and_depends_on_nothing_else() {
    let dir = temp_dir();
    let [first, second] = ["1", "2"].map(|name| dir.path().join(name));
    for (place, threads) in [(&first, 1), (&second, 2)] {
        let mut job = job(&CLASSIC, place, 4);
        job.threads = threads;
        run(&job).unwrap();
    }
    let archives = ["1.tar", "2.tar"].map(|name| dir.path().join(name));
    let sums = [(&first, &archives[0]), (&second, &archives[1])]
        .map(|(place, archive)| packed(place, &CLASSIC, archive, &()).unwrap());
    assert_eq!(sums[0], sums[1]);
    assert_eq!(fs::read(&archives[0]).unwrap(), fs::read(&archives[1]).unwrap());

    let unpacked = dir.path().join("unpacked");
    unpack(&archives[0], &unpacked);
    let mut documents = 0;
    for name in ["CERTIFICATES.md", "CITATION.cff", "LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        assert!(fs::metadata(unpacked.join("classic").join(name)).unwrap().len() > 100);
        fs::remove_file(unpacked.join("classic").join(name)).unwrap();
        documents += 1;
    }
    assert_same_files(&first, &unpacked, "packed and unpacked");
    assert_eq!(documents + files(&unpacked).len(), tar_entries(&archives[0]));
}

fn tar_entries(archive: &Path) -> usize {
    tar::Archive::new(fs::File::open(archive).unwrap()).entries().unwrap().count()
}

#[test]
fn chosen_tables_make_a_folder_that_verifies() {
    let dir = temp_dir();
    let (tables, archive) = (dir.path().join("tables"), dir.path().join("some.tar"));
    run(&job(&YOUZAI, &tables, 4)).unwrap();
    fs::copy(in_repo("tables/youzai/start.proof"), tables.join("youzai/start.proof")).unwrap();
    let arguments = ["pack", "--rules", "youzai", "--stones", "3", "--metrics", "wdl", "--json"];
    let mut command = in_dir(&tables, &arguments);
    let report = json(&output(command.arg("--output").arg(&archive)));
    assert_eq!((&report["tables"], &report["certificates"]), (&3.into(), &1.into()));
    assert_eq!(report["bytes"], fs::metadata(&archive).unwrap().len());
    let unpacked = dir.path().join("unpacked");
    unpack(&archive, &unpacked);
    assert!(unpacked.join("youzai/start.proof").exists());
    let options = VerifyOptions { derived: Derived::None, threads: 1, cache: 1 << 20, memory: 1 << 20 };
    let report = verify(&unpacked, &YOUZAI, &options, &(), &GO_ON).unwrap();
    assert_eq!(report.files, 3);
    // The line of the checksum is what other programs compute.
    let line = output(in_dir(&tables, &["pack", "--rules", "youzai"]).arg("--output").arg(&archive));
    assert_eq!(line.find("  "), Some(64));
    assert!(line.trim_end().ends_with("some.tar"));
}

#[test]
fn what_is_not_sound_is_not_packed() {
    let dir = temp_dir();
    let (tables, archive) = (dir.path().join("tables"), dir.path().join("classic.tar"));
    run(&job(&CLASSIC, &tables, 3)).unwrap();
    fs::write(&archive, "an earlier archive").unwrap();
    let refuse = |expected: &str| {
        let mut command = in_dir(&tables, &["pack", "--rules", "classic"]);
        let message = failure(command.arg("--output").arg(&archive), 1);
        assert!(message.contains(expected), "{message}");
        assert_eq!(fs::read(&archive).unwrap(), b"an earlier archive");
        let left = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, 2, "something is left over");
    };
    let table = tables.join("classic/2v1.wdl");
    let bytes = fs::read(&table).unwrap();
    let mut wrong = bytes.clone();
    *wrong.last_mut().unwrap() ^= 1;
    fs::write(&table, &wrong).unwrap();
    refuse("checksum");
    fs::write(&table, &bytes[..bytes.len() - 1]).unwrap();
    refuse("2v1.wdl");
    fs::remove_file(&table).unwrap();
    refuse("2v1.wdl");
    fs::write(&table, &bytes).unwrap();
    fs::write(tables.join("classic/start.proof"), "no certificate").unwrap();
    refuse("start.proof");
    fs::remove_file(tables.join("classic/start.proof")).unwrap();

    // A folder without finished tables, and a run that is stopped.
    let message = failure(in_dir(&tables, &["pack", "--rules", "qirkat"]).arg("--output").arg(&archive), 1);
    assert!(message.contains("no finished table"), "{message}");
    let stopped = pack(&tables, &CLASSIC, &Selection::all(), &archive, &(), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(PackError::Stopped)), "{stopped:?}");
    let nowhere = dir.path().join("none/classic.tar");
    assert!(matches!(packed(&tables, &CLASSIC, &nowhere, &()), Err(PackError::Table(_))));
    let selection = Selection { metrics: vec![Metric::Wdl], ..Selection::all() };
    assert_eq!(pack(&tables, &CLASSIC, &selection, &archive, &(), &GO_ON).unwrap().tables, 3);
}
