#!/usr/bin/env bash
# Runs fuzz targets for so many seconds each: fuzz/run.sh [SECONDS [TARGET...]], 60 and all of them if not given. They
# begin with the seeds that fuzz/seeds.py makes from the tests and tables of the repository.
#
# Needs cargo-fuzz (`cargo install cargo-fuzz`) and a compiler with sanitizers: a nightly one, or the stable one, which
# this script lets use them. What was found interesting stays in fuzz/corpus, what failed in fuzz/artifacts.
#
# FUZZ_SANITIZER=none runs without AddressSanitizer and without traced comparisons, several times as fast. Overflow
# checks and debug assertions stay on.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "cargo-fuzz is missing, so nothing was fuzzed: cargo install cargo-fuzz" >&2
    exit 0
fi
rustc --version | grep -q nightly || export RUSTC_BOOTSTRAP=1
[ ${#targets[@]} -gt 0 ] || targets=(text record rulefile engine table certificate http)
sanitizer=${FUZZ_SANITIZER:-address}
common=(--fuzz-dir fuzz --sanitizer "$sanitizer")
[ "$sanitizer" != none ] || common+=(--no-trace-compares)
mkdir -p fuzz/target
log=$(mktemp fuzz/target/log.XXXXXX)
trap 'rm -f "$log"' EXIT

# The longest input, where what the seeds have is not enough or too much.
longest() {
    case $1 in
        text) echo 128 ;;
        record | rulefile | engine) echo 4096 ;;
        *) echo 0 ;;
    esac
}

fuzz/seeds.py
# A target that does not compile is a fault; a toolchain without sanitizers is not.
cargo check --quiet --manifest-path fuzz/Cargo.toml --no-default-features --bins
for target in "${targets[@]}"; do
    options=("${common[@]}")
    # Only the server needs what a server needs.
    [ "$target" = http ] || options+=(--no-default-features)
    if ! cargo fuzz build "${options[@]}" "$target" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "this toolchain cannot build with sanitizers, so nothing was fuzzed: use a nightly one" >&2
        exit 0
    fi
    echo "== fuzz $target"
    mkdir -p "fuzz/corpus/$target"
    if cargo fuzz run "${options[@]}" "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -max_len="$(longest "$target")" -timeout=20 -rss_limit_mb=1500 \
        -print_final_stats=1 -close_fd_mask=1 >"$log" 2>&1; then
        grep -E "number_of_executed_units|peak_rss_mb" "$log"
    else
        tail -n 40 "$log" >&2
        echo "$target failed; what failed is in fuzz/artifacts/$target" >&2
        exit 1
    fi
done
