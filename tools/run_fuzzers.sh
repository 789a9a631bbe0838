#!/usr/bin/env bash
# Runs every fuzzer of a build folder for some seconds each; the corpus is kept in FOLDER/corpus,
# what crashes in FOLDER/crashes. usage: run_fuzzers.sh FOLDER SECONDS
set -euo pipefail

folder=$1
seconds=$2
found=0
passed=0
for fuzzer in "$folder"/*_fuzz; do
  [ -x "$fuzzer" ] || { echo "run_fuzzers: no fuzzer in $folder" >&2; exit 1; }
  name=$(basename "$fuzzer")
  corpus=$folder/corpus/$name
  mkdir -p "$corpus" "$folder/crashes"
  seeds=tests/cases/fuzz/$name
  inputs=("$corpus")
  [ ! -d "$seeds" ] || inputs+=("$seeds")
  echo "== $name, $seconds s"
  if "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$folder/crashes/$name-" "${inputs[@]}"; then
    passed=$((passed + 1))
  else
    found=$((found + 1))
  fi
done
echo "fuzzers: $passed passed, $found failed"
[ "$found" -eq 0 ]
