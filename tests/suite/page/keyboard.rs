//! The page without a mouse, and with a screen reader.

use super::*;

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_keyboard_suffices() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, WON);
    until_my_turn(&browser);
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
fn keys_work_everywhere() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, &format!("{WON}&moves=d2-c3,a4-a3,d3-d2"));
    until_played(&browser, 3);
    // Nothing has the focus. Letters count in either case.
    browser.press(LEFT);
    until_played(&browser, 2);
    browser.press('U');
    until_played(&browser, 1);
    browser.press(RIGHT);
    until_played(&browser, 2);
    browser.press('?');
    browser.until("document.getElementById('help').open");
    assert!(count(&browser, "#help-list dt") > 10);
    picture(&browser, "keys-desktop");
    browser.press(ESCAPE);
    browser.until("!document.getElementById('help').open");
    // Where one types they are letters.
    browser.value("document.getElementById('notes').open = true");
    browser.value("document.getElementById('notes-comment').focus()");
    browser.press('f');
    browser.press('u');
    assert_eq!(browser.text("document.getElementById('notes-comment').value"), "fu");
    assert!(!browser.text("location.search").contains("flip"));
    // They can be turned off.
    browser.value("document.activeElement.blur()");
    browser.press('?');
    browser.click("#help-letters");
    browser.press(ESCAPE);
    browser.press('f');
    browser.press(LEFT);
    until_played(&browser, 1);
    assert!(!browser.text("location.search").contains("flip"));
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_board_is_one_tab_stop() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, WON);
    until_my_turn(&browser);
    browser.press(TAB);
    assert_eq!(browser.text("document.activeElement.id"), "skip");
    browser.press(ENTER);
    assert_eq!(browser.text("document.activeElement.dataset.point"), "c3");
    browser.press(RIGHT);
    assert_eq!(browser.text("document.activeElement.dataset.point"), "d3");
    // All stops in order: no SVG is one, and each has a name.
    browser.value("document.activeElement.blur()");
    browser.value("document.querySelector('h1').scrollIntoView()");
    let mut stops = Vec::new();
    browser.value("document.getElementById('skip').focus()");
    for _ in 0..60 {
        browser.press(TAB);
        let stop = browser.text(
            "(() => { const e = document.activeElement; const name = e.getAttribute('aria-label') || e.textContent.trim() || \
             e.closest('label')?.textContent || (e.labels?.[0]?.textContent ?? ''); \
             return e === document.body ? '' : `${e.id || e.dataset.point || e.tagName}: ${name}`; })()",
        );
        if stop.is_empty() {
            break;
        }
        assert!(!stop.to_lowercase().starts_with("svg"), "{stop}");
        assert!(!stop.ends_with(": "), "a stop without a name: {stop}");
        stops.push(stop);
    }
    let position = |name: &str| stops.iter().position(|stop| stop.starts_with(name)).unwrap();
    assert!(position("rules") < position("d3"), "{stops:?}");
    assert!(position("d3") < position("edit") && position("edit") < position("show-values"), "{stops:?}");
    assert_eq!(stops.iter().filter(|stop| stop.starts_with("d3:")).count(), 1);
    assert_content(&browser);
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn everything_has_a_name_for_a_screen_reader() {
    let (server, browser) = (Server::start(&[]), desktop());
    visit(&browser, &server, &format!("{WON}&moves=d2-c3,a4-a3,d3-d2"));
    until_played(&browser, 3);
    let nameless = browser.value(
        "[...document.querySelectorAll('button, select, input, textarea, [role=slider], [role=button], [role=group], dialog, nav')] \
         .filter((e) => { const by = e.getAttribute('aria-labelledby'); \
         const name = e.getAttribute('aria-label') || (by && document.getElementById(by)?.textContent) || e.textContent.trim() \
         || [...(e.labels ?? [])].map((l) => l.textContent).join(''); return !name?.trim() && e.type !== 'file'; }) \
         .map((e) => e.outerHTML.slice(0, 120))",
    );
    assert_eq!(nameless, serde_json::json!([]));
    // Ids are used once, and what refers to one finds it.
    let wrong = browser.value(
        "[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i) \
         .concat([...document.querySelectorAll('[aria-labelledby], [aria-describedby]')] \
         .map((e) => e.getAttribute('aria-labelledby') ?? e.getAttribute('aria-describedby')).filter((id) => !document.getElementById(id)))",
    );
    assert_eq!(wrong, serde_json::json!([]));
    assert_eq!(browser.text("document.getElementById('verdict').getAttribute('aria-live')"), "polite");
    assert_content(&browser);
}
