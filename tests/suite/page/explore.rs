//! Tables, openings and the trainer.

use super::*;

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_tables_are_shown_and_lead_to_their_longest_wins() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "");
    browser.click("#open-tables");
    browser.until("document.querySelectorAll('#tables tbody tr').length > 15");
    let charts = count(&browser, "#tables .stack[aria-label]");
    assert_eq!(charts, count(&browser, "#tables tbody tr"));
    until_text(&browser, "#tables-note", "Choose a longest win");
    picture(&browser, "tables-desktop");
    browser.fill("#tables-filter", "classic 2v2");
    browser.until("[...document.querySelectorAll('#tables tbody tr')].filter((row) => row.checkVisibility()).length === 1");
    until_text(&browser, "#tables-note", "1 slice");
    browser.click("#tables tr:not([hidden]) th button");
    browser.until("document.querySelectorAll('#tables .histogram > div').length === 36");
    until_text(&browser, "#tables tr.figures", "moves to choose from on average");
    picture(&browser, "tables-histogram");
    browser.click("#tables tr:not([hidden]) th button");
    browser.until("!document.querySelector('#tables .histogram')");
    browser.click("#tables tr:not([hidden]) td.number button");
    browser.until("!document.getElementById('tables').open");
    until_text(&browser, "#headline", "wins in 35 plies");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn tables_without_distances_offer_no_longest_wins() {
    let folder = tempfile::TempDir::new().unwrap();
    let classic = folder.path().join("classic");
    fs::create_dir(&classic).unwrap();
    let committed = PathBuf::from(crate::server::TABLES).join("classic");
    for material in ["1v1", "2v1", "1v2"] {
        fs::copy(committed.join(format!("{material}.wdl")), classic.join(format!("{material}.wdl"))).unwrap();
    }
    let (server, browser) = (Server::start_in(folder.path(), &["--search-time", "200"]), desktop());
    visit(&browser, &server, WON);
    browser.click("#open-tables");
    until_text(&browser, "#tables-note", "no longest wins");
    assert_eq!(count(&browser, "#tables td.number button"), 0);
    browser.click("#tables [data-close]");
    // Why best play stops is told.
    until_my_turn(&browser);
    browser.click("#main-line");
    until_text(&browser, "#record-note", "no distances");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_opening_tree_is_unfolded() {
    let (server, browser) = (Server::start(&["--search-time", "200"]), desktop());
    visit(&browser, &server, "?rules=classic");
    until_my_turn(&browser);
    browser.click("#open-openings");
    browser.until("document.querySelectorAll('#openings .unfold').length === 4 && !document.querySelector('[aria-busy]')");
    browser.click("#openings .unfold");
    browser.until("document.querySelectorAll('#openings .openings .openings .unfold, #openings-list .openings .unfold').length >= 1");
    browser.until("!document.querySelector('#openings [aria-busy]')");
    assert_eq!(
        browser.text("document.querySelector('#openings .unfold').getAttribute('aria-expanded')"),
        "true"
    );
    picture(&browser, "openings-desktop");
    browser.click("#openings-list .openings .visit");
    browser.until("!document.getElementById('openings').open");
    until_played(&browser, 2);
    assert_content(&browser);
}

/// The move of the position on the board that is the best, or the worst, as the server says.
fn move_from_server(server: &Server, browser: &Browser, best: bool) -> String {
    let position = browser.text("new URLSearchParams(location.search).get('position')");
    let board = server.ask("api/v1/classic/board", &[("position", &position)]).json();
    let moves = board["moves"].as_array().unwrap();
    let chosen = if best { moves.first() } else { moves.last() };
    let keep = moves.iter().filter(|mv| mv["value"] == board["value"]).count();
    assert_eq!(keep, 1, "a task has one solution: {board}");
    chosen.unwrap()["move"].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_trainer_sets_tasks_and_plays_them_out() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=classic");
    until_my_turn(&browser);
    browser.click("#open-trainer");
    until_text(&browser, "#trainer-task", "only one move wins");
    until_my_turn(&browser);
    // Nothing gives the solution away.
    assert_eq!(browser.text_of("#headline"), "Values are hidden");
    assert_eq!(count(&browser, "#moves .badge, .mark"), 0);
    assert!(is_disabled(&browser, "#main-line"));
    picture(&browser, "trainer-desktop");
    let best = move_from_server(&server, &browser, true);
    browser.click(&format!("#moves [data-move={best}]"));
    browser.until("/^Right!|^Won/.test(document.getElementById('trainer-task').textContent)");
    assert_eq!(browser.text_of("#trainer-score"), "Solved: 1 of 1. In a row: 1.");
    // The computer defends, until the game is over or the reader wants another one.
    browser.until("document.querySelectorAll('#record .main').length > 1 || /^Won/.test(document.getElementById('trainer-task').textContent)");

    browser.choose("#trainer-kind", "draw");
    until_text(&browser, "#trainer-task", "only one move draws");
    until_my_turn(&browser);
    let worst = move_from_server(&server, &browser, false);
    browser.click(&format!("#moves [data-move={worst}]"));
    until_text(&browser, "#trainer-task", "throws it away");
    assert_eq!(browser.text_of("#trainer-score"), "Solved: 1 of 2. In a row: 0.");
    browser.click("#trainer-close");
    until_my_turn(&browser);
    assert!(browser.text_of("#headline") != "Values are hidden");
    // A slice may have no such exercise; the next one is asked then.
    let complaints = browser.log();
    assert!(complaints.iter().all(|text| text.contains("/exercise?")), "{complaints:?}");
}
