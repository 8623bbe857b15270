#!/usr/bin/env bash
# Runs Miri, the interpreter that finds undefined behaviour, over the code that shares memory between threads: regions,
# cells and lists of the solver, and both hash tables. Takes a few minutes.
#
#   tools/miri.sh            everything below
#   tools/miri.sh region::   the tests whose names contain this
#
# Miri is a component of nightly toolchains: `rustup toolchain install nightly --component miri,rust-src`.
set -euo pipefail
cd "$(dirname "$0")/.."

toolchain=${MIRI_TOOLCHAIN:-nightly}
if ! cargo "+$toolchain" miri --version >/dev/null 2>&1; then
    echo "Miri is not installed for the toolchain '$toolchain': rustup component add --toolchain $toolchain miri rust-src" >&2
    exit 1
fi

filters=("$@")
if [ ${#filters[@]} -eq 0 ]; then
    filters=(region:: solve::values::cells solve::values::frontier search::hash proof::hash)
fi
# Isolation is off because the tests read an environment variable and the time.
export MIRIFLAGS="${MIRIFLAGS:--Zmiri-disable-isolation}"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri"
exec cargo "+$toolchain" miri test --package alquerque --lib --no-default-features -- "${filters[@]}"
