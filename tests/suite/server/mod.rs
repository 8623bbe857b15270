//! A server of its own for a test.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// The committed tables.
pub const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");

/// A running `alquerque serve`; it ends when this goes out of scope.
pub struct Server {
    child: Child,
    /// Its address, with a slash at the end.
    pub url: String,
    agent: ureq::Agent,
}

/// What a server has answered.
pub struct Answer {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub body: String,
}

impl Server {
    /// A server of the committed tables with more `arguments`.
    pub fn start(arguments: &[&str]) -> Server {
        Server::start_in(Path::new(TABLES), arguments)
    }

    /// A server of the tables in `dir`.
    pub fn start_in(dir: &Path, arguments: &[&str]) -> Server {
        // A log that is asked for is written, but not read.
        let logs = arguments.contains(&"--log");
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"))
            .args(["serve", "--listen", "127.0.0.1:0", "--dir"])
            .arg(dir)
            .args(arguments)
            .args(if logs { [].as_slice() } else { &["--log", "warn"] })
            .stderr(if logs { Stdio::null() } else { Stdio::inherit() })
            .env_remove("ALQUERQUE_TABLES")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "the server says '{url}'");
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .new_agent();
        Server { child, url, agent }
    }

    /// The status of the answer to a question, whatever its body is.
    pub fn status(&self, path: &str, parameters: &[(&str, &str)]) -> u16 {
        let url = format!("{}{path}", self.url);
        self.agent.get(url).query_pairs(parameters.iter().copied()).call().unwrap().status().as_u16()
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(request.call())
    }

    pub fn post(&self, path: &str, content_type: &str, body: &str) -> Answer {
        let request = self.agent.post(format!("{}{path}", self.url));
        Answer::read(request.header("content-type", content_type).send(body))
    }

    /// The answer to a question about a position.
    pub fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Answer {
        let request = self.agent.get(format!("{}{path}", self.url));
        Answer::read(request.query_pairs(parameters.iter().copied()).call())
    }

    /// Asks it to stop, as Ctrl-C does.
    pub fn terminate(&self) {
        let done = Command::new("kill").args(["-TERM", &self.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// How it has ended, once it has.
    pub fn wait(&mut self, most: Duration) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < most, "the server does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kibibytes of memory that it has in use.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn read(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer {
        let response = response.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = String::new();
        response.into_body().into_reader().read_to_string(&mut body).unwrap();
        Answer { status, headers, body }
    }

    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}
