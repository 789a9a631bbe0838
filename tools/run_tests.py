#!/usr/bin/env python3
"""Runs the tests of one build folder and says how many were skipped and why.

    tools/run_tests.py FOLDER [-j N] [--strict] [-R REGEX]

--strict: a skipped test is a failure. The last line is "N passed, N failed".
"""

import argparse
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

# What gtest prints for GTEST_SKIP() << "reason".
SKIP_REASON = re.compile(r": Skipped\n(.*?)\n\s*\n?\[  SKIPPED \]", re.DOTALL)


def skip_reason(case: ElementTree.Element) -> str:
    output = case.findtext("system-out") or ""
    found = SKIP_REASON.search(output)
    return " ".join(found.group(1).split()) if found else "no reason given"


def run_ctest(arguments: argparse.Namespace, report: Path) -> int:
    command = ["ctest", "--test-dir", str(arguments.folder), "-j", str(arguments.jobs),
               "--output-on-failure", "--no-tests=error", "--output-junit", str(report)]
    if arguments.regex:
        command += ["-R", arguments.regex]
    # A line a passed test is noise; what failed is printed in full by --output-on-failure.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace")
    for line in process.stdout:
        if not re.search(r"^\s*(Start\s+\d+:|\d+/\d+ Test.*(Passed|\*\*\*Skipped))", line):
            print(line, end="", flush=True)
    return process.wait()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("-R", "--regex")
    arguments = parser.parse_args()

    report = arguments.folder.resolve() / "test_report.xml"
    report.unlink(missing_ok=True)
    code = run_ctest(arguments, report)
    if not report.exists():
        print("run_tests: ctest wrote no report", file=sys.stderr)
        return code or 1

    cases = ElementTree.parse(report).getroot().findall("testcase")
    skipped = [case for case in cases if case.find("skipped") is not None]
    failed = sum(case.get("status") == "fail" for case in cases)
    passed = sum(case.get("status") == "run" for case in cases)
    print(f"\n{len(skipped)} tests skipped" + (":" if skipped else ""))
    for reason, count in Counter(map(skip_reason, skipped)).most_common():
        print(f"  {count:4}  {reason}")
    if arguments.strict and skipped:
        failed += len(skipped)
        code = code or 1
    print(f"{passed} passed, {failed} failed")
    return code or (1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
