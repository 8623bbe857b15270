#!/usr/bin/env bash
# Time of a WDL probe, warm, in nanoseconds, through each face: the median over 21 rounds of 262,144
# positions of 3v3, timed in windows of 8,192.
# The package must be installed for $PYTHON. Python runs on one thread, then on all.
#
#     [PYTHON=python3] benches/faces/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
target=${CARGO_TARGET_DIR:-$PWD/target}
dir=$target/faces
mkdir -p "$dir"
cargo build -q --release --manifest-path benches/faces/Cargo.toml --target-dir "$target"
cargo rustc -q --release --lib --features capi --crate-type cdylib,staticlib --target-dir "$target"
cc -O2 -Iinclude benches/faces/probe.c "$target/release/libalquerque.a" -lpthread -ldl -lm -o "$dir/probe-static"
cc -O2 -Iinclude benches/faces/probe.c -L"$target/release" -Wl,-rpath,"$target/release" -lalquerque -o "$dir/probe-shared"
for _ in 1 2 3; do
    rust=$("$target/release/alquerque-faces" "$dir")
    report() { awk -v name="$1" -v ns="$2" -v rust="$rust" 'BEGIN { printf "%-24s%8.1f ns%8.2f\n", name, ns, ns / rust }'; }
    report "Rust" "$rust"
    report "C, static library" "$("$dir/probe-static" "$dir")"
    report "C, shared library" "$("$dir/probe-shared" "$dir")"
    report "probe_many, 1 thread" "$(RAYON_NUM_THREADS=1 "$python" benches/faces/probe_many.py "$dir")"
    report "probe_many, all threads" "$("$python" benches/faces/probe_many.py "$dir")"
done
