//! Makes the JavaScript and the TypeScript types for the WebAssembly module: `bind MODULE.wasm DIRECTORY` writes a
//! folder for Node and one for browsers. It does what the tool `wasm-bindgen` does, so that none need be
//! installed.

use std::path::Path;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [module, directory] = &arguments[..] else {
        eprintln!("usage: alquerque-wasm-bind MODULE.wasm DIRECTORY");
        return ExitCode::from(2);
    };
    let bind = || {
        for target in ["node", "web"] {
            let mut bindgen = Bindgen::new();
            bindgen.input_path(module).out_name("alquerque").typescript(true);
            match target {
                "node" => bindgen.nodejs(true)?,
                _ => bindgen.web(true)?.omit_default_module_path(false),
            };
            bindgen.generate(Path::new(directory).join(target))?;
        }
        Ok::<(), Box<dyn std::error::Error>>(())
    };
    match bind() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot make the JavaScript: {error}");
            ExitCode::FAILURE
        }
    }
}
