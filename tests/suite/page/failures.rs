//! What goes wrong leaves the board as it was.

use super::*;

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_board_survives_the_network() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, WON);
    until_my_turn(&browser);
    browser.set_offline(true);
    browser.click("#moves li:last-child button");
    until_text(&browser, "#headline", "The server cannot be reached");
    assert_eq!(count(&browser, ".stone"), 3);
    assert!(!is_hidden(&browser, "#retry"));
    picture(&browser, "offline-desktop");
    // It comes back by itself when the network does, or by the button.
    browser.set_offline(false);
    browser.value("document.getElementById('retry').hidden || document.getElementById('retry').click()");
    until_text(&browser, "#headline", "White wins in");
    until_played(&browser, 1);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn moves_up_to_a_bad_one_are_shown() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=classic&position=start&moves=c2-c3,c4xc2,zz,a1-a2");
    until_text(&browser, "#headline", "zz");
    assert_eq!(count(&browser, ".stone"), 23);
    assert!(browser.value("!!document.querySelector('[data-stone=c2]')") == true);
    // One can go on from there.
    browser.click("#undo");
    until_played(&browser, 1);
    assert_eq!(count(&browser, ".stone"), 24);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn rules_and_positions_that_do_not_exist_are_told() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, "?rules=chess");
    until_text(&browser, "#headline", "There are no rules called ‘chess’");
    assert!(browser.text("location.search").contains("rules=chess"), "they are not taken for others");
    // Nothing is there to be copied.
    for id in ["#copy-text", "#copy-svg", "#save-png"] {
        assert!(is_disabled(&browser, id), "{id}");
    }
    browser.choose("#rules", "classic");
    until_my_turn(&browser);
    assert_eq!(count(&browser, ".stone"), 24);

    visit(&browser, &server, "?rules=classic&position=nonsense");
    assert!(browser.text_of("#headline").contains("unknown letter"));
    // In other languages the sentence is translated, and the server's words follow.
    visit(&browser, &server, "?rules=classic&position=nonsense&lang=hu");
    until_text(&browser, "#headline", "A kiszolgáló ezt nem érti");
    assert!(browser.text_of("#detail").contains("unknown letter"));
    assert_eq!(browser.text("document.getElementById('detail').lang"), "en");
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn superseded_questions_are_given_up() {
    let (server, browser) = (Server::start(&["--search-time", "2000"]), desktop());
    let moves = "c2-c3,c4xc2,c1xc3,a3xc1,c3xa3,c5-c4,a3xc5xc3,d4xb2,a2xc2,c1xc3";
    visit(&browser, &server, &format!("?rules=classic&position=start&moves={moves}&at=0"));
    // What happens to every request.
    browser.value(
        "(() => { window.fates = []; const real = window.fetch; window.fetch = async (url, options) => { \
         const fate = { url: String(url), end: 'open' }; window.fates.push(fate); \
         try { const answer = await real(url, options); fate.end = 'answered'; return answer; } \
         catch (error) { fate.end = error.name; throw error; } }; })()",
    );
    for at in 1..=10 {
        browser.click("#redo");
        until_address(&browser, if at < 10 { "at=" } else { "moves=" });
    }
    until_played(&browser, 10);
    let searches = "window.fates.filter(({ url }) => url.includes('search='))";
    browser.until(&format!("{searches}.some(({{ end }}) => end === 'answered')"));
    browser.until(&format!("{searches}.every(({{ end }}) => end !== 'open')"));
    // Only the position that stays on the board is searched to the end.
    let done = browser.value(&format!("{searches}.filter(({{ end }}) => end === 'answered').length"));
    assert_eq!(done, 1, "{}", browser.value("window.fates"));
}
