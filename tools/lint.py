#!/usr/bin/env python3
"""Lints: layers, style, clang-format and clang-tidy.

    tools/lint.py              every file
    tools/lint.py --changed    clang-tidy only on what changed since $CI_BASE, else since the point
                               where this branch left origin/main, else in the last commit; after
                               five minutes it begins no other file and says how many are left

A file that clang-tidy passed is not looked at again until it, a header of ours that it includes,
.clang-tidy or clang-tidy itself changes. The last line is "N passed, N failed".
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "lint"
CHANGED_SECONDS = 300
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def git(*arguments: str) -> str | None:
    command = ["git", "-C", str(ROOT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def cpp_files() -> list[Path]:
    names = git("ls-files", "-co", "--exclude-standard", "*.h", "*.cpp", "*.inl") or ""
    return [ROOT / name for name in names.splitlines() if (ROOT / name).is_file()]


def changed_files() -> set[Path] | None:
    """None: cannot be told, so everything."""
    head = git("rev-parse", "HEAD")
    base = os.environ.get("CI_BASE") or git("merge-base", "HEAD", "origin/main")
    if not base or base.strip() == (head or "").strip():
        base = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    if not base:
        return None
    committed = git("diff", "--name-only", base.strip())
    untracked = git("ls-files", "-o", "--exclude-standard")
    if committed is None or untracked is None:
        return None
    return {ROOT / name for name in (committed + untracked).splitlines()}


class Sources:
    """Which of our files a file includes, directly and through others."""

    def __init__(self, tool_version: str):
        self.included = {}
        self.tool_version = tool_version

    def includes_of(self, path: Path) -> set[Path]:
        if path not in self.included:
            text = path.read_text(errors="replace") if path.is_file() else ""
            self.included[path] = {ROOT / "src" / name for name in INCLUDE.findall(text)}
        return self.included[path]

    def closure(self, path: Path) -> set[Path]:
        reached, waiting = set(), [path]
        while waiting:
            current = waiting.pop()
            if current not in reached:
                reached.add(current)
                waiting += self.includes_of(current)
        return reached

    def fingerprint(self, path: Path) -> str:
        digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
        digest.update(self.tool_version.encode())
        for file in sorted(self.closure(path)):
            digest.update(str(file.relative_to(ROOT)).encode())
            digest.update(file.read_bytes() if file.is_file() else b"")
        return digest.hexdigest()


def run(*command: str) -> bool:
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        print(done.stdout, end="", flush=True)
    return done.returncode == 0


def configure() -> bool:
    # clang's own compilation database: gcc's has flags that clang-tidy does not know.
    return run("cmake", "--preset", "lint", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")


def tidy(path: Path, fingerprint: str) -> bool:
    stamp = BUILD / "passed" / fingerprint
    if stamp.exists():
        return True
    passed = run("clang-tidy", "-p", str(BUILD), "--quiet", str(path))
    if passed:
        stamp.touch()
    return passed


def clang_tidy_version() -> str | None:
    """None where clang-tidy does not work: something that only exits with 0 must not pass files."""
    done = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"LLVM version \S+", done.stdout)
    return found.group(0) if found else None


def run_clang_tidy(changed_only: bool) -> tuple[int, int]:
    version = clang_tidy_version()
    if version is None:
        print("lint: clang-tidy does not say its version; it is not the real one", file=sys.stderr)
        return 0, 1
    sources = Sources(version)
    database = (BUILD / "compile_commands.json").read_text()
    files = [path for path in cpp_files() if path.suffix == ".cpp" and f'"{path}"' in database]
    changed = changed_files() if changed_only else None
    if changed is not None and ROOT / ".clang-tidy" not in changed:
        files = [path for path in files if sources.closure(path) & changed]
    (BUILD / "passed").mkdir(exist_ok=True)
    workers = len(os.sched_getaffinity(0))
    end = time.monotonic() + CHANGED_SECONDS if changed_only else None

    def look(path: Path) -> bool | None:
        if end is not None and time.monotonic() > end:
            return None
        return tidy(path, sources.fingerprint(path))

    with ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(look, files))
    if left := results.count(None):
        print(f"lint: {left} changed files are left to `make lint`")
    return results.count(True), results.count(False)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--changed", action="store_true")
    arguments = parser.parse_args()
    missing = [tool for tool in ("clang-format", "clang-tidy", "clang++") if not shutil.which(tool)]
    if missing:
        print(f"lint: no {', '.join(missing)}; tools/install_deps.sh --dev", file=sys.stderr)
        return 1

    checks = [run(sys.executable, "tools/check_layers.py"),
              run(sys.executable, "tools/check_style.py"),
              run("clang-format", "--dry-run", "-Werror", *map(str, cpp_files())),
              configure()]
    passed, failed = checks.count(True), checks.count(False)
    if checks[-1]:
        tidy_passed, tidy_failed = run_clang_tidy(arguments.changed)
        print(f"lint: clang-tidy looked at {tidy_passed + tidy_failed} files")
        passed, failed = passed + tidy_passed, failed + tidy_failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
