#!/usr/bin/env python3
"""Checks what clang-format and clang-tidy do not: the length of lines and files, white space, the
first lines of headers, and that nothing names somebody's machine.

    tools/check_style.py [ROOT]
"""

import re
import subprocess
import sys
from pathlib import Path

LINE_COLUMNS = 100
FILE_LINES = 500
CODE = {".h", ".cpp", ".inl", ".py", ".sh", ".cmake"}
CPP = {".h", ".cpp", ".inl"}
TEXT = CODE | {".md", ".txt", ".json", ".yml", ".yaml"}
# Data is kept as it was made.
DATA = ("tests/cases/", "tools/jinja_cases.py")
MACHINE_PATH = re.compile(r"(?<![\w.<>}])/(?:work|home|Users)/\w")


def tracked_files(root: Path) -> list[Path]:
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [root / name for name in sorted(filter(None, names.split("\0")))]


def line_faults(suffix: str, line: str) -> list[str]:
    faults = []
    if suffix in CODE and len(line) > LINE_COLUMNS:
        faults.append(f"{len(line)} columns; at most {LINE_COLUMNS}")
    if suffix in CODE and line != line.rstrip():
        faults.append("white space at the end")
    if suffix in CODE and "\t" in line:
        faults.append("a tab")
    if MACHINE_PATH.search(line):
        faults.append("a path of somebody's machine")
    return faults


def faults_of(name: str, text: str) -> list[str]:
    """One line a fault: "name:line: what"."""
    suffix = Path(name).suffix
    lines = text.splitlines()
    faults = []
    for number, line in enumerate(lines, 1):
        faults += [f"{name}:{number}: {fault}" for fault in line_faults(suffix, line)]
    if suffix in CPP and len(lines) > FILE_LINES:
        faults.append(f"{name}: {len(lines)} lines; at most {FILE_LINES}: split it")
    if suffix in CODE and text and not text.endswith("\n"):
        faults.append(f"{name}: no newline at the end")
    if suffix == ".h" and lines[:1] != ["#pragma once"]:
        faults.append(f"{name}:1: a header starts with #pragma once")
    if suffix == ".h" and not any(line.startswith("//") for line in lines[1:3]):
        faults.append(f"{name}:2: a header says in its second line what it is for")
    return faults


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    faults = []
    for path in tracked_files(root):
        name = str(path.relative_to(root))
        known = path.suffix in TEXT or path.name == "Makefile"
        if known and path.is_file() and not name.startswith(DATA):
            faults += faults_of(name, path.read_text(errors="replace"))
    print("\n".join(faults) if faults else "style: nothing to say")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
