//! The HTTP API, as other programs rely on it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use crate::server::{Answer, Server, TABLES};
use crate::support::{Random, materials, random_position, temp_dir};
use alquerque::index::Index;
use alquerque::json;
use alquerque::knowledge::Knowledge;
use alquerque::position::Position;
use alquerque::rules::{CLASSIC, Rules};
use assert_cmd::Command;
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const WON: &str = "5/5/1w3/5/w2b1 w";
const UNCOVERED: &str = "bbbbb/5/2b2/1w3/wwww1 w";

/// What the command line prints, without the line break, and without the blocks that a probe read.
fn printed(arguments: &[&str]) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    let output = command.args(arguments).args(["--json", "--dir", TABLES]).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    match text.rsplit_once(",\"blocks\":") {
        Some((answer, _)) if arguments[0] == "probe" => format!("{answer}}}"),
        _ => text.trim_end().to_owned(),
    }
}

fn assert_error(answer: &Answer, status: u16, code: &str, part: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "application/json");
    let body = answer.json();
    assert_eq!(body["code"], code, "{body}");
    assert!(body["error"].as_str().unwrap().contains(part), "{body}");
    assert!(!answer.body.contains(TABLES), "the place of the tables is told: {body}");
}

#[test]
fn routes_answer_as_the_command_line_does() {
    let server = Server::start(&[]);
    for api in ["api", "api/v1"] {
        let probe = server.ask(&format!("{api}/classic"), &[("position", WON)]);
        assert_eq!((probe.status, probe.header("content-type")), (200, "application/json"));
        assert_eq!(probe.body, printed(&["probe", "--rules", "classic", WON]));
        let line = server.ask(&format!("{api}/classic/line"), &[("position", WON)]);
        assert_eq!(line.body, printed(&["line", "--rules", "classic", WON]));
        assert_eq!(server.get(&format!("{api}/tables")).body, printed(&["info"]));
    }
    // By tables, and by a certificate.
    for position in ["5/5/2w2/5/b4 w c3-b3", "start"] {
        let probe = server.ask("api/brainking", &[("position", position)]);
        assert_eq!(probe.body, printed(&["probe", "--rules", "brainking", position]));
        let line = server.ask("api/brainking/line", &[("position", position)]);
        assert_eq!(line.body, printed(&["line", "--rules", "brainking", position]));
        let body = format!("[\"{position}\"]");
        let batch = server.post("api/brainking/batch", "application/json", &body);
        assert_eq!(batch.body, format!("[{}]", probe.body));
    }

    let rules = server.get("api/v1/rules").json();
    let names: Vec<_> = rules.as_array().unwrap().iter().map(|set| set["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["classic", "brainking", "youzai", "qirkat", "alfonso", "murray"]);
    assert_eq!((&rules[2]["ply_limit"], &rules[2]["first"]), (&Json::from(50), &Json::from("black")));
    let repetitions: Vec<_> =
        rules.as_array().unwrap().iter().map(|set| set["repetitions"].as_u64()).collect();
    assert_eq!(repetitions, [Some(3), None, None, None, Some(3), Some(3)]);
    assert_eq!(rules[4]["compulsory_captures"], Json::from(false));
    assert_eq!((&rules[1]["no_moves"], &rules[1]["symmetries"]), (&Json::from("loss"), &Json::from(2)));

    let svg = server.ask("api/v1/classic/svg", &[("position", WON)]);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert_eq!(svg.body, Position::parse(&CLASSIC, WON).unwrap().svg().to_string());
    assert_eq!(server.get("healthz").json()["status"], "ok");
}

#[test]
fn a_board_has_all_that_a_page_shows() {
    let server = Server::start(&[]);
    let board = |parameters: &[(&str, &str)]| server.ask("api/v1/classic/board", parameters);

    let won = board(&[("position", WON)]).json();
    let probe: Json = serde_json::from_str(&printed(&["probe", "--rules", "classic", WON])).unwrap();
    assert_eq!((&won["source"], &won["side"]), (&"tables".into(), &"white".into()));
    for key in ["position", "value", "dtc", "dtw"] {
        assert_eq!(won[key], probe[key], "{key}");
    }
    let (moves, ranked) = (won["moves"].as_array().unwrap(), probe["moves"].as_array().unwrap());
    assert_eq!(moves.len(), ranked.len());
    for (mv, ranked) in moves.iter().zip(ranked) {
        for key in ["move", "position", "value", "dtc", "dtw"] {
            assert_eq!(mv[key], ranked[key], "{key}");
        }
    }

    // A chain, point by point.
    let chain = board(&[("position", "5/1b1b1/5/1b3/w4 w")]).json();
    let mv = &chain["moves"][0];
    assert_eq!(mv["path"], serde_json::json!(["a1", "c3", "e5"]));
    assert_eq!(mv["captured"], serde_json::json!(["b2", "d4"]));

    // A game that has been played.
    let played = board(&[("position", WON), ("moves", "b3-c3")]).json();
    assert_eq!((&played["first"], &played["side"]), (&"5/5/1w3/5/w2b1 w - 0".into(), &"black".into()));
    assert_eq!(played["game"][0]["position"], played["position"]);
    let circle = "a1-a2,e5-e4,a2-a1,e4-e5";
    let drawn = board(&[("position", "4b/5/5/5/w4 w"), ("moves", &format!("{circle},{circle}"))]).json();
    assert_eq!((&drawn["end"], &drawn["value"]), (&"repetition".into(), &"draw".into()));
    assert!(drawn["moves"].as_array().unwrap().is_empty());
    let over = board(&[("position", "5/5/5/5/b4 w")]).json();
    assert_eq!((&over["end"], &over["source"]), (&"no stone".into(), &"rules".into()));

    // Where no table reaches: legal moves at once, estimates if a search is asked for.
    let open = board(&[("position", UNCOVERED)]);
    assert_eq!(open.header("cache-control"), "no-cache");
    let open = open.json();
    assert_eq!((&open["source"], &open["value"]), (&Json::Null, &Json::Null));
    assert!(!open["moves"].as_array().unwrap().is_empty());
    let searched = board(&[("position", UNCOVERED), ("search", "200")]).json();
    assert_eq!(searched["source"], "search");
    assert_eq!(searched["line"][0]["move"], searched["moves"][0]["move"]);

    let banned = server.ask("api/v1/brainking/board", &[("position", "5/5/2w2/5/b4 w c3-b3")]).json();
    assert_eq!(banned["forbidden"], serde_json::json!([["c3", "b3"]]));
    assert_eq!(banned["forbiddable"], serde_json::json!([["c3", "b3"], ["c3", "d3"]]));
}

#[test]
fn a_board_shows_the_moves_before_one_that_cannot_be_played() {
    let server = Server::start(&[]);
    let board = |position: &str, moves: &str| {
        let answer = server.ask("api/v1/classic/board", &[("position", position), ("moves", moves)]);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    };
    let prefix = board("start", "d2-c3,zz,b3-c4");
    assert_eq!(prefix["game"].as_array().unwrap().len(), 1);
    assert_eq!(prefix["position"], board("start", "d2-c3")["position"]);
    assert_eq!((&prefix["side"], &prefix["error"]["code"]), (&"black".into(), &"bad_request".into()));
    assert!(prefix["error"]["error"].as_str().unwrap().starts_with("move 2: "), "{prefix}");
    for moves in ["a1-a5", ",,,"] {
        let nothing = board(WON, moves);
        assert!(nothing["game"].as_array().unwrap().is_empty());
        assert!(nothing["error"]["error"].as_str().unwrap().starts_with("move 1: "), "{nothing}");
    }
}

#[test]
fn a_board_knows_what_holds_in_this_game() {
    let server = Server::start(&[]);
    let board = |moves: &str| {
        let parameters = [("position", "5/b4/3w1/3w1/5 w"), ("moves", moves)];
        server.ask("api/v1/classic/board", &parameters).json()
    };
    let saved = board("d2-e2,a4-a5,e2-d2,a5-a4,d2-e2,a4-a5,e2-d2");
    assert_eq!((&saved["value"], &saved["in_game"]["value"]), (&"loss".into(), &"draw".into()));
    let best = &saved["moves"][0];
    assert_eq!((&best["move"], &best["value"]), (&"a5-a4".into(), &"loss".into()));
    assert_eq!(
        best["in_game"],
        serde_json::json!({"value": "draw", "dtc": null, "dtw": null, "within": null,
        "estimate": null, "estimate_white": null, "source": "rules"})
    );
    let drawn = board("d2-e2,a4-a5,e2-d2,a5-a4,d2-e2,a4-a5,e2-d2,a5-a4");
    assert_eq!((&drawn["end"], &drawn["in_game"]["value"]), (&"repetition".into(), &"draw".into()));
    // Where nothing has been repeated both are the same.
    let plain = board("");
    assert_eq!((&plain["in_game"]["value"], &plain["in_game"]["dtw"]), (&plain["value"], &plain["dtw"]));
}

#[test]
fn estimates_and_distances_say_what_they_are() {
    let server = Server::start(&[]);
    let search = |moves: &str| {
        let parameters = [("position", "start"), ("moves", moves), ("search", "200")];
        server.ask("api/v1/classic/board", &parameters).json()
    };
    for (moves, sign) in [("", 1), ("d2-c3", -1)] {
        let board = search(moves);
        let estimate = board["estimate"].as_i64().unwrap();
        assert_eq!(board["estimate_white"], sign * estimate, "{board}");
        let mv = &board["moves"][0];
        assert_eq!(mv["estimate_white"], sign * mv["estimate"].as_i64().unwrap());
        assert_eq!(mv["source"], "search");
    }
    // A certificate knows one move; the others are listed too.
    let proven = server.ask("api/v1/brainking/board", &[("position", "start")]).json();
    assert_eq!((&proven["source"], proven["moves"].as_array().unwrap().len()), (&"certificate".into(), 4));
    let probe = server.ask("api/v1/brainking", &[("position", "start")]).json();
    assert_eq!((&probe["source"], probe["moves"].as_array().unwrap().len()), (&"certificate".into(), 4));

    let ask = |server: &Server, rules: &str, position: &str| {
        server.ask(&format!("api/v1/{rules}/board"), &[("position", position)]).json()
    };
    assert_eq!(ask(&server, "classic", WON)["missing_distances"], serde_json::json!([]));
    let dir = temp_dir();
    std::fs::create_dir(dir.path().join("classic")).unwrap();
    for name in ["classic/1v1.wdl", "classic/2v1.wdl", "classic/1v2.wdl"] {
        std::fs::copy(format!("{TABLES}/{name}"), dir.path().join(name)).unwrap();
    }
    let server = Server::start_in(dir.path(), &[]);
    assert_eq!(ask(&server, "classic", WON)["missing_distances"], serde_json::json!(["dtc", "dtw"]));
}

#[test]
fn the_longest_wins_are_as_long_as_the_tables_say() {
    let server = Server::start(&[]);
    for slice in server.get("api/v1/tables").json().as_array().unwrap() {
        let (rules, material) = (slice["rules"].as_str().unwrap(), slice["material"].as_str().unwrap());
        for (value, key) in [("win", "max_dtw_win"), ("loss", "max_dtw_loss")] {
            let key = if slice[key].is_null() { key.replace("dtw", "dtc") } else { key.to_owned() };
            let longest = slice[&key].as_u64().unwrap();
            let parameters = [("material", material), ("value", value)];
            let answer = server.ask(&format!("api/v1/{rules}/longest"), &parameters);
            if answer.status == 404 {
                assert_eq!(longest, 0, "{rules} {material} {value}");
                continue;
            }
            let found = answer.json();
            let position = found["position"].as_str().unwrap();
            let probe = server.ask(&format!("api/v1/{rules}"), &[("position", position)]).json();
            assert_eq!(probe["value"], value, "{rules} {position}");
            assert_eq!(probe[found["metric"].as_str().unwrap()], longest, "{rules} {position}");
        }
    }
}

#[test]
fn ten_thousand_positions_are_answered_as_by_the_library() {
    let server = Server::start(&[]);
    let mut random = Random::new(2024);
    for rules in Rules::ALL.into_iter().take(4) {
        // Those with tables in the repository.
        let knowledge = Knowledge::open(TABLES, rules).unwrap();
        let index = Index::new(rules);
        let stones = if rules.no_return() { 3 } else { 4 };
        let materials: Vec<_> = (2..=stones).flat_map(materials).collect();
        let mut batch = Vec::new();
        let mut expected = Vec::new();
        for number in 0..2_500 {
            let position = random_position(&index, *random.choose(&materials), &mut random);
            let insight = knowledge.look_up(&position, &[]).unwrap();
            let answer = serde_json::to_string(&json::Probe::new(rules, &position, &insight)).unwrap();
            let text = position.to_string();
            if number % 5 == 0 {
                let asked = server.ask(&format!("api/v1/{}", rules.name()), &[("position", &text)]);
                assert_eq!(asked.body, answer);
            }
            batch.push(text);
            expected.push(answer);
        }
        let body = serde_json::to_string(&batch).unwrap();
        let answers = server.post(&format!("api/v1/{}/batch", rules.name()), "application/json", &body);
        assert_eq!(answers.body, format!("[{}]", expected.join(",")));
    }
}

#[test]
fn batches_say_what_is_wrong_with_single_positions() {
    let server = Server::start(&["--max-batch", "3", "--max-body", "200"]);
    let post = |body: &str| server.post("api/v1/classic/batch", "application/json", body);
    let mixed = post(&format!(r#"["{WON}", "nonsense", "{UNCOVERED}"]"#)).json();
    assert_eq!(mixed[0]["value"], "win");
    assert!(mixed[1]["error"].as_str().unwrap().contains("nonsense"));
    assert_eq!((&mixed[1]["code"], &mixed[2]["code"]), (&"bad_request".into(), &"not_found".into()));
    assert!(mixed[2]["error"].as_str().unwrap().contains("no wdl table for"), "{mixed}");
    assert_eq!(post("[]").body, "[]");
    assert_error(&post(r#"["a","b","c","d"]"#), 413, "too_large", "3 positions at most");
    assert_error(&post(&format!("[\"{}\"]", "w".repeat(300))), 413, "too_large", "too long");
    assert_error(&post("[1]"), 400, "bad_request", "array of strings");
    assert_error(&post("["), 400, "bad_request", "array of strings");
    assert_error(&server.post("api/v1/classic/batch", "text/plain", "[]"), 415, "media_type", "JSON");
}

#[test]
fn errors_have_the_right_status_and_a_reason() {
    let server = Server::start(&[]);
    let ask = |path: &str, parameters: &[(&str, &str)]| server.ask(path, parameters);
    for route in ["", "/line", "/board", "/svg"] {
        let path = format!("api/v1/classic{route}");
        let bad = ask(&path, &[("position", "5/5/2x2/5/5 w")]);
        assert_error(&bad, 400, "bad_request", "unknown letter 'x'");
        assert_error(&ask(&path, &[]), 400, "bad_request", "position");
        let unknown = ask(&format!("api/v1/chess{route}"), &[("position", WON)]);
        assert_error(&unknown, 404, "not_found", "unknown rules 'chess'");
    }
    for route in ["", "/line"] {
        let missing = ask(&format!("api/v1/classic{route}"), &[("position", UNCOVERED)]);
        assert_error(&missing, 404, "not_found", "no wdl table for");
    }
    let board = |moves| ask("api/v1/classic/board", &[("position", WON), ("moves", moves)]);
    assert_eq!(board("").json()["error"], Json::Null);
    assert_error(&board(&"a1-a2,".repeat(1001)), 400, "bad_request", "1000 moves at most");
    assert_error(&ask("api/v1/classic/longest", &[("material", "x")]), 400, "bad_request", "x");
    assert_error(&ask("api/v1/classic/longest", &[("material", "9v8")]), 404, "not_found", "9v8");
    let odd = ask("api/v1/classic/longest", &[("material", "2v1"), ("value", "draw")]);
    assert_error(&odd, 400, "bad_request", "win or loss");
    for path in
        ["api/v1/classic/nothing", "api/nothing/at/all", "nowhere", "page/no.js", "page/../Cargo.toml"]
    {
        assert_error(&server.get(path), 404, "not_found", "");
    }
    assert_error(&server.post("api/v1/classic", "application/json", "[]"), 405, "method", "method");
    assert_error(&server.get("api/v1/classic/batch"), 405, "method", "method");

    let empty = temp_dir();
    let server = Server::start_in(empty.path(), &[]);
    let none = server.ask("api/v1/classic", &[("position", WON)]);
    assert_error(&none, 404, "not_found", "no tables for 'classic'");
    assert_eq!(server.get("api/v1/tables").body, "[]");
}

#[test]
fn what_is_too_much_is_refused() {
    // One question is looked into for two seconds; meanwhile there is no place for another.
    let searched_meanwhile = |arguments: &[&str]| {
        let server = Server::start(arguments);
        let parameters = [("position", UNCOVERED), ("search", "2000")];
        thread::scope(|scope| {
            let long = scope.spawn(|| server.ask("api/v1/classic/board", &parameters).status);
            thread::sleep(Duration::from_millis(700));
            let answer = server.ask("api/v1/classic/board", &parameters);
            // Look-ups are answered all the same.
            assert_eq!(server.ask("api/v1/classic", &[("position", WON)]).status, 200);
            (long.join().unwrap(), answer)
        })
    };
    let (long, refused) = searched_meanwhile(&["--searches-per-client", "1"]);
    assert_eq!(long, 200);
    assert_error(&refused, 429, "too_many_requests", "too many requests");
    assert_eq!(refused.header("retry-after"), "1");

    let server = Server::start(&["--timeout", "1", "--search-time", "3000"]);
    let late = server.ask("api/v1/classic/board", &[("position", UNCOVERED), ("search", "3000")]);
    assert_error(&late, 503, "timed_out", "too long");
}

#[test]
fn look_ups_do_not_wait_for_searches() {
    let server = Server::start(&["--searches", "1"]);
    let search = "GET /api/v1/classic/board?position=start&search=2000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    // Four run or wait; the rest of the two hundred is refused.
    let waiting: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.write_all(search.as_bytes()).unwrap();
            stream
        })
        .collect();
    thread::sleep(Duration::from_millis(300));
    let started = Instant::now();
    assert_eq!(server.ask("api/v1/classic", &[("position", WON)]).status, 200);
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    drop(waiting);
    // Those who have gone are not searched for: there is a place again.
    thread::sleep(Duration::from_millis(300));
    let started = Instant::now();
    assert_eq!(server.ask("api/v1/classic/board", &[("position", "start"), ("search", "100")]).status, 200);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn a_newer_search_of_a_session_ends_the_older_one() {
    let server = Server::start(&["--searches", "1"]);
    let ask = |session: &str, time: &str| {
        let parameters = [("position", "start"), ("search", time), ("session", session)];
        server.ask("api/v1/classic/board", &parameters)
    };
    thread::scope(|scope| {
        let older = scope.spawn(|| ask("page", "2000"));
        thread::sleep(Duration::from_millis(300));
        let started = Instant::now();
        assert_eq!(ask("page", "100").status, 200);
        assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
        assert_error(&older.join().unwrap(), 409, "superseded", "newer request");
    });
    assert_error(&ask(&"x".repeat(65), "100"), 400, "bad_request", "64 letters");
}

/// The whole answer to `request`, or what there is of it when the server hangs up.
fn raw(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_request_names_a_host_that_the_server_answers_for() {
    let ask = |server: &Server, head: &str| {
        let answer = raw(server, &format!("{head}Connection: close\r\n\r\n"));
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let own = Server::start(&[]);
    let get = "GET /healthz HTTP/1.1\r\n";
    assert_eq!(ask(&own, get), "400");
    assert_eq!(ask(&own, &format!("{get}Host: localhost\r\nHost: localhost\r\n")), "400");
    assert_eq!(ask(&own, &format!("{get}Host: a b\r\n")), "400");
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8025", "[::1]:80"] {
        assert_eq!(ask(&own, &format!("{get}Host: {host}\r\n")), "200", "{host}");
    }
    for host in ["evil.example", "localhost.evil.example:8025"] {
        assert_eq!(ask(&own, &format!("{get}Host: {host}\r\n")), "421", "{host}");
    }
    assert_eq!(ask(&own, "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n"), "421");
    assert_eq!(ask(&own, "GET /healthz HTTP/1.0\r\n"), "200");
    let named = Server::start(&["--allow-host", "board.example"]);
    for (host, status) in [("Board.example:80", "200"), ("localhost", "200"), ("evil.example", "421")] {
        assert_eq!(ask(&named, &format!("{get}Host: {host}\r\n")), status, "{host}");
    }
    assert_eq!(ask(&Server::start(&["--allow-host", "*"]), &format!("{get}Host: evil.example\r\n")), "200");
}

#[test]
fn bodies_that_will_not_be_read_are_refused_at_once() {
    let server = Server::start(&[]);
    let post = |headers: &str| {
        let started = Instant::now();
        let answer = raw(
            &server,
            &format!(
                "POST /api/v1/classic/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\r\n"
            ),
        );
        assert!(started.elapsed() < Duration::from_secs(5), "{answer}");
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(post("Content-Length: 999999999999\r\n"), "413");
    assert_eq!(post("Content-Length: 10000000\r\nExpect: 100-continue\r\n"), "413");
    assert_eq!(post("Content-Length: 2\r\nExpect: tea\r\n"), "417");
    assert_eq!(post("Content-Length: 20\r\nContent-Encoding: gzip\r\n"), "415");
}

/// A request of a batch whose answers fill every buffer on the way.
fn large_batch() -> String {
    let text = format!("[{}]", vec![format!("\"{WON}\""); 10_000].join(","));
    format!(
        "POST /api/v1/classic/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{text}",
        text.len()
    )
}

#[test]
fn clients_that_do_not_read_are_dropped_and_take_little_memory() {
    let server = Server::start(&["--timeout", "1"]);
    let request = large_batch();
    let before = server.resident();
    let clients: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            // One that is refused is not read to the end.
            let _ = stream.write_all(request.as_bytes());
            stream
        })
        .collect();
    thread::sleep(Duration::from_millis(500));
    let refused = server.post("api/v1/classic/batch", "application/json", "[]");
    assert_error(&refused, 429, "too_many_requests", "from this address");
    assert!(server.resident() < before + (32 << 10), "{before} KiB before, {} KiB now", server.resident());
    // The clients are still there, but the server has given up on them.
    let started = Instant::now();
    while server.post("api/v1/classic/batch", "application/json", "[]").status != 200 {
        assert!(started.elapsed() < Duration::from_secs(20), "slow readers hold their places");
        thread::sleep(Duration::from_millis(200));
    }
    drop(clients);
}

#[test]
fn batches_end_when_their_clients_go_away() {
    // Nobody is dropped for reading slowly.
    let server = Server::start(&["--timeout", "600"]);
    let request = large_batch();
    let another = || server.post("api/v1/classic/batch", "application/json", "[]").status;
    let clients: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    let started = Instant::now();
    while another() != 429 {
        assert!(started.elapsed() < Duration::from_secs(20), "four batches do not fill the places");
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(300));
    assert_eq!(another(), 429, "the batches wait for their readers");
    drop(clients);
    let gone = Instant::now();
    while another() != 200 {
        assert!(gone.elapsed() < Duration::from_secs(10), "batches outlive their clients");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn exercises_and_refutations_come_from_the_tables() {
    let server = Server::start(&[]);
    let ask = |query: &[(&str, &str)]| server.ask("api/v1/classic/exercise", query);
    let query = [("material", "2v2"), ("least", "10"), ("most", "30"), ("seed", "7")];
    let exercise = ask(&query).json();
    assert_eq!((&exercise["value"], &exercise["goal"]), (&"win".into(), &"win".into()));
    let moves = exercise["moves"].as_array().unwrap();
    assert!(moves[0]["value"] == "win" && moves[1..].iter().all(|mv| mv["value"] != "win"));
    assert!((10..=30).contains(&exercise["dtw"].as_u64().unwrap()));
    assert_eq!(ask(&query).body, ask(&query).body);
    assert_error(&ask(&[("material", "2v2"), ("goal", "loss")]), 400, "bad_request", "win or draw");
    assert_error(&ask(&[("material", "5v5")]), 404, "not_found", "5v5");
    assert_error(&ask(&[("material", "1v1"), ("least", "900")]), 404, "not_found", "no exercise found");

    let (position, bad) = (exercise["position"].as_str().unwrap(), moves[1]["move"].as_str().unwrap());
    let why_not = |mv: &str| server.ask("api/v1/classic/refutation", &[("position", position), ("move", mv)]);
    let refuted = why_not(bad).json();
    assert_eq!((&refuted["best_value"], &refuted["loses_value"]), (&"win".into(), &true.into()));
    assert_eq!(refuted["value"], moves[1]["value"]);
    assert_eq!(refuted["reply"]["position"], moves[1]["position"]);
    assert_eq!(why_not(moves[0]["move"].as_str().unwrap()).json()["loses_value"], false);
    assert_error(&why_not("a1-a5"), 400, "bad_request", "a1");
}

#[test]
fn figures_of_a_slice_are_counted_once() {
    let server = Server::start(&[]);
    let ask = |material: &str| server.ask("api/v1/classic/stats", &[("material", material)]);
    let figures = ask("2v1");
    let counted = figures.json();
    assert_eq!(counted["positions"], 6900);
    assert_eq!([&counted["win"], &counted["draw"], &counted["loss"]], [6868, 32, 0]);
    let won = counted["dtw"]["won"].as_array().unwrap();
    assert_eq!(won.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), 6868);
    assert_eq!(ask("2v1").body, figures.body);
    assert_error(&ask("5v5"), 404, "not_found", "5v5");
    assert_error(&ask("5"), 400, "bad_request", "5");
}

#[test]
fn links_to_a_position_have_a_preview() {
    let server = Server::start(&[]);
    let page = server.ask("", &[("rules", "classic"), ("position", "start"), ("moves", "d2-c3,zz")]).body;
    assert!(page.contains("content=\"Alquerque (classic): Black to move\""), "{page}");
    let image = page.split("og:image\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    let path = image.strip_prefix(&server.url).unwrap();
    let drawing =
        raw(&server, &format!("GET /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
    assert!(drawing.starts_with("HTTP/1.1 200") && drawing.contains("content-type: image/png"), "{drawing}");
    let (_, body) = drawing.split_once("\r\n\r\n").unwrap();
    assert!(body.contains("PNG\r\n") && body.contains("IEND"), "{image}");
    let plain = server.get("").body;
    assert!(!plain.contains("og:title"));
    for query in [[("rules", "chess"), ("position", "start")], [("rules", "classic"), ("position", "<b>")]] {
        assert_eq!(server.ask("", &query).body, plain);
    }
}

#[test]
fn the_page_can_be_embedded_where_that_is_allowed() {
    let policy =
        |arguments: &[&str]| Server::start(arguments).get("").header("content-security-policy").to_owned();
    assert!(policy(&[]).ends_with("frame-ancestors 'none'"));
    let two = ["--allow-embedding", "https://one.example", "--allow-embedding", "https://two.example"];
    assert!(policy(&two).ends_with("frame-ancestors https://one.example https://two.example"));
    assert!(policy(&["--allow-embedding", "*"]).ends_with("frame-ancestors *"));
}

#[test]
fn slow_clients_are_not_waited_for() {
    let server = Server::start(&["--timeout", "1"]);
    let until_closed = |text: &str| {
        let started = Instant::now();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(started.elapsed() < Duration::from_secs(10), "{answer}");
        answer
    };
    assert!(!until_closed("GET /healthz HTTP/1.1\r\nHost: localhost\r\n").contains("200 OK"));
    let half = "POST /api/v1/classic/batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                Content-Type: application/json\r\nContent-Length: 100\r\n\r\n[";
    assert!(until_closed(half).starts_with("HTTP/1.1 503"));
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(1 << 20));
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let _ = stream.write_all(long.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
    assert_eq!(server.get("healthz").status, 200);
}

#[test]
fn sixty_four_clients_at_once_are_all_answered() {
    let server = Server::start(&[]);
    let expected = server.ask("api/v1/classic", &[("position", WON)]).body;
    let address = server.address();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clients = (0..64).map(|_| {
        let (address, expected) = (address.to_owned(), expected.clone());
        runtime.spawn(async move {
            let mut client = Client::connect(&address).await;
            for _ in 0..50 {
                assert_eq!(client.probe(WON).await, expected);
            }
        })
    });
    let clients: Vec<_> = clients.collect();
    runtime.block_on(async {
        for client in clients {
            client.await.unwrap();
        }
    });
}

#[test]
fn answers_can_be_kept_and_come_compressed() {
    let server = Server::start(&[]);
    let path = format!("api/v1/classic?position={}", WON.replace(' ', "+"));
    let first = server.get(&path);
    let (tag, kept) = (first.header("etag"), first.header("cache-control"));
    assert!(kept.contains("max-age=") && tag.starts_with("W/\""), "{kept} {tag}");
    let again = server.get_with(&path, &[("if-none-match", tag)]);
    assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", tag));
    assert_eq!(server.get_with(&path, &[("if-none-match", "W/\"0\"")]).status, 200);
    for path in [path.as_str(), "api/openapi.json", "page/languages.json", ""] {
        let tag = server.get(path).header("etag").to_owned();
        let strong = tag.strip_prefix("W/").unwrap();
        for known in [tag.as_str(), strong, &format!("\"x\", {strong}"), "*"] {
            let same = server.get_with(path, &[("if-none-match", known)]);
            assert_eq!((same.status, same.header("vary")), (304, "accept-encoding"), "{path} {known}");
        }
    }

    let page = server.get("");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(server.get_with("", &[("if-none-match", page.header("etag"))]).status, 304);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).unwrap();
    assert!(String::from_utf8_lossy(&raw).to_lowercase().contains("content-encoding: gzip"));
    assert!(raw.len() < page.body.len(), "{} bytes", raw.len());
}

#[test]
fn other_origins_are_let_in_only_if_asked_for() {
    let origin = [("origin", "https://example.org")];
    let allowed = |server: &Server| {
        server.get_with("healthz", &origin).header("access-control-allow-origin").to_owned()
    };
    assert_eq!(allowed(&Server::start(&[])), "");
    assert_eq!(allowed(&Server::start(&["--cors", "https://example.org"])), "https://example.org");
    assert_eq!(allowed(&Server::start(&["--cors", "https://example.com"])), "");
    assert_eq!(allowed(&Server::start(&["--cors", "*"])), "*");
}

#[test]
fn the_description_names_every_route() {
    let server = Server::start(&[]);
    let document = server.get("api/openapi.json").json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    let paths = document["paths"].as_object().unwrap();
    let examples = [
        ("/healthz", ""),
        ("/api/v1/rules", ""),
        ("/api/v1/tables", ""),
        ("/api/v1/{rules}", "position"),
        ("/api/v1/{rules}/line", "position"),
        ("/api/v1/{rules}/board", "position"),
        ("/api/v1/{rules}/svg", "position"),
        ("/api/v1/{rules}/png", "position"),
        ("/api/v1/{rules}/longest", "material"),
        ("/api/v1/{rules}/stats", "material"),
        ("/api/v1/{rules}/exercise", "material"),
    ];
    assert_eq!(paths.len(), examples.len() + 2, "{:?}", paths.keys());
    for (path, parameter) in examples {
        let get = &paths[path]["get"];
        let parameters = get["parameters"].as_array().cloned().unwrap_or_default();
        let query = parameters.iter().find(|known| known["name"] == parameter);
        let value = query.map_or("", |query| query["example"].as_str().unwrap());
        let path = path.replace("{rules}", "classic");
        let status = server.status(path.trim_start_matches('/'), &[(parameter, value)]);
        assert_eq!(status, 200, "{path}");
        assert!(get["responses"]["200"].is_object());
    }
    // The standard asks for it.
    let routes = paths.values().flat_map(|path| path.as_object().unwrap().values());
    for response in routes.flat_map(|route| route["responses"].as_object().unwrap().values()) {
        assert!(!response["description"].as_str().unwrap().is_empty(), "{response}");
    }
    let batch = &paths["/api/v1/{rules}/batch"]["post"];
    let example = batch["requestBody"]["content"]["application/json"]["example"].to_string();
    let answers = server.post("api/v1/classic/batch", "application/json", &example).json();
    assert_eq!(answers[0]["rules"], "classic");
    let schemas = document["components"]["schemas"].to_string();
    assert!(schemas.contains("^(win|draw|loss)$") && schemas.contains("^(white|black)$"), "{schemas}");
    for status in ["400", "404", "405", "413", "415", "429", "500", "503"] {
        assert!(batch["responses"][status].is_object(), "{status}");
    }
}

#[test]
#[cfg(unix)]
fn a_server_that_is_stopped_finishes_what_it_has_begun() {
    let mut server = Server::start(&[]);
    let parameters = [("position", UNCOVERED), ("search", "1500")];
    let status = thread::scope(|scope| {
        let begun = scope.spawn(|| server.ask("api/v1/classic/board", &parameters).status);
        thread::sleep(Duration::from_millis(500));
        server.terminate();
        thread::sleep(Duration::from_millis(200));
        assert!(TcpStream::connect(server.address()).is_err(), "it still listens");
        begun.join().unwrap()
    });
    assert_eq!(status, 200);
    assert!(server.wait(Duration::from_secs(15)).success());
}

#[test]
fn what_cannot_be_served_is_said() {
    let server = Server::start(&[]);
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    let taken = command.args(["serve", "--listen", server.address(), "--dir", TABLES]).output().unwrap();
    assert_eq!(taken.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&taken.stderr).contains("cannot listen on"));
    let dir = temp_dir();
    std::fs::create_dir(dir.path().join("classic")).unwrap();
    std::fs::write(dir.path().join("classic/2v1.wdl"), "damaged").unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    let damaged =
        command.args(["serve", "--listen", "127.0.0.1:0", "--dir"]).arg(dir.path()).output().unwrap();
    assert_eq!(damaged.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&damaged.stderr).contains("2v1.wdl"));
    std::fs::rename(dir.path().join("classic/2v1.wdl"), dir.path().join("classic/start.proof")).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("alquerque"));
    let damaged =
        command.args(["serve", "--listen", "127.0.0.1:0", "--dir"]).arg(dir.path()).output().unwrap();
    assert_eq!(damaged.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&damaged.stderr).contains("start.proof is not a certificate"));
}

/// A client that keeps its connection, and costs as little as it can.
struct Client {
    stream: tokio::net::TcpStream,
    received: Vec<u8>,
}

impl Client {
    async fn connect(address: &str) -> Client {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, received: Vec::new() }
    }

    /// The body of the answer to a probe under `classic`.
    async fn probe(&mut self, position: &str) -> String {
        let position = position.replace(' ', "+");
        let request = format!("GET /api/v1/classic?position={position} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        self.stream.write_all(request.as_bytes()).await.unwrap();
        self.received.clear();
        loop {
            let read = self.stream.read_buf(&mut self.received).await.unwrap();
            assert_ne!(read, 0, "the server has hung up");
            let Some(end) = self.received.windows(4).position(|part| part == b"\r\n\r\n") else { continue };
            let head = String::from_utf8_lossy(&self.received[..end]).to_ascii_lowercase();
            assert!(head.starts_with("http/1.1 200"), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let length: usize = length.trim().parse().unwrap();
            if self.received.len() >= end + 4 + length {
                return String::from_utf8(self.received[end + 4..end + 4 + length].to_vec()).unwrap();
            }
        }
    }
}

/// Prints what `benches/README.md` says about the API. Meant for a release build on a quiet machine.
#[test]
#[ignore = "takes a minute: cargo test --release --test suite api:: -- --ignored --nocapture"]
fn figures() {
    const REQUESTS: usize = 100_000;
    let server = Server::start(&["--log", "info"]);
    let address = server.address();
    let index = Index::new(&CLASSIC);
    let mut random = Random::new(7);
    let materials = materials(4);
    let positions: Vec<String> = (0..1_000)
        .map(|_| random_position(&index, *random.choose(&materials), &mut random).to_string())
        .collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();

    let mut times: Vec<Duration> = runtime.block_on(async {
        let mut client = Client::connect(address).await;
        let mut times = Vec::new();
        for position in positions.iter().cycle().take(5_000) {
            let started = Instant::now();
            client.probe(position).await;
            times.push(started.elapsed());
        }
        times
    });
    times.sort();
    println!("one client: median {:?}, 99% below {:?}", times[2_500], times[4_950]);

    // The first round warms up caches and threads; the others may add next to nothing.
    let mut resident = vec![server.resident()];
    for round in 1..=4 {
        let started = Instant::now();
        let clients: Vec<_> = (0..64)
            .map(|number| {
                let (address, positions) = (address.to_owned(), positions.clone());
                runtime.spawn(async move {
                    let mut client = Client::connect(&address).await;
                    for index in 0..REQUESTS / 64 {
                        client.probe(&positions[(number * 131 + index) % positions.len()]).await;
                    }
                })
            })
            .collect();
        runtime.block_on(async {
            for client in clients {
                client.await.unwrap();
            }
        });
        let rate = REQUESTS as f64 / started.elapsed().as_secs_f64();
        resident.push(server.resident());
        println!("64 clients, round {round}: {rate:.0} probes a second, {} KiB in use", resident[round]);
    }
    println!("{} KiB in use before the first round", resident[0]);
    assert!(resident[4] < resident[1] + (4 << 10), "memory grows: {resident:?}");
    assert!(times[2_500] < Duration::from_millis(2));
}
