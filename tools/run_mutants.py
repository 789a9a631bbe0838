#!/usr/bin/env python3
"""Proves that the engine's fuzzer finds bugs: each mutant of tests/simulation/mutants.json is built
into it, one by one, and must be found within --seeds seeds.

    tools/run_mutants.py [--seeds N] [--jobs N] [--only TEXT]
    tools/run_mutants.py --check     only looks whether the mutants still fit the code

A mutant is a name, a file, an exact piece of its text that must occur once, and what stands there
instead. The build is kept in build/mutants.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
COPIED = ["CMakeLists.txt", "cmake", "src", "tests", "tools"]


def copy_sources() -> None:
    """Copies what differs, so that what was built stays built."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        source = ROOT / name
        files = [source] if source.is_file() else [f for f in source.rglob("*") if f.is_file()]
        for file in files:
            target = TREE / file.relative_to(ROOT)
            if target.exists() and target.read_bytes() == file.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    for old in [f for f in (TREE / "src").rglob("*") if f.is_file()]:
        if not (ROOT / old.relative_to(TREE)).exists():
            old.unlink()


def run(command: list[str], limit_s: int) -> tuple[int, str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return -1, f"no end after {limit_s} s"
    return done.returncode, done.stdout + done.stderr


def build(jobs: int) -> str:
    """What went wrong, or nothing."""
    for command in (
        ["cmake", "-S", str(TREE), "-B", str(WORK / "build"), "-G", "Ninja",
         "-DCMAKE_BUILD_TYPE=Release"],
        ["ninja", "-C", str(WORK / "build"), "-j", str(jobs), "engine_fuzz"],
    ):
        code, output = run(command, 3600)
        if code != 0:
            return f"{' '.join(command)} failed:\n{output[-3000:]}"
    return ""


def fuzz(seeds: int, limit_s: int) -> tuple[int, str]:
    program = str(WORK / "build" / "engine_fuzz")
    return run([program, "--seeds", f"0..{seeds}", "--steps", "200"], limit_s)


def fits(mutant: dict) -> bool:
    count = (ROOT / mutant["file"]).read_text().count(mutant["old"])
    if count != 1:
        print(f"{mutant['name']}: its text occurs {count} times in {mutant['file']}, expected once")
    return count == 1


def try_mutant(mutant: dict, options: argparse.Namespace) -> bool:
    """Whether it was found."""
    path = TREE / mutant["file"]
    text = path.read_text()
    path.write_text(text.replace(mutant["old"], mutant["new"]))
    try:
        problem = build(options.jobs)
        if problem:
            print(f"{mutant['name']}: {problem}")
            return False
        started = time.monotonic()
        code, output = fuzz(options.seeds, options.limit_s)
    finally:
        path.write_text(text)
    found = code != 0
    line = next((line for line in output.splitlines() if line.strip()), "")
    verdict = f"found in {time.monotonic() - started:.1f} s" if found else "NOT FOUND"
    print(f"{mutant['name']}: {verdict}\n    {line.strip()[:150]}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4000)
    parser.add_argument("--limit-s", type=int, default=120)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="", help="mutants whose name contains this")
    options = parser.parse_args()
    mutants = json.loads((ROOT / "tests" / "simulation" / "mutants.json").read_text())
    if not all([fits(mutant) for mutant in mutants]):
        return 1
    if options.check:
        print(f"{len(mutants)} mutants fit the code")
        return 0
    copy_sources()
    problem = build(options.jobs)
    if problem:
        sys.exit(problem)
    code, output = fuzz(options.seeds, options.limit_s * 10)
    if code != 0:
        print(f"without a mutant: {output}")
        return 1
    chosen = [mutant for mutant in mutants if options.only in mutant["name"]]
    missed = [mutant["name"] for mutant in chosen if not try_mutant(mutant, options)]
    print(f"{len(chosen) - len(missed)} of {len(chosen)} mutants were found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
