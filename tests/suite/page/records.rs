//! Games and boards that come in and go out.

use super::*;

/// Catches what is copied where the clipboard would be, and what is saved where the files would be.
pub(super) fn catch(browser: &Browser) {
    browser.value(
        "(() => { window.copied = []; window.saved = []; Object.defineProperty(navigator, 'clipboard', \
         { value: { writeText: async (text) => { window.copied.push(text); } } }); \
         URL.createObjectURL = (blob) => { window.saved.push(blob); return 'data:,'; }; \
         HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; })()",
    );
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn boards_can_be_taken_elsewhere() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, WON);
    until_my_turn(&browser);
    catch(&browser);
    for (index, id) in ["link", "text", "svg", "record"].iter().enumerate() {
        browser.click(&format!("#copy-{id}"));
        browser.until(&format!("window.copied.length === {}", index + 1));
    }
    assert_eq!(browser.text("window.copied[0]"), browser.text("location.href"));
    assert_eq!(browser.text("window.copied[1]"), "5/b4/3w1/3w1/5 w - 0");
    assert!(browser.text("window.copied[2]").starts_with("<svg"));
    assert!(browser.text("window.copied[3]").contains("[FEN \"5/b4/3w1/3w1/5 w\"]"));
    // The diagram as PNG: eight bytes say what it is.
    browser.click("#save-png");
    browser.until("window.saved.length === 1");
    assert_eq!(browser.text("window.savedAs"), "alquerque-classic.png");
    assert_eq!(browser.text("window.saved[0].type"), "image/png");
    assert!(browser.value("window.saved[0].size").as_u64().unwrap() > 5_000);
    assert_content(&browser);
}

const RECORD: &str = "[Event \"Test\"]\n[White \"Ada\"]\n[Rules \"classic\"]\n\n{A short one.} 1. c2-c3! c4xc2 {forced} \
                      2. c1xc3 (2. b1xd3 $2 {illegal or not, the server says}) 2... a3xc1 *\n";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_record_is_pasted_and_exported() {
    let (server, browser) = (Server::start(&["--search-time", "50"]), desktop());
    visit(&browser, &server, "");
    until_my_turn(&browser);
    browser.paste(RECORD);
    browser.until("document.querySelectorAll('#record .main').length === 4");
    until_text(&browser, "#share-note", "4 plies");
    assert_eq!(browser.text_of("#record .comment"), "A short one.");
    assert_eq!(browser.text_of("#record .nag"), "!");
    assert_eq!(browser.text_of("#record-tags"), "Ada – ?, Test");
    browser.click("#last");
    until_played(&browser, 4);
    picture(&browser, "record-desktop");
    catch(&browser);
    browser.click("#copy-record");
    browser.until("window.copied.length === 1");
    let written = browser.text("window.copied[0]");
    for part in [
        "[Event \"Test\"]",
        "[White \"Ada\"]",
        "{A short one.} 1. c2-c3 $1 c4xc2 {forced} 2. c1xc3",
        "$2 {illegal",
    ] {
        assert!(written.replace('\n', " ").contains(part), "{part} is not in {written}");
    }
    // What was written is read again.
    visit(&browser, &server, "");
    until_my_turn(&browser);
    browser.paste(&written);
    browser.until("document.querySelectorAll('#record .main').length === 4");
    catch(&browser);
    browser.click("#copy-record");
    browser.until("window.copied.length === 1");
    assert_eq!(browser.text("window.copied[0]"), written);

    // A position is pasted too; what is neither is told to be so.
    browser.paste("5/b4/3w1/3w1/5 w");
    until_address(&browser, "position=5/b4/3w1/3w1/5+w");
    browser.paste("hello");
    until_text(&browser, "#share-note", "no game in this text");
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn games_of_a_file_are_chosen_from_and_faults_are_told() {
    let (server, browser) = (Server::start(&["--search-time", "50"]), desktop());
    visit(&browser, &server, "");
    until_my_turn(&browser);
    browser.paste("[White \"Ada\"]\n\n1. c2-c3 c4xc2 2. oops c1xc3 *\n\n[White \"Bo\"]\n\n1. d2-c3 *\n");
    browser.until("document.getElementById('records').open");
    assert_eq!(count(&browser, "#records-list li"), 2);
    browser.click("#records-list button");
    browser.until("document.querySelectorAll('#record .main').length === 2");
    until_text(&browser, "#share-note", "oops");
    // A file that is dropped.
    browser.value(
        "(() => { const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File(['1. d2-c3 b4xd2 2. e1xc3'], 'a.pgn')); \
         document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })); })()",
    );
    browser.until("document.querySelectorAll('#record .main').length === 3");
    assert_content(&browser);
}
