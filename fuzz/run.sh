#!/usr/bin/env bash
# Runs every fuzz target for so many seconds each (60 if none are given), beginning with the seeds that
# fuzz/seeds.py makes from the tests and tables of the repository.
#
# Needs cargo-fuzz (`cargo install cargo-fuzz`) and a compiler with sanitizers: a nightly one, or the stable one, which
# this script lets use them. What was found interesting stays in fuzz/corpus, what failed in fuzz/artifacts.
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
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo fuzz list)
fuzz/seeds.py
# A target that does not compile is a fault; a toolchain without sanitizers is not.
cargo check --quiet --manifest-path fuzz/Cargo.toml
if ! cargo fuzz build --fuzz-dir fuzz >/dev/null 2>&1; then
    echo "this toolchain cannot build with sanitizers, so nothing was fuzzed: use a nightly one" >&2
    exit 0
fi
for target in "${targets[@]}"; do
    echo "== fuzz $target"
    mkdir -p "fuzz/corpus/$target"
    seeds="fuzz/seeds/$target"
    log=$(mktemp)
    if cargo fuzz run --fuzz-dir fuzz "$target" "fuzz/corpus/$target" "$seeds" -- \
        -max_total_time="$seconds" -seed=1 -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 -close_fd_mask=1 \
        >"$log" 2>&1; then
        grep -E "number_of_executed_units|peak_rss_mb" "$log"
    else
        tail -n 40 "$log" >&2
        echo "$target failed; what failed is in fuzz/artifacts/$target" >&2
        exit 1
    fi
    rm -f "$log"
done
