#!/usr/bin/env python3
"""Counts the instructions of the product kernels per 32 multiply-adds, with valgrind.

A count does not depend on what else the machine does, so it finds a spilled register where a clock
finds noise. The processor that valgrind imitates has AVX2 and no AVX-512.

    bench/instructions.py             compare with bench/instructions.json; 1 where one grew by 2 %
    bench/instructions.py --write     make that file anew
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "bench" / "instructions.json"
COLUMNS = (1, 8, 256)
# The benchmark instructions/FORMAT/COLUMNS in src/backend/cpu/cpu_bench.cpp: calls of a kernel,
# rows and inputs.
CALLS, ROWS, INPUTS = 4, 128, 1024
TOLERANCE = 1.02


def format_names(bench):
    listed = subprocess.run(
        [bench, "--benchmark_list_tests"], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"^instructions/(\w+)/1/", listed, re.MULTILINE)
    if not names:
        sys.exit(f"{bench}: no benchmark instructions/FORMAT/1; build it anew")
    return names


def instructions(bench, name, columns):
    """Instructions within kernels per 32 multiply-adds."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "callgrind.out"
        subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                "--toggle-collect=*::multiply_*",
                f"--callgrind-out-file={output}",
                bench,
                f"--benchmark_filter=^instructions/{name}/{columns}/",
            ],
            capture_output=True,
            check=True,
            env={**os.environ, "CAIRN_ISA": "avx2"},
        )
        total = int(re.search(r"^(?:summary|totals): (\d+)", output.read_text(), re.MULTILINE)[1])
    return total * 32 / (CALLS * ROWS * INPUTS * columns)


def measure(bench):
    counts = {}
    for name in format_names(bench):
        counts[name] = {str(c): round(instructions(bench, name, c), 3) for c in COLUMNS}
        row = "  ".join(f"{value:7.3f}" for value in counts[name].values())
        print(f"{name:8}  {row}", flush=True)
    return counts


def grown(before, after):
    return [
        f"{name}, {columns} columns: {before[name][columns]} before, {count} now"
        for name, row in after.items()
        for columns, count in row.items()
        if name in before and count > TOLERANCE * before[name][columns]
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default=ROOT / "build" / "release" / "backend_bench")
    parser.add_argument("--write", action="store_true", help="make the baseline anew")
    options = parser.parse_args()
    print("format    " + "  ".join(f"{c:7}" for c in COLUMNS) + "   columns")
    counts = measure(options.bench)
    if options.write:
        table = {"unit": "instructions per 32 multiply-adds", "isa": "avx2", "counts": counts}
        BASELINE.write_text(json.dumps(table, indent=1) + "\n")
        return 0
    problems = grown(json.loads(BASELINE.read_text())["counts"], counts)
    print("\n".join(problems) or "none grew")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
