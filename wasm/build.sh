#!/usr/bin/env bash
# Builds the npm package in target/npm: wasm/build.sh. Needs Rust's target, `rustup target add
# wasm32-unknown-unknown`, and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
package=${CARGO_TARGET_DIR:-target}/npm
rustc --print target-libdir --target $target | xargs test -d || rustup target add $target
cargo build --locked --release -p alquerque-wasm --target $target
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target} cargo build --locked --manifest-path wasm/bind/Cargo.toml
rm -rf "$package"
mkdir -p "$package"
"${CARGO_TARGET_DIR:-target}/debug/alquerque-wasm-bind" \
    "${CARGO_TARGET_DIR:-target}/$target/release/alquerque_wasm.wasm" "$package"
cp wasm/package.json wasm/README.md LICENSE-APACHE LICENSE-MIT "$package"
# Node reads `.js` in this folder as CommonJS, in the other one as a module.
echo '{"type": "commonjs"}' >"$package/node/package.json"
echo '{"type": "module"}' >"$package/web/package.json"
ls -l "$package"/*/*.wasm
