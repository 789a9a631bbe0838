#!/usr/bin/env python3
"""Writes tests/cases/jinja/*.case: small templates with what Jinja2 makes of them.

    python3 -m pip install jinja2==3.1.6
    tools/make_jinja_cases.py

The environment is that of transformers' chat templates. A case file holds cases of this form; a
part reaches up to the newline before the next marker:

    === name
    --- template
    {{ x + 1 }}
    --- context
    {"x": 1}
    --- expected            (or: --- error, followed by Python's own words)
    2
"""

import json
import sys
from datetime import datetime
from pathlib import Path

import jinja2
import jinja2.ext
import jinja2.sandbox

sys.path.insert(0, str(Path(__file__).parent))
from jinja_cases import CASES  # noqa: E402

OUT = Path(__file__).parent.parent / "tests" / "cases" / "jinja"
NOW = datetime(2026, 7, 1, 12, 34, 56)


class Generation(jinja2.ext.Extension):
    """{% generation %}: marks what the assistant wrote; renders as its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_render")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def make_environment():
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Generation, jinja2.ext.loopcontrols],
    )
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = NOW.strftime
    return environment


def render(environment, template, context):
    """(marker, text)"""
    try:
        text = environment.from_string(template).render(**context)
        text.encode()  # what holds half a surrogate pair can be no prompt
        return "expected", text
    except Exception as error:  # whatever Python raises, the template is refused
        words = " ".join(str(error).split())
        return "error", f"{type(error).__name__}: {words}"


def main():
    if jinja2.__version__ != "3.1.6":
        sys.exit(f"jinja2 {jinja2.__version__} is installed, the cases are made with 3.1.6")
    environment = make_environment()
    OUT.mkdir(parents=True, exist_ok=True)
    total = 0
    for group, cases in CASES.items():
        with open(OUT / f"{group}.case", "w", encoding="utf-8", newline="") as file:
            for number, case in enumerate(cases, 1):
                template, context = case if isinstance(case, tuple) else (case, {})
                marker, text = render(environment, template, context)
                file.write(f"=== {group} {number}\n--- template\n{template}\n")
                file.write(f"--- context\n{json.dumps(context, ensure_ascii=False)}\n")
                file.write(f"--- {marker}\n{text}\n")
                total += 1
    print(f"{total} cases in {len(CASES)} files under {OUT}")


if __name__ == "__main__":
    main()
