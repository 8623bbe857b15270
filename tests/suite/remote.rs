//! Tables on a web server, honest and not.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::cli::{in_dir, output, text};
use crate::static_server::{Lie, StaticServer};
use crate::support::{Random, job, materials, random_position, run, temp_dir};
use alquerque::index::Index;
use alquerque::position::Position;
use alquerque::rules::{CLASSIC, Rules};
use alquerque::table::{Metric, url_of};
use alquerque::tablebase::Tablebase;

const STONES: usize = 6;

fn positions() -> Vec<Position> {
    let (index, mut random) = (Index::new(&CLASSIC), Random::new(1));
    let of = |material| (0..10).map(move |_| material).collect::<Vec<_>>();
    let materials: Vec<_> = materials(STONES).into_iter().flat_map(of).collect();
    materials.into_iter().map(|material| random_position(&index, material, &mut random)).collect()
}

#[test]
fn a_server_gives_the_values_of_the_folder() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), STONES)).unwrap();
    let server = StaticServer::new(dir.path(), Duration::ZERO);
    let local = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    for url in [server.url(), server.url() + "/"] {
        server.counts();
        let remote = Tablebase::open(&url, &CLASSIC).unwrap();
        assert_eq!(server.counts(), (0, 1, 0), "only the manifest is read");
        assert_eq!(remote.tables().count(), 0);
        for position in positions() {
            assert_eq!(
                remote.probe_with_moves(&position).unwrap(),
                local.probe_with_moves(&position).unwrap()
            );
        }
        let (ranges, wholes, _) = server.counts();
        assert!(ranges > 0 && wholes == 0);
        // What is in the cache is not asked for again.
        for position in positions() {
            remote.probe(&position).unwrap();
        }
        assert_eq!(server.counts(), (0, 0, 0));
        remote.open_all().unwrap();
        assert_eq!(remote.slices(), local.slices());
    }
    assert_eq!(Tablebase::rule_sets_in(server.url()), [&CLASSIC]);
    assert!(Tablebase::open(server.url() + "/nothing", &CLASSIC).is_err());
}

#[test]
fn a_server_that_does_not_answer_is_asked_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (asked, counter) = (Arc::new(AtomicUsize::new(0)), listener.try_clone().unwrap());
    let count = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in counter.incoming() {
            drop(stream);
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    // To open them tells what is wrong.
    assert_eq!(Tablebase::rule_sets_in(&url), Rules::ALL);
    let attempts = asked.load(Ordering::Relaxed);
    assert!((1..=4).contains(&attempts), "{attempts} attempts");
    assert!(Tablebase::open(&url, &CLASSIC).is_err());
}

#[test]
fn folders_and_servers_complete_each_other() {
    let (few, many) = (temp_dir(), temp_dir());
    run(&job(&CLASSIC, few.path(), 3)).unwrap();
    run(&job(&CLASSIC, many.path(), 4)).unwrap();
    let server = StaticServer::new(many.path(), Duration::ZERO);
    let both = format!("{}:{}", few.path().display(), server.url());
    let both = Tablebase::open(both, &CLASSIC).unwrap();
    let local = Tablebase::open(many.path(), &CLASSIC).unwrap();
    server.counts();
    for material in materials(4) {
        for metric in Metric::ALL.into_iter().filter(|&metric| local.has_table(material, metric)) {
            let is_remote = url_of(Path::new(both.table(material, metric).unwrap().name())).is_some();
            assert_eq!(is_remote, material.total() == 4, "{material}.{metric}");
        }
    }
}

#[test]
fn a_lie_is_an_error_and_never_a_value() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), STONES)).unwrap();
    let server = StaticServer::new(dir.path(), Duration::ZERO);
    let local = Tablebase::open(dir.path(), &CLASSIC).unwrap();
    // One whose largest table has blocks beyond what opening it reads.
    let far = |position: &&Position| {
        let material = alquerque::material::Material::of(position).unwrap();
        let is_large = local.table(material, Metric::Dtc).is_ok_and(|table| table.file_bytes() > 8192);
        is_large && !alquerque::moves::must_capture(&CLASSIC, position)
    };
    let positions = positions();
    let position = positions.iter().find(far).unwrap();
    let truth = local.probe(position).unwrap();
    let needed = {
        let remote = Tablebase::open(server.url(), &CLASSIC).unwrap();
        server.counts();
        assert_eq!(remote.probe(position).unwrap(), truth);
        server.counts().0
    };
    for lie in Lie::ALL {
        // After that many honest answers. Faults that may pass take time.
        let is_passing = [Lie::Busy, Lie::Silence, Lie::Truncated, Lie::OneLess].contains(&lie);
        let rounds = if is_passing { needed - 1..needed } else { 0..needed };
        let mut errors = 0;
        for honest in rounds {
            let remote = Tablebase::open(server.url(), &CLASSIC).unwrap();
            server.lie(lie, honest, u64::MAX);
            match remote.probe(position) {
                // The wrong bytes were not needed, or another version was there from the start.
                Ok(verdict) => assert_eq!(verdict, truth, "{lie:?} after {honest}"),
                Err(error) => {
                    errors += 1;
                    assert!(error.to_string().contains(&server.url()), "{error}");
                }
            }
            server.lie(Lie::None, 0, 0);
            let remote = Tablebase::open(server.url(), &CLASSIC).unwrap();
            assert_eq!(remote.probe(position).unwrap(), truth, "{lie:?} after {honest}");
        }
        assert!(errors > 0, "{lie:?}");
    }
}

#[test]
fn passing_faults_are_survived() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    let server = StaticServer::new(dir.path(), Duration::ZERO);
    let position = Position::parse(&CLASSIC, "5/1w3/1w3/5/4b w").unwrap();
    let truth = Tablebase::open(dir.path(), &CLASSIC).unwrap().probe(&position).unwrap();
    for lie in [Lie::Busy, Lie::Silence, Lie::Truncated, Lie::OneLess] {
        let remote = Tablebase::open(server.url(), &CLASSIC).unwrap();
        server.lie(lie, 1, 2);
        assert_eq!(remote.probe(&position).unwrap(), truth, "{lie:?}");
    }
}

#[test]
fn a_server_that_is_not_there_is_one_sentence() {
    let server = StaticServer::new(Path::new("/"), Duration::ZERO);
    let url = server.url();
    drop(server);
    std::thread::sleep(Duration::from_millis(100));
    let error = Tablebase::open(&url, &CLASSIC).unwrap_err().to_string();
    assert!(error.contains(&url) && !error.contains('\n'), "{error}");
    assert!(Tablebase::open("http://", &CLASSIC).is_err());
}

#[test]
fn the_program_reads_from_a_server() {
    let dir = temp_dir();
    run(&job(&CLASSIC, dir.path(), 4)).unwrap();
    let server = StaticServer::new(dir.path(), Duration::ZERO);
    let url = server.url();
    let probe = ["probe", "--rules", "classic", "--json", "5/1w3/1w3/5/4b w"];
    let line = ["line", "--rules", "classic", "5/1w3/1w3/5/4b w"];
    for arguments in [&probe[..], &line, &["info", "--json"], &["stats", "--rules", "classic"]] {
        let local = output(&mut in_dir(dir.path(), arguments));
        assert_eq!(output(&mut in_dir(Path::new(&url), arguments)), local, "{arguments:?}");
    }
    for arguments in [&["verify"][..], &["generate", "--rules", "classic", "--stones", "3"]] {
        in_dir(Path::new(&url), arguments).assert().code(2);
    }
    server.lie(Lie::WholeFile, 0, u64::MAX);
    let failed = in_dir(Path::new(&url), &probe).assert().code(1);
    let message = text(&failed.get_output().stderr);
    assert!(message.contains("range requests") && message.trim().lines().count() == 1, "{message}");
}
