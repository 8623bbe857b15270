//! The page in a real browser. Needs chromium and chromedriver (Debian: chromium, chromium-driver), so that
//! these tests are ignored unless asked for: cargo test --test suite page:: -- --ignored. Pictures go to
//! `target/screenshots`.

mod editor;
mod explore;
mod failures;
mod game;
mod keyboard;
mod layout;
mod play;
mod records;

use std::fs;
use std::path::PathBuf;

use crate::browser::Browser;
use crate::server::Server;

/// A won position of a few stones: d2-c3 wins in 23 plies.
const WON: &str = "?rules=classic&position=5/b4/3w1/3w1/5+w";

const ENTER: char = '\u{E007}';
const ESCAPE: char = '\u{E00C}';
const LEFT: char = '\u{E012}';
const RIGHT: char = '\u{E014}';
const TAB: char = '\u{E004}';
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

/// Waits until an element says this.
fn until_text(browser: &Browser, selector: &str, text: &str) {
    browser.until(&format!("document.querySelector({selector:?}).textContent.includes({text:?})"));
}

/// Waits until the board shows the position after so many moves, answered and at rest.
fn until_played(browser: &Browser, moves: usize) {
    browser.until(&format!(
        "document.querySelectorAll('#record [aria-current]').length === {} && \
         ({moves} === 0 || document.querySelector('#record [aria-current]').dataset.ply === '{moves}') && \
         !document.getElementById('headline').textContent.includes('…')",
        usize::from(moves > 0)
    ));
}

/// Waits until the reader can play a move.
fn until_my_turn(browser: &Browser) {
    browser.until("document.querySelector('#moves:not([inert]) li')");
}

fn count(browser: &Browser, selector: &str) -> u64 {
    browser.value(&format!("document.querySelectorAll({selector:?}).length")).as_u64().unwrap()
}

fn label(browser: &Browser, name: &str) -> String {
    browser.text(&format!("document.querySelector('{}').getAttribute('aria-label')", point(name)))
}

fn is_hidden(browser: &Browser, selector: &str) -> bool {
    browser.value(&format!("document.querySelector({selector:?}).hidden")) == true
}

fn is_disabled(browser: &Browser, selector: &str) -> bool {
    browser.value(&format!("document.querySelector({selector:?}).disabled")) == true
}

fn assert_content(browser: &Browser) {
    assert_eq!(browser.log(), Vec::<String>::new(), "complaints of the browser");
}

fn picture(browser: &Browser, name: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("screenshots");
    fs::create_dir_all(&folder).unwrap();
    browser.screenshot(&folder.join(format!("{name}.png")));
}
