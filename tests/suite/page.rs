//! The page in a real browser. Needs chromium and chromedriver (Debian: chromium, chromium-driver), so that these tests
//! are ignored unless asked for: cargo test --test suite page:: -- --ignored. Pictures go to `target/screenshots`.

use std::fs;
use std::path::PathBuf;

use crate::browser::Browser;
use crate::server::Server;

const ENTER: char = '\u{E007}';
const ESCAPE: char = '\u{E00C}';
const RIGHT: char = '\u{E014}';
const UP: char = '\u{E013}';

fn desktop() -> Browser {
    Browser::open(1280, 800, false)
}

fn phone() -> Browser {
    Browser::open(390, 844, true)
}

/// Opens the page with a position or, if that is empty, as it is.
fn visit(browser: &Browser, server: &Server, query: &str) {
    browser.visit(&format!("{}{query}", server.url));
}

fn point(name: &str) -> String {
    format!("[data-point={name}]")
}

/// Waits until the address says this.
fn until_address(browser: &Browser, part: &str) {
    browser.until(&format!("location.search.includes({part:?})"));
}

/// Waits until the board shows the position after so many moves, answered and at rest.
fn until_played(browser: &Browser, moves: usize) {
    browser.until(&format!(
        "document.querySelectorAll('#record [aria-current]').length === {} && \
         ({moves} === 0 || document.querySelector('#record [aria-current] .n').textContent === '{moves}')",
        usize::from(moves > 0)
    ));
}

fn label(browser: &Browser, name: &str) -> String {
    browser.text(&format!("document.querySelector('{}').getAttribute('aria-label')", point(name)))
}

fn assert_content(browser: &Browser) {
    assert_eq!(browser.log(), Vec::<String>::new(), "complaints of the browser");
}

fn picture(browser: &Browser, name: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("screenshots");
    fs::create_dir_all(&folder).unwrap();
    browser.screenshot(&folder.join(format!("{name}.png")));
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_game_is_played_by_hand() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "");
    assert_eq!(browser.text_of("h1"), "Alquerque");
    assert_eq!(browser.value("document.querySelectorAll('.stone').length"), 24);
    browser.until("document.querySelectorAll('#moves li').length === 4");
    picture(&browser, "start-desktop");

    // Moves have signs, values in words and marks on the board.
    visit(&browser, &server, "?rules=classic&position=5/b4/3w1/3w1/5+w");
    assert_eq!(browser.text_of("#headline"), "White wins in 23 plies");
    assert_eq!(browser.text_of("#moves .mv"), "d2-c3");
    assert_eq!(browser.text_of("#moves .badge"), "+");
    assert!(label(&browser, "d2").contains("wins in 23 plies"));
    browser.click(&point("d2"));
    browser.until("document.querySelectorAll('.mark').length >= 7");
    assert_eq!(
        browser.value(
            "[...document.querySelectorAll('.mark text')].filter(t => t.textContent === '+23').length"
        ),
        1
    );
    picture(&browser, "chosen-desktop");
    browser.click(&point("c3"));
    until_address(&browser, "moves=d2-c3");
    browser.until("document.getElementById('headline').textContent === 'White wins in 22 plies'");
    // The list plays too, dragging as well.
    browser.click("#moves [data-move=a4-a3]");
    until_address(&browser, "moves=d2-c3,a4-a3");
    until_played(&browser, 2);
    browser.until("document.querySelector('[data-stone=d3]')");
    browser.drag(&point("d3"), &point("d2"));
    until_address(&browser, "moves=d2-c3,a4-a3,d3-d2");
    until_played(&browser, 3);

    browser.click("#undo");
    browser.click("#undo");
    until_address(&browser, "at=1");
    until_played(&browser, 1);
    browser.click("#redo");
    until_address(&browser, "at=2");
    browser.click("#last");
    until_played(&browser, 3);
    browser.click("#first");
    until_address(&browser, "at=0");
    browser.until("document.getElementById('headline').textContent === 'White wins in 23 plies'");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_chain_is_entered_jump_by_jump() {
    let (server, browser) = (Server::start(&[]), desktop());
    let stones = |browser: &Browser| browser.value("document.querySelectorAll('.stone').length");
    visit(&browser, &server, "?rules=classic&position=5/1b1b1/5/1b3/w4+w");
    browser.click(&point("a1"));
    browser.until("document.querySelectorAll('.mark').length === 1");
    browser.click(&point("c3"));
    // After the first jump its stone is gone, and two ways are open.
    browser.until(
        "document.querySelector('[data-stone=c3]') && document.querySelectorAll('.mark').length === 2",
    );
    assert_eq!(stones(&browser), 3);
    assert!(!browser.text("location.search").contains("moves"));
    browser.click(&point("e5"));
    until_address(&browser, "moves=a1xc3xe5");
    until_played(&browser, 1);
    browser.until("document.querySelectorAll('.stone').length === 2");

    // A chain that was begun can be given up.
    visit(&browser, &server, "?rules=classic&position=5/1b1b1/5/1b3/w4+w");
    browser.click(&point("a1"));
    browser.click(&point("c3"));
    browser.until("document.querySelectorAll('.mark').length === 2");
    browser.press(ESCAPE);
    browser.until("document.querySelectorAll('.stone').length === 4");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_keyboard_suffices() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=classic&position=5/b4/3w1/3w1/5+w");
    browser.value("document.querySelector('[data-point=c3]').focus()");
    browser.press(RIGHT);
    assert_eq!(browser.text("document.activeElement.dataset.point"), "d3");
    browser.press(ENTER);
    assert!(label(&browser, "d3").contains("chosen"));
    browser.press(UP);
    assert!(label(&browser, "d4").contains("can be reached; wins in 25 plies"));
    browser.press(ENTER);
    until_address(&browser, "moves=d3-d4");
    until_played(&browser, 1);
    assert_eq!(browser.text("document.activeElement.dataset.point"), "d4");
    browser.press('u');
    until_address(&browser, "at=0");
    browser.press('f');
    until_address(&browser, "flip=1");
    browser.press('m');
    until_address(&browser, "mirror=1");
    let place =
        browser.value("['cx', 'cy'].map(k => document.querySelector('[data-point=a1]').getAttribute(k))");
    assert_eq!(place, serde_json::json!(["60", "60"]), "turned and mirrored, a1 is at the upper left");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_position_is_set_up() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=brainking&position=5/5/2w2/5/b4+w");
    browser.click("#edit");
    browser.until("!document.getElementById('editor').hidden");
    browser.click("[data-tool=forbid]");
    browser.click(&point("c3"));
    until_address(&browser, "position=5/5/2w2/5/b4+w+c3-b3");
    browser.until("document.querySelectorAll('#board .bar').length === 1");
    browser.click(&point("c3"));
    until_address(&browser, "c3-d3");
    browser.click("[data-tool=black]");
    browser.click(&point("e5"));
    until_address(&browser, "position=4b/5/2w2/5/b4+w+c3-d3");
    browser.click("[data-tool=erase]");
    browser.click(&point("a1"));
    until_address(&browser, "position=4b/5/2w2/5/5+w+c3-d3");
    browser.choose("#edit-side", "b");
    until_address(&browser, "+b+c3-d3");
    picture(&browser, "editor-desktop");

    browser.click("#edit-clear");
    browser.until("document.getElementById('edit-error').textContent.includes('no stone')");
    browser.value("document.getElementById('edit-text').value = '5/5/2w2/5/b4 w c3-b3'");
    browser.click("#edit-form button");
    browser.until("document.getElementById('edit-error').textContent === ''");
    until_address(&browser, "position=5/5/2w2/5/b4+w+c3-b3");
    browser.click("#edit-done");
    browser.until(
        "document.getElementById('editor').hidden && document.querySelectorAll('#moves li').length === 4",
    );
    assert_eq!(browser.text_of("#headline"), "White wins in 1 ply");
    // The refusal of the empty board is the only complaint there may be.
    let complaints = browser.log();
    assert!(complaints.iter().all(|text| text.contains("status of 400")), "{complaints:?}");

    // The counter exists under the rules that count.
    visit(&browser, &server, "?rules=youzai&position=5/1b3/5/5/2w2+w+-+49");
    browser.click("#edit");
    browser.until("!document.getElementById('edit-plies-field').hidden");
    browser.value(
        "(() => { const field = document.getElementById('edit-plies'); field.value = 50; \
         field.dispatchEvent(new Event('change')); })()",
    );
    browser.until("document.getElementById('headline').textContent === 'The game is drawn'");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_link_shows_the_same_board() {
    let (server, browser) = (Server::start(&[]), phone());
    let query = "?rules=classic&position=5/b4/3w1/3w1/5+w&moves=d2-c3,a4-a3,d3-d2&at=2&flip=1&lang=en";
    visit(&browser, &server, query);
    until_played(&browser, 2);
    assert!(browser.value("document.querySelector('[data-stone=a3]') !== null") == true);
    assert_eq!(browser.value("document.querySelectorAll('#record li').length"), 3);
    assert_eq!(browser.text("document.getElementById('flip').getAttribute('aria-pressed')"), "true");
    assert!(
        browser.value("document.documentElement.scrollWidth <= innerWidth") == true,
        "it is too wide for a phone"
    );
    picture(&browser, "link-phone");
    // Back and forward belong to the browser.
    browser.choose("#rules", "qirkat");
    until_address(&browser, "rules=qirkat");
    browser.value("history.back()");
    until_address(&browser, "rules=classic");
    until_played(&browser, 2);
    assert_content(&browser);

    // A link that makes no sense is told to be so.
    visit(&browser, &server, "?rules=classic&position=nonsense");
    assert!(browser.text_of("#headline").contains("unknown letter"));
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn rules_and_languages_change() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=classic&position=5/1b3/5/5/2w2+w");
    browser.choose("#rules", "youzai");
    until_address(&browser, "rules=youzai&position=5/1b3/5/5/2w2+w");
    browser.until("document.getElementById('rules-about').textContent.includes('50 plies')");
    let expected =
        [("hu", "Szabályok"), ("th", "กติกา"), ("tr", "Kurallar"), ("eo", "Reguloj"), ("vi", "Luật")];
    for (code, rules) in expected {
        browser.choose("#language", code);
        browser.until(&format!("document.documentElement.lang === {code:?}"));
        browser.until(&format!(
            "document.querySelector('[data-text=\"rules.label\"]').textContent === {rules:?}"
        ));
        assert!(
            browser.value("document.documentElement.scrollWidth <= innerWidth") == true,
            "{code} is too wide"
        );
        // No text is missing: keys would show.
        let shown = browser.text("document.body.innerText");
        assert!(!shown.contains("rules.") && !shown.contains("verdict."), "{shown}");
        picture(&browser, &format!("language-{code}"));
    }
    // The choice is remembered.
    visit(&browser, &server, "");
    assert_eq!(browser.text("document.documentElement.lang"), "vi");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn best_play_is_stepped_through_and_played_against() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=classic&position=5/b4/3w1/3w1/5+w");
    browser.click("#main-line");
    browser.until("document.querySelectorAll('#record li').length >= 22");
    let length = browser.value("document.querySelectorAll('#record li').length").as_u64().unwrap() as usize;
    assert_eq!(length, 23);
    browser.click("#redo");
    until_played(&browser, 1);
    browser.click("#redo");
    until_played(&browser, 2);
    picture(&browser, "line-desktop");
    browser.click("#last");
    until_played(&browser, length);
    browser.until("document.getElementById('headline').textContent === 'White has won'");

    // Black against the perfect White: whatever Black does, the win takes no longer than the tables say.
    visit(&browser, &server, "?rules=classic&position=5/b4/3w1/3w1/5+w&play=black");
    for ply in 1.. {
        browser.until(&format!(
            "document.querySelectorAll('#record li').length >= {ply} || \
             document.getElementById('headline').textContent === 'White has won'"
        ));
        browser.until(
            "document.querySelectorAll('#moves li').length > 0 || \
             document.getElementById('headline').textContent === 'White has won'",
        );
        if browser.text_of("#headline") == "White has won" {
            break;
        }
        browser.click("#moves li:last-child button");
        browser.until(&format!(
            "document.querySelectorAll('#record li').length >= {} && document.querySelectorAll('#moves li').length > 0 || \
             document.getElementById('headline').textContent === 'White has won'",
            2 * ply + 1
        ));
        assert!(ply < 20);
    }
    assert!(browser.value("document.querySelectorAll('#record li').length").as_u64().unwrap() <= 23);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn where_no_table_reaches_a_search_says_what_it_thinks() {
    let (server, browser) = (Server::start(&["--search-time", "300"]), desktop());
    visit(&browser, &server, "?rules=classic&position=start");
    browser.until("document.getElementById('detail').textContent.includes('estimate by search')");
    assert_eq!(browser.value("document.querySelectorAll('#moves .badge.estimate').length"), 4);
    assert_eq!(browser.value("document.getElementById('main-line').disabled"), false);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_tables_are_shown_and_lead_to_their_longest_wins() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "");
    browser.click("#open-tables");
    browser.until("document.querySelectorAll('#tables tbody tr').length > 15");
    let charts = browser.value("document.querySelectorAll('#tables .stack[aria-label]').length");
    assert_eq!(charts, browser.value("document.querySelectorAll('#tables tbody tr').length"));
    picture(&browser, "tables-desktop");
    // 2v2 of classic.
    browser.click("#tables tbody tr:nth-child(5) button");
    browser.until("!document.getElementById('tables').open");
    browser.until("document.getElementById('headline').textContent.endsWith('wins in 35 plies')");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn boards_can_be_taken_elsewhere() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=classic&position=5/b4/3w1/3w1/5+w");
    // What is copied is caught where the clipboard would be.
    browser.value(
        "(() => { window.copied = []; Object.defineProperty(navigator, 'clipboard', \
         { value: { writeText: async (text) => { window.copied.push(text); } } }); })()",
    );
    for (index, id) in ["link", "text", "svg"].iter().enumerate() {
        browser.click(&format!("#copy-{id}"));
        browser.until(&format!("window.copied.length === {}", index + 1));
    }
    assert_eq!(browser.text("window.copied[0]"), browser.text("location.href"));
    assert_eq!(browser.text("window.copied[1]"), "5/b4/3w1/3w1/5 w - 0");
    assert!(browser.text("window.copied[2]").starts_with("<svg"));
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn it_is_small_and_soon_there() {
    let (server, browser) = (Server::start(&[]), desktop());
    let query = "?rules=classic&position=5/b4/3w1/3w1/5+w";
    browser.tool("Network.enable", serde_json::json!({}));
    browser.tool("Network.setCacheDisabled", serde_json::json!({ "cacheDisabled": true }));
    // The best of five: how soon it can be, not how busy the machine is.
    let mut best = f64::MAX;
    for _ in 0..5 {
        visit(&browser, &server, query);
        let usable = browser.value(
            "performance.getEntriesByName('usable')[0].startTime - \
             performance.getEntriesByType('navigation')[0].responseStart",
        );
        best = best.min(usable.as_f64().unwrap());
    }
    let bytes = browser.value(
        "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]\
         .reduce((sum, entry) => sum + entry.decodedBodySize, 0)",
    );
    println!("usable {best:.0} ms after the first byte, {bytes} bytes in all, uncompressed");
    // How soon is a matter for a release build on a quiet machine; anywhere it must not take seconds.
    assert!(best < if cfg!(debug_assertions) { 3000.0 } else { 300.0 }, "{best} ms");
    assert!(bytes.as_f64().unwrap() < 150_000.0, "{bytes} bytes");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn it_fits_a_phone_in_the_dark() {
    let (server, browser) = (Server::start(&[]), phone());
    visit(&browser, &server, "?rules=classic&position=5/b4/3w1/3w1/5+w");
    assert!(browser.value("document.documentElement.scrollWidth <= innerWidth") == true);
    // What must be touched is large enough, and the verdict is in sight.
    let low = browser.value(
        "Math.min(...[...document.querySelectorAll('button, select')].filter(b => b.offsetParent)\
         .map(b => b.getBoundingClientRect().height))",
    );
    assert!(low.as_f64().unwrap() >= 32.0, "{low}");
    assert!(
        browser.value("document.getElementById('headline').getBoundingClientRect().bottom < innerHeight")
            == true
    );
    browser.click(&point("d2"));
    picture(&browser, "chosen-phone");
    assert_content(&browser);
}
