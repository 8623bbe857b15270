//! The game: variations, comments, marks, the chart, and the steps of the browser.

use super::*;

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_link_shows_the_same_board() {
    let (server, browser) = (Server::start(&[]), phone());
    visit(&browser, &server, &format!("{WON}&moves=d2-c3,a4-a3,d3-d2&at=2&flip=1&lang=en"));
    until_played(&browser, 2);
    assert!(browser.value("document.querySelector('[data-stone=a3]') !== null") == true);
    assert_eq!(count(&browser, "#record .main"), 3);
    assert_eq!(browser.text("document.getElementById('flip').getAttribute('aria-pressed')"), "true");
    picture(&browser, "link-phone");
    browser.choose("#rules", "qirkat");
    until_address(&browser, "rules=qirkat");
    browser.value("history.back()");
    until_address(&browser, "rules=classic");
    until_played(&browser, 2);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn back_steps_through_positions() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, WON);
    until_my_turn(&browser);
    for (played, mv) in ["d2-c3", "a4-a3", "d3-d2"].iter().enumerate() {
        browser.click(&format!("#moves [data-move={mv}]"));
        until_played(&browser, played + 1);
        until_my_turn(&browser);
    }
    for played in [2, 1, 0] {
        browser.value("history.back()");
        until_played(&browser, played);
    }
    // Nothing is lost on the way.
    assert_eq!(count(&browser, "#record .main"), 3);
    browser.value("history.forward()");
    until_played(&browser, 1);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn variations_comments_and_marks_are_kept() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, &format!("{WON}&moves=d2-c3,a4-a3,d3-d2&at=1"));
    until_played(&browser, 1);
    until_my_turn(&browser);
    browser.click("#moves [data-move=a4-a5]");
    until_played(&browser, 2);
    assert_eq!(count(&browser, "#record .variation button"), 1);
    assert_eq!(count(&browser, "#record .main"), 3);
    browser.click("#notes summary");
    browser.click("#notes-marks [data-nag='2']");
    browser.fill("#notes-comment", "Runs into the corner.");
    until_text(&browser, "#record .variation .comment", "Runs into the corner.");
    assert_eq!(browser.text_of("#record .variation .nag"), "?");
    picture(&browser, "variations-desktop");
    // The address holds all of it.
    let address = browser.text("location.search");
    visit(&browser, &server, &address);
    until_played(&browser, 2);
    until_text(&browser, "#record .variation .comment", "Runs into the corner.");
    // The variation becomes the main line, and the other one is deleted.
    browser.click("#notes summary");
    browser.click("#notes-promote");
    browser
        .until("document.querySelector('#record .main:nth-child(2) button').textContent.includes('a4-a5')");
    assert_eq!(count(&browser, "#record .variation button"), 2);
    browser.click("#record .variation button");
    browser.until("document.querySelector('#record [aria-current]').textContent.includes('a4-a3')");
    browser.click("#notes-remove");
    browser.until("!document.querySelector('#record .variation')");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_game_is_reviewed() {
    let (server, browser) = (Server::start(&[]), desktop());
    // Only e2-e3 wins.
    visit(&browser, &server, "?rules=classic&position=5/3b1/3b1/4w/3w1+w");
    until_my_turn(&browser);
    browser.click("#moves [data-move=d1-c1]");
    until_played(&browser, 1);
    browser.until("document.querySelector('#record .nag.blunder')");
    assert_eq!(browser.text_of("#record .nag.blunder"), "??");
    until_text(&browser, "#record-summary", "White: 1 result thrown away");
    // The marks go along with the record.
    super::records::catch(&browser);
    browser.click("#copy-record");
    browser.until("window.copied.length === 1");
    assert!(browser.text("window.copied[0]").contains("1. d1-c1 $4"));
    // The chart has a bar for each position and leads to it.
    let bars = "document.querySelectorAll('#chart [class^=bar]').length === 2";
    browser.until(bars);
    assert!(count(&browser, "#chart .bar-white") == 1);
    browser.value("document.getElementById('chart').focus()");
    browser.press(LEFT);
    until_played(&browser, 0);
    assert_eq!(browser.text("document.getElementById('chart').getAttribute('aria-valuenow')"), "0");
    // Why not? The answer is a line that can be kept.
    browser.click("li:has([data-move=d1-c1]) .why");
    until_text(&browser, "#whynot", "d1-c1: Draw. The best move is e2-e3: wins in 33 plies.");
    picture(&browser, "why-desktop");
    browser.click("#whynot button");
    browser.until("document.getElementById('whynot').hidden");
    browser.until("document.querySelectorAll('#record button').length > 2");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_game_plays_itself() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, &format!("{WON}&moves=d2-c3,a4-a3,d3-d2&at=0"));
    until_my_turn(&browser);
    browser.choose("#speed", "500");
    browser.click("#autoplay");
    until_played(&browser, 2);
    browser.click("#autoplay");
    let pressed = "document.getElementById('autoplay').getAttribute('aria-pressed')";
    assert_eq!(browser.text(pressed), "false");
    browser.click("#autoplay");
    until_played(&browser, 3);
    browser.until(&format!("{pressed} === 'false'"));
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_repetition_counts() {
    let (server, browser) = (Server::start(&[]), desktop());
    // By the tables a5-a4 loses, but the position occurs for the third time with it.
    visit(&browser, &server, &format!("{WON}&moves=d2-e2,a4-a5,e2-d2,a5-a4,d2-e2,a4-a5,e2-d2"));
    until_my_turn(&browser);
    assert_eq!(browser.text_of("#headline"), "Draw with best play");
    until_text(&browser, "#detail", "a repetition saves the loser");
    until_text(&browser, "#moves [data-move=a5-a4]", "draw by repetition");
    assert_content(&browser);
}
