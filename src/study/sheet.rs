//! Studies as a sheet of diagrams.

use std::io::{self, Write};

use super::Study;

/// Diagrams beside each other.
const COLUMNS: usize = 4;
/// The size of a diagram, and of the lines below it.
const DIAGRAM: (usize, usize) = (232, 252);
const CAPTION: usize = 44;
const GAP: usize = 16;

/// What stands below a diagram: the value and the moves that keep it.
fn captions(study: &Study) -> [String; 2] {
    let verdict = &study.verdict;
    let value = verdict.in_words();
    let value = match study.passed {
        Some(passed) => format!("{value}; {passed} if the other side had the move"),
        None => value,
    };
    const SHOWN: usize = 4;
    let mut moves: Vec<String> = study.moves.iter().take(SHOWN).map(ToString::to_string).collect();
    if study.moves.len() > SHOWN {
        moves.push("…".to_owned());
    }
    [value, moves.join(" ")]
}

/// Writes studies as one SVG image, four diagrams beside each other.
///
/// # Errors
/// What writing returns.
pub fn svg_sheet(out: &mut dyn Write, title: &str, studies: &[Study]) -> io::Result<()> {
    let rows = studies.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS * (DIAGRAM.0 + GAP) + GAP, rows * (DIAGRAM.1 + CAPTION + GAP) + GAP + 32);
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\"><title>{0}</title>\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\
         <text x=\"{GAP}\" y=\"28\" font-size=\"18\">{0}</text>",
        escaped(title)
    )?;
    for (index, study) in studies.iter().enumerate() {
        let x = GAP + index % COLUMNS * (DIAGRAM.0 + GAP);
        let y = 32 + GAP + index / COLUMNS * (DIAGRAM.1 + CAPTION + GAP);
        let [value, moves] = captions(study);
        let line =
            |nth: usize, text: &str| format!("<text y=\"{}\">{}</text>", DIAGRAM.1 + 16 * nth, escaped(text));
        write!(
            out,
            "<g transform=\"translate({x} {y})\">{}{}{}</g>",
            study.position.svg(),
            line(1, &format!("{}. {value}", index + 1)),
            line(2, &moves)
        )?;
    }
    writeln!(out, "</svg>")
}

/// Writes studies as a web page of diagrams, which also prints well.
///
/// # Errors
/// What writing returns.
pub fn html_sheet(out: &mut dyn Write, title: &str, studies: &[Study]) -> io::Result<()> {
    let title = escaped(title);
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>\
         body{{font-family:sans-serif;margin:1rem}}main{{display:flex;flex-wrap:wrap;gap:1rem}}\
         figure{{margin:0;width:232px;break-inside:avoid}}figcaption{{font-size:.8rem;overflow-wrap:anywhere}}\
         </style></head>\n<body><h1>{title}</h1><main>"
    )?;
    for (index, study) in studies.iter().enumerate() {
        let [value, moves] = captions(study);
        writeln!(
            out,
            "<figure>{}<figcaption>{}. {}<br>{}<br><code>{}</code></figcaption></figure>",
            study.position.svg(),
            index + 1,
            escaped(&value),
            escaped(&moves),
            study.position
        )?;
    }
    writeln!(out, "</main></body></html>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
