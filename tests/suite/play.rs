//! The board in the terminal.

use std::time::Duration;

use assert_cmd::Command;

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");
const WON: &str = "5/b4/3w1/3w1/5 w";

/// What is printed in a sitting with these lines of input.
fn sitting(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    command.arg("play").args(arguments).args(["--dir", TABLES]).timeout(Duration::from_secs(60));
    let output = command.write_stdin(input).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn moves_are_typed_or_picked() {
    let typed = sitting(&["--rules", "classic", "--you", "both", WON], "d2-c3\na4-a3\n");
    let picked = sitting(&["--rules", "classic", "--you", "both", WON], "1\na4-a3\n");
    assert_eq!(typed, picked);
    assert!(typed.contains("White wins, 23 plies to the end"), "{typed}");
    assert!(typed.contains("White plays d2-c3") && typed.contains("Black plays a4-a3"), "{typed}");
    assert!(typed.contains("   1  d2-c3        win   dtc  22  dtw  23"), "{typed}");
    let chain = sitting(&["--rules", "classic", "5/1b1b1/5/1b3/w4 w"], "a1xc3xe5\n");
    assert!(chain.contains("White plays a1xc3xe5"), "{chain}");
}

#[test]
fn the_perfect_side_wins_in_time() {
    let told = sitting(&["--rules", "classic", "--you", "nobody", WON], "");
    assert_eq!(told.matches(" plays ").count(), 23, "{told}");
    assert!(told.trim_end().ends_with("has lost: no stone left"), "{told}");
    // The worst that Black can do, every time.
    let told = sitting(&["--rules", "classic", "--you", "black", WON], &"99\n1\n".repeat(20));
    assert!(told.contains("there is no move 99"), "{told}");
    assert!(told.matches("White plays").count() <= 12, "{told}");
    assert!(told.contains("Black, to move, has lost"), "{told}");
}

#[test]
fn commands_do_what_they_say() {
    let arguments = ["--rules", "classic", "--you", "both", WON];
    let told =
        sitting(&arguments, "undo\nbest\nundo\nvalues\nline\nhelp\nnonsense\nyou x\n\nnew\nquit\nd2-c3\n");
    assert!(told.contains("there is no move of yours to take back"), "{told}");
    assert_eq!(told.matches("White plays").count(), 1, "{told}");
    assert!(told.contains("d2-c3 a4-a3"), "{told}");
    assert!(told.contains("Type a move"), "{told}");
    assert!(
        told.contains("'nonsense' is neither a move nor a command") && told.contains("you both"),
        "{told}"
    );
    let told = sitting(&arguments, "-1\nz9-z8\n");
    assert!(
        told.contains("'-1' is neither a move nor a command") && told.contains("'z9' is not a point"),
        "{told}"
    );
    // Undo against the program goes back to one's own move.
    let told = sitting(&["--rules", "classic", WON], "1\nundo\n");
    assert_eq!(told.matches("White to move").count(), 3, "{told}");
    let told = sitting(&["--rules", "classic", "--no-values", WON], "");
    assert!(!told.contains("wins") && told.contains("   1  d2-c3\n"), "{told}");
}

#[test]
fn a_search_plays_where_no_table_reaches() {
    let told = sitting(&["--rules", "classic", "--movetime", "50", "--you", "black"], "1\n");
    assert!(told.contains("Black plays") && told.contains("White plays"), "{told}");
    assert!(told.contains("Estimate: ") && told.contains("about "), "{told}");
}

#[test]
fn repetition_is_a_draw() {
    let circle = "a1-a2\ne5-e4\na2-a1\ne4-e5\n".repeat(2);
    let told = sitting(&["--rules", "classic", "--you", "both", "4b/5/5/5/w4 w"], &circle);
    assert!(told.contains("Draw: the position has occurred three times"), "{told}");
}
