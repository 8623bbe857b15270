//! Game records. Whatever is read is written back, and what is written reads as the same game.

#![no_main]

use alquerque::record::{Record, Records};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for game in Records::new(data) {
        let game = game.expect("bytes in memory can be read");
        let record = game.record;
        // The part before a fault is a game too.
        let positions = record.positions();
        assert_eq!(positions.len(), record.plies.len() + 1);
        let _ = record.game();
        let written = record.to_string();
        let mut again = Records::new(written.as_bytes());
        let read = again.next().expect("a game").expect("bytes in memory can be read");
        assert!(read.fault.is_none(), "{}\n{written}", read.fault.expect("a fault"));
        // A brace that would end a comment is written as a parenthesis, and a line break in a tag as a space;
        // all else stays as it was.
        assert_eq!(read.record.to_string(), written);
        assert_eq!((read.record.positions(), read.record.result), (positions, record.result), "{written}");
        let names = |record: &Record| record.tags.iter().map(|tag| tag.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&read.record), names(&record), "{written}");
        assert!(again.next().is_none(), "{written}");
    }
});
