//! Chromium without a window, driven through chromedriver: the few commands of the WebDriver protocol that
//! the tests need.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Longest wait for something to appear on a page.
const PATIENCE: Duration = Duration::from_secs(15);

/// The name under which the protocol hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Held by the one browser that there is at a time: several would not fit into the memory of a small machine,
/// nor leave each other time.
static ONLY: Mutex<()> = Mutex::new(());

/// A browser; it ends when this goes out of scope.
pub struct Browser {
    driver: Child,
    session: String,
    agent: ureq::Agent,
    _profile: TempDir,
    _only: MutexGuard<'static, ()>,
}

impl Browser {
    /// A new browser with a window of this size, as a phone or a computer has it, in light or dark. Waits
    /// until no other test has one.
    pub fn open(width: u32, height: u32, dark: bool) -> Browser {
        let only = ONLY.lock().unwrap_or_else(PoisonError::into_inner);
        let mut driver =
            Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn().unwrap_or_else(
                |error| panic!("chromedriver: {error}; install chromium and chromium-driver"),
            );
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let started = lines.map_while(Result::ok).find(|line| line.contains("started successfully on port"));
        let started = started.expect("chromedriver has not started");
        let port = started.rsplit(' ').next().unwrap().trim_end_matches('.').to_owned();
        let profile = TempDir::new().unwrap();
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .new_agent();
        let session = format!("http://127.0.0.1:{port}/session");
        let mut browser = Browser { driver, session, agent, _profile: profile, _only: only };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--renderer-process-limit=1",
            "--js-flags=--max-old-space-size=256",
            "--lang=en",
        ];
        let mut arguments: Vec<String> = arguments.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", browser._profile.path().display()));
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }}});
        let created = browser.post("", &capabilities);
        let id = created["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {created}"));
        browser.session = format!("{}/{id}", browser.session);
        browser.resize(width, height);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.tool("Emulation.setEmulatedMedia", features);
        browser
    }

    /// Gives the window another size.
    pub fn resize(&self, width: u32, height: u32) {
        let mobile = width < 600;
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.tool("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Cuts the network off, or connects it again.
    pub fn set_offline(&self, offline: bool) {
        self.tool("Network.enable", json!({}));
        let rate =
            json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.tool("Network.emulateNetworkConditions", rate);
    }

    fn post(&self, path: &str, body: &Json) -> Json {
        let url = format!("{}{path}", self.session);
        let mut response = self.agent.post(&url).send_json(body).unwrap();
        let answer: Json = response.body_mut().read_json().unwrap();
        assert!(answer["value"]["error"].is_null(), "{path} {body}: {answer}");
        answer["value"].clone()
    }

    /// A command of the developer tools.
    pub fn tool(&self, command: &str, parameters: Json) -> Json {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Opens an address and waits until the page is ready.
    pub fn visit(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
        self.until("document.documentElement.dataset.ready === 'true'");
    }

    /// The value of an expression on the page.
    pub fn value(&self, expression: &str) -> Json {
        self.post("/execute/sync", &json!({ "script": format!("return ({expression})"), "args": [] }))
    }

    /// The value of an expression that is a text.
    pub fn text(&self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    /// The text inside an element.
    pub fn text_of(&self, selector: &str) -> String {
        self.text(&format!("document.querySelector({selector:?}).textContent"))
    }

    /// Waits until an expression is true on the page.
    pub fn until(&self, condition: &str) {
        let started = Instant::now();
        while self.value(&format!("!!({condition})")) != true {
            assert!(started.elapsed() < PATIENCE, "{condition} does not come true; {:?}", self.log());
            thread::sleep(Duration::from_millis(30));
        }
    }

    fn element(&self, selector: &str) -> Json {
        let found = self.post("/element", &json!({ "using": "css selector", "value": selector }));
        json!({ ELEMENT: found[ELEMENT] })
    }

    /// Clicks on the middle of an element, as a hand would.
    pub fn click(&self, selector: &str) {
        self.value(&format!("document.querySelector({selector:?}).scrollIntoView({{block: 'nearest'}})"));
        let origin = self.element(selector);
        let moved = json!({ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin });
        self.pointer(
            json!([moved, { "type": "pointerDown", "button": 0 }, { "type": "pointerUp", "button": 0 }]),
        );
    }

    /// Drags from the middle of an element to that of another.
    pub fn drag(&self, from: &str, to: &str) {
        let (from, to) = (self.element(from), self.element(to));
        let over = |origin: &Json, duration: u32| json!({ "type": "pointerMove", "duration": duration, "x": 0, "y": 0, "origin": origin });
        let (down, up) =
            (json!({ "type": "pointerDown", "button": 0 }), json!({ "type": "pointerUp", "button": 0 }));
        self.pointer(json!([over(&from, 0), down, over(&to, 150), up]));
    }

    /// Swipes with a finger, so many pixels to the right of the middle of an element.
    pub fn swipe(&self, selector: &str, by: i32) {
        let origin = self.element(selector);
        let over =
            |x: i32| json!({ "type": "pointerMove", "duration": 80, "x": x, "y": 0, "origin": origin });
        let (down, up) =
            (json!({ "type": "pointerDown", "button": 0 }), json!({ "type": "pointerUp", "button": 0 }));
        self.act("touch", json!([over(0), down, over(by / 2), over(by), up]));
    }

    /// Touches the middle of an element.
    pub fn tap(&self, selector: &str) {
        self.value(&format!("document.querySelector({selector:?}).scrollIntoView({{block: 'nearest'}})"));
        let origin = self.element(selector);
        let over = json!({ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin });
        let (down, up) =
            (json!({ "type": "pointerDown", "button": 0 }), json!({ "type": "pointerUp", "button": 0 }));
        self.act("touch", json!([over, down, up]));
    }

    fn pointer(&self, actions: Json) {
        self.act("mouse", actions);
    }

    fn act(&self, pointer: &str, actions: Json) {
        let parameters = json!({ "pointerType": pointer });
        let source =
            json!({ "type": "pointer", "id": pointer, "parameters": parameters, "actions": actions });
        self.post("/actions", &json!({ "actions": [source] }));
    }

    /// Presses a key, by its WebDriver code where it has no letter.
    pub fn press(&self, key: char) {
        let keys = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": keys }] }));
    }

    /// Chooses an option of a list.
    pub fn choose(&self, selector: &str, value: &str) {
        self.value(&format!(
            "(() => {{ const list = document.querySelector({selector:?}); list.value = {value:?}; \
             list.dispatchEvent(new Event('change', {{ bubbles: true }})); return list.value; }})()"
        ));
    }

    /// Types a text into a field, in place of what is there.
    pub fn fill(&self, selector: &str, text: &str) {
        self.value(&format!(
            "(() => {{ const field = document.querySelector({selector:?}); field.value = {text:?}; \
             for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, {{ bubbles: true }})); }})()"
        ));
    }

    /// Pastes a text on the page.
    pub fn paste(&self, text: &str) {
        self.value(&format!(
            "(() => {{ const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', {text:?}); \
             document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData, bubbles: true, cancelable: true }})); }})()"
        ));
    }

    /// How much of what is to be seen has moved by itself since the page was opened, as Lighthouse counts it.
    pub fn layout_shift(&self) -> f64 {
        let script = "const done = arguments[0]; let sum = 0; \
             new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; }) \
             .observe({ type: 'layout-shift', buffered: true }); setTimeout(() => done(sum), 100);";
        self.post("/execute/async", &json!({ "script": script, "args": [] })).as_f64().unwrap()
    }

    /// What the browser has to complain about since it was last asked: errors and warnings.
    pub fn log(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }));
        let complaints = entries
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING")));
        complaints.map(|entry| entry["message"].to_string()).collect()
    }

    /// Writes a picture of the window.
    pub fn screenshot(&self, path: &Path) {
        let url = format!("{}/screenshot", self.session);
        let answer: Json = self.agent.get(&url).call().unwrap().body_mut().read_json().unwrap();
        let encoded = answer["value"].as_str().unwrap();
        std::fs::write(path, decoded(encoded)).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The bytes of a text in base64.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = text.bytes().filter_map(|byte| LETTERS.iter().position(|&letter| letter == byte));
    let values: Vec<usize> = values.collect();
    let group = |group: &[usize]| {
        let bits = group.iter().enumerate().fold(0, |bits, (index, value)| bits | value << (18 - 6 * index));
        (0..group.len() - 1).map(move |index| (bits >> (16 - 8 * index)) as u8).collect::<Vec<_>>()
    };
    values.chunks(4).flat_map(group).collect()
}
