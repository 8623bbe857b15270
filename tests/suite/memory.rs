//! Tables and certificates that are bytes in memory, as in a web page.

use crate::support::{Random, in_repo, random_position};
use alquerque::certificate::{Certificate, Certificates};
use alquerque::material::Material;
use alquerque::moves::legal_moves;
use alquerque::position::Position;
use alquerque::rules::{CLASSIC, Rules, YOUZAI};
use alquerque::table::{BlockSource, Decoder, MemorySource, Metric, TableError};
use alquerque::tablebase::{Options, Tablebase};

/// The tables and certificates of a rule set, as bytes by name.
fn in_memory(rules: &Rules) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(in_repo("tables").join(rules.name())).unwrap();
    let file = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap())
    };
    files.map(|entry| file(entry.unwrap().path())).collect()
}

fn tables_in_memory(files: Vec<(String, Vec<u8>)>) -> Result<Tablebase, TableError> {
    let source = |(name, bytes)| (name, Box::new(MemorySource(bytes)) as Box<dyn BlockSource>);
    Tablebase::from_sources(&CLASSIC, files.into_iter().map(source), &Options::default())
}

#[test]
fn tables_in_memory_answer_as_those_in_files() {
    let from_files = Tablebase::open(in_repo("tables"), &CLASSIC).unwrap();
    let tables = tables_in_memory(in_memory(&CLASSIC)).unwrap();
    assert_eq!(tables.tables().count(), from_files.tables().count());
    let mut random = Random::new(11);
    for slice in from_files.slices() {
        for _ in 0..50 {
            let position = random_position(from_files.index(), slice.material, &mut random);
            assert_eq!(tables.probe(&position).unwrap(), from_files.probe(&position).unwrap(), "{position}");
        }
    }
    assert!(tables_in_memory(Vec::new()).unwrap().slices().is_empty());
}

#[test]
fn bytes_in_memory_must_be_what_their_name_says() {
    let find = |name: &str| in_memory(&CLASSIC).into_iter().find(|file| file.0 == name).unwrap().1;
    let open = |name: &str, bytes: Vec<u8>| tables_in_memory(vec![(name.to_owned(), bytes)]);
    assert!(matches!(open("2v1.wdl", find("2v2.wdl")), Err(TableError::Mismatch { .. })));
    let cut = find("2v2.wdl");
    assert!(matches!(open("2v2.wdl", cut[..cut.len() - 1].to_vec()), Err(TableError::Length { .. })));
    assert!(open("2v2.wdl", Vec::new()).is_err());
    let mut damaged = find("2v2.wdl");
    *damaged.last_mut().unwrap() ^= 1;
    let tables = open("2v2.wdl", damaged).unwrap();
    let last = tables.table(Material::new(2, 2).unwrap(), Metric::Wdl).unwrap();
    let block = last.blocks() - 1;
    assert!(matches!(last.decode(&mut Decoder::new().unwrap(), block), Err(TableError::Block { .. })));
}

#[test]
fn certificates_in_memory_answer_as_those_in_files() {
    let from_files = Certificates::open(in_repo("tables"), &YOUZAI).unwrap();
    let proofs = in_memory(&YOUZAI).into_iter().filter(|(name, _)| name.ends_with(".proof"));
    let open = |(name, bytes): (String, Vec<u8>)| {
        Certificate::from_source(name.into(), Box::new(MemorySource(bytes))).unwrap()
    };
    let certificates: Certificates = proofs.map(open).collect();
    let start = Position::start(&YOUZAI);
    assert!(!certificates.is_empty());
    assert_eq!(certificates.reply(&start).unwrap(), from_files.reply(&start).unwrap());
    let after: Vec<_> = legal_moves(&YOUZAI, &start).iter().map(|mv| start.play(&YOUZAI, mv)).collect();
    for position in after {
        assert_eq!(certificates.reply(&position).unwrap(), from_files.reply(&position).unwrap());
    }
    assert!(Certificate::from_source("x.proof".into(), Box::new(MemorySource([0; 10]))).is_err());
}
