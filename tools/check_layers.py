#!/usr/bin/env python3
"""Checks that no folder of src/ includes what it may not know.

    tools/check_layers.py [ROOT]

MAY_INCLUDE is the whole rule: a folder may include itself, what stands in its row, and what those
may include. A row may also name one file of a folder ("cache/state_spec"). Tests, fuzzers and
benchmarks, with their helpers (test_x.h), may include whatever their own target links, which its
CMakeLists.txt says.
"""

import re
import sys
from pathlib import Path

MAY_INCLUDE = {
    "base": [],
    "tensor": ["base"],
    "backend": ["tensor"],
    "checkpoint": ["tensor"],
    "text": ["base"],
    "cache": ["base"],
    "schedule": ["cache"],
    "nn": ["backend", "checkpoint", "cache/state_spec"],
    "models": ["nn"],
    "engine": ["models", "schedule", "text"],
    "perf": ["engine", "backend/cost"],
    "compress": ["models", "backend/trace"],
    "serve": ["engine", "perf"],
    "cli": ["engine", "perf", "compress", "serve"],
}

# Slow to compile: they belong into .cpp files only.
HEAVY_HEADERS = ("CLI/", "boost/", "nlohmann/")
LIGHT_HEADERS = {"nlohmann/json_fwd.hpp"}  # declares names, no more

SOURCES = {".h", ".cpp", ".inl"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
DEPENDS = re.compile(r"cairn_module\(\s*(\S+)([^)]*)\)")


def closure(start: list[str], edges: dict[str, list[str]]) -> set[str]:
    """What is reached from `start`; "folder/file" is an end and opens nothing but itself."""
    reached, waiting = set(), list(start)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += edges.get(name, [])
    return reached


def linked_folders(source: Path) -> dict[str, list[str]]:
    """folder -> the folders its target links, from the CMakeLists.txt files."""
    links = {}
    for cmake in source.glob("*/CMakeLists.txt"):
        for name, arguments in DEPENDS.findall(cmake.read_text()):
            words = arguments.split()
            if "DEPENDS" in words:
                words = words[words.index("DEPENDS") + 1:]
            links[name] = [word for word in words if word in MAY_INCLUDE]
    return links


def is_check(path: Path) -> bool:
    return path.stem.endswith(("_test", "_fuzz", "_bench")) or path.stem.startswith("test_")


def allowed(include: str, permitted: set[str]) -> bool:
    parts = Path(include).with_suffix("").parts
    return any("/".join(parts[:length]) in permitted for length in range(1, len(parts) + 1))


def faults_of_file(path: Path, source: Path, permitted: set[str]) -> list[str]:
    faults = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, include = found.groups()
        place = f"{path.relative_to(source.parent)}:{number}"
        if quote == "<":
            light = include in LIGHT_HEADERS
            if path.suffix == ".h" and include.startswith(HEAVY_HEADERS) and not light:
                faults.append(f"{place}: <{include}> belongs into a .cpp file")
        elif "/" not in include or include.split("/")[0] not in MAY_INCLUDE:
            faults.append(f'{place}: "{include}" does not start with a folder of src/')
        elif not allowed(include, permitted):
            faults.append(f'{place}: may not include "{include}"')
    return faults


def check(root: Path) -> list[str]:
    """Every fault below root/src, one line each."""
    source = root / "src"
    links = linked_folders(source)
    faults = []
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        if folder.name not in MAY_INCLUDE:
            faults.append(f"src/{folder.name}: no row in MAY_INCLUDE of tools/check_layers.py")
            continue
        for name in links.get(folder.name, []):
            if not any(name == row.split("/")[0] for row in closure([folder.name], MAY_INCLUDE)):
                faults.append(f"src/{folder.name}/CMakeLists.txt: may not link {name}")
        code = closure([folder.name], MAY_INCLUDE)
        checks = code | closure([folder.name], links)
        for path in sorted(folder.rglob("*")):
            if path.suffix in SOURCES:
                faults += faults_of_file(path, source, checks if is_check(path) else code)
    return faults


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    faults = check(root)
    print("\n".join(faults) if faults else "layers: every include is allowed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
