//! Setting up a position.

use super::*;

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
    until_text(&browser, "#edit-error", "no stone");
    browser.fill("#edit-text", "5/5/2w2/5/b4 w c3-b3");
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
    browser.fill("#edit-plies", "50");
    until_text(&browser, "#headline", "The game is drawn");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_game_survives_the_editor() {
    let (server, browser) = (Server::start(&[]), desktop());
    let game = format!("{WON}&moves=d2-c3,a4-a3,d3-d2");
    visit(&browser, &server, &game);
    until_played(&browser, 3);
    // Nothing was edited.
    browser.click("#edit");
    browser.until("!document.getElementById('editor').hidden");
    browser.click("#edit-done");
    browser.until("document.getElementById('editor').hidden");
    until_played(&browser, 3);
    // What was edited is given up, or left by the browser's Back.
    browser.click("#edit");
    browser.click("#edit-swap");
    browser.until("!location.search.includes('moves')");
    browser.click("#edit-cancel");
    until_address(&browser, "moves=d2-c3,a4-a3,d3-d2");
    until_played(&browser, 3);
    browser.click("#edit");
    browser.click("#edit-swap");
    browser.until("!location.search.includes('moves')");
    browser.click("#edit-mirror");
    browser.until("document.querySelector('[data-stone=e3]')");
    browser.value("history.back()");
    until_address(&browser, "moves=d2-c3,a4-a3,d3-d2");
    until_played(&browser, 3);
    assert!(is_hidden(&browser, "#editor"));
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_was_typed_is_not_lost() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, WON);
    browser.click("#edit");
    browser.fill("#edit-text", "5/b4/3w1/3x1/5 w");
    browser.click("#edit-form button");
    until_text(&browser, "#edit-error", "unknown letter");
    assert_eq!(browser.text("document.getElementById('edit-text').value"), "5/b4/3w1/3x1/5 w");
    assert_eq!(count(&browser, ".stone"), 3, "the draft stays");
    // Done takes over what was typed, or says why it cannot.
    browser.click("#edit-done");
    until_text(&browser, "#edit-error", "unknown letter");
    assert!(!is_hidden(&browser, "#editor"));
    browser.fill("#edit-text", "5/b4/3w1/5/5 w");
    browser.click("#edit-done");
    browser.until(
        "document.getElementById('editor').hidden && document.querySelectorAll('.stone').length === 2",
    );
    until_address(&browser, "position=5/b4/3w1/5/5+w");
    let complaints = browser.log();
    assert!(complaints.iter().all(|text| text.contains("status of 400")), "{complaints:?}");
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_position_is_mirrored_and_its_colours_swapped() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=brainking&position=5/b4/3w1/5/5+w+d3-c3");
    browser.click("#edit");
    browser.click("#edit-swap");
    until_address(&browser, "position=5/w4/3b1/5/5+b+d3-c3");
    browser.click("#edit-mirror");
    until_address(&browser, "position=5/4w/1b3/5/5+b+b3-c3");
    browser.click("#edit-turn");
    until_address(&browser, "position=5/5/3b1/w4/5+b+d3-c3");
    assert_content(&browser);
}
