//! Entering moves by mouse and finger, and playing against the computer.

use super::*;

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_game_is_played_by_hand() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "");
    assert_eq!(browser.text_of("h1"), "Alquerque");
    assert_eq!(count(&browser, ".stone"), 24);
    browser.until("document.querySelectorAll('#moves li').length === 4");
    picture(&browser, "start-desktop");

    // Moves have signs, values in words and marks on the board; so has the title.
    visit(&browser, &server, WON);
    assert_eq!(browser.text_of("#headline"), "White wins in 23 plies");
    assert_eq!(browser.text_of("title"), "White wins in 23 plies · Alquerque");
    assert_eq!(browser.text_of("#moves .mv"), "d2-c3");
    assert_eq!(browser.text_of("#moves .badge"), "+");
    assert!(label(&browser, "d2").contains("wins in 23 plies"));
    browser.click(&point("d2"));
    browser.until("document.querySelectorAll('.mark').length >= 7");
    let best = "[...document.querySelectorAll('.mark text')].filter(t => t.textContent === '+23').length";
    assert_eq!(browser.value(best), 1);
    picture(&browser, "chosen-desktop");
    browser.click(&point("c3"));
    until_address(&browser, "moves=d2-c3");
    until_text(&browser, "#headline", "White wins in 22 plies");
    assert_eq!(browser.text_of("title"), "White wins in 22 plies · d2-c3 · Alquerque");
    // The list plays too, dragging as well.
    browser.click("#moves [data-move=a4-a3]");
    until_address(&browser, "moves=d2-c3,a4-a3");
    until_played(&browser, 2);
    until_my_turn(&browser);
    browser.drag(&point("d3"), &point("d2"));
    until_address(&browser, "moves=d2-c3,a4-a3,d3-d2");
    until_played(&browser, 3);

    browser.click("#undo");
    until_played(&browser, 2);
    browser.click("#undo");
    until_address(&browser, "at=1");
    until_played(&browser, 1);
    browser.click("#redo");
    until_address(&browser, "at=2");
    browser.click("#last");
    until_played(&browser, 3);
    browser.click("#first");
    until_address(&browser, "at=0");
    until_text(&browser, "#headline", "White wins in 23 plies");
    assert_content(&browser);
}

const CHAIN: &str = "?rules=classic&position=5/1b1b1/5/1b3/w4+w";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_chain_is_entered_jump_by_jump() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, CHAIN);
    browser.click(&point("a1"));
    browser.until("document.querySelectorAll('.mark').length === 1");
    browser.click(&point("c3"));
    // After the first jump its stone is gone, and two ways are open.
    browser.until(
        "document.querySelector('[data-stone=c3]') && document.querySelectorAll('.mark').length === 2",
    );
    assert_eq!(count(&browser, ".stone"), 3);
    assert!(!browser.text("location.search").contains("moves"));
    browser.click(&point("e5"));
    until_address(&browser, "moves=a1xc3xe5");
    until_played(&browser, 1);
    browser.until("document.querySelectorAll('.stone').length === 2");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_chain_can_be_given_up() {
    let (server, browser) = (Server::start(&[]), phone());
    let begin = || {
        visit(&browser, &server, CHAIN);
        browser.tap(&point("a1"));
        browser.until("document.querySelectorAll('.mark').length === 1");
        browser.tap(&point("c3"));
        browser.until("document.querySelectorAll('.mark').length === 2");
        assert!(!is_hidden(&browser, "#chain"));
    };
    let given_up = || {
        browser.until(
            "document.querySelectorAll('.stone').length === 4 && document.getElementById('chain').hidden",
        );
        assert!(!browser.text("location.search").contains("moves"));
    };
    // By touch there is a button, and the stone itself takes the last jump back; with a keyboard there is
    // Escape.
    begin();
    picture(&browser, "chain-phone");
    browser.tap("#chain-cancel");
    given_up();
    begin();
    browser.tap(&point("c3"));
    given_up();
    begin();
    browser.press(ESCAPE);
    given_up();
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_stone_is_dragged_straight_to_the_end_of_a_chain() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, CHAIN);
    until_my_turn(&browser);
    browser.drag(&point("a1"), &point("e5"));
    until_address(&browser, "moves=a1xc3xe5");
    until_played(&browser, 1);
    browser.until("document.querySelectorAll('.stone').length === 2");

    // Two clicks do as well.
    visit(&browser, &server, CHAIN);
    browser.click(&point("a1"));
    browser.click(&point("a5"));
    until_address(&browser, "moves=a1xc3xa5");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn swipes_step_through_the_game() {
    let (server, browser) = (Server::start(&[]), phone());
    visit(&browser, &server, &format!("{WON}&moves=d2-c3,a4-a3,d3-d2"));
    until_played(&browser, 3);
    browser.swipe(&point("b4"), 120);
    until_played(&browser, 2);
    browser.swipe(&point("b4"), 120);
    until_played(&browser, 1);
    browser.swipe(&point("d4"), -120);
    until_played(&browser, 2);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn best_play_is_stepped_through_and_played_against() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, WON);
    browser.click("#main-line");
    browser.until("document.querySelectorAll('#record .main').length >= 22");
    let length = count(&browser, "#record .main");
    assert_eq!(length, 23);
    browser.click("#redo");
    until_played(&browser, 1);
    browser.click("#redo");
    until_played(&browser, 2);
    picture(&browser, "line-desktop");
    browser.click("#last");
    until_text(&browser, "#headline", "White has won");
    // The winner's stone stands beside it: no minus of the side to move.
    assert_eq!(browser.text_of("#verdict-badge"), "+");
    assert!(browser.value("document.getElementById('verdict-badge').classList.contains('white')") == true);

    // Black against the perfect White: whatever Black does, the win takes no longer than the tables say.
    visit(&browser, &server, &format!("{WON}&play=black"));
    until_text(&browser, "#play-note", "plays perfectly");
    let over = "document.getElementById('headline').textContent === 'White has won'";
    for ply in 1.. {
        browser.until(&format!("document.querySelector('#moves:not([inert]) li') || {over}"));
        if browser.value(over) == true {
            break;
        }
        browser.click("#moves li:last-child button");
        browser
            .until(&format!("document.querySelectorAll('#record .main').length > {} || {over}", 2 * ply - 1));
        assert!(ply < 20);
    }
    assert!(count(&browser, "#record .main") <= 23);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_opponent_does_not_think_in_the_middle_of_the_game() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, &format!("{WON}&moves=d2-c3,a4-a3,d3-d2&play=black"));
    until_my_turn(&browser);
    browser.click("#first");
    until_text(&browser, "#moves-note", "You are looking back");
    // He can be asked to go on from here.
    browser.click("#continue");
    until_played(&browser, 1);
    until_my_turn(&browser);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn where_no_table_reaches_a_search_says_what_it_thinks_and_for_whom() {
    let (server, browser) = (Server::start(&["--search-time", "300"]), desktop());
    // Black is a stone up, whoever is to move.
    for side in ["w", "b"] {
        visit(&browser, &server, &format!("?rules=classic&position=bbbbb/b4/5/4w/1wwww+{side}"));
        until_text(&browser, "#detail", "estimate by search");
        assert!(browser.text_of("#headline").starts_with("Unproven: Black is ahead"), "{side}");
    }
    visit(&browser, &server, "?rules=classic&position=start&play=black");
    until_text(&browser, "#play-note", "Nothing is proven here");
    assert!(!browser.text_of("#player").contains("perfect"));
    assert_content(&browser);
}
