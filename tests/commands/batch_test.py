#!/usr/bin/env python3
"""cairn batch as a person uses it, on a tiny model written here.

usage: batch_test.py CAIRN [CASE...]
"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import command_test
from command_test import INTERRUPTED, NOT_FOUND, SYSTEM, USAGE


class BatchTest(command_test.CommandTest):
    def setUp(self):
        self.input = self.home / f"{self.id()}.in.jsonl"
        self.output = self.home / f"{self.id()}.out.jsonl"

    def write(self, lines):
        self.input.write_text(
            "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines)
        )

    def command(self, *more):
        return ["batch", self.model, "--input", self.input, "--output", self.output, *more]

    def answers(self, *more, **options):
        self.cairn(*self.command(*more), **options)
        return self.written()

    def written(self):
        # Not splitlines(): texts hold other characters that it takes for line breaks.
        return [json.loads(line) for line in self.output.read_text().split("\n") if line]

    def mixed(self, count):
        """Greedy and drawn, of many lengths, some beginning alike, some with three choices."""
        lines = []
        for i in range(count):
            beginning = "The harbour lies in the fog. " if i % 3 else f"Letter {i}: "
            line = {"custom_id": f"r{i}", "prompt": beginning + "x" * (7 * i % 90)}
            line["max_tokens"] = 4 + 5 * i % 23
            line["temperature"] = 0 if i % 2 else 1.2
            if i % 7 == 3:
                line["n"] = 3
            lines.append(line)
        return lines


def texts_and_hashes(answers):
    return [
        (a["custom_id"], [(c["tokens"], c["text"], c["logit_hash"]) for c in a["choices"]])
        for a in answers
    ]


class Batches(BatchTest):
    def test_every_line_is_answered_in_the_order_of_the_input(self):
        lines = self.mixed(24)
        self.write(lines)
        done = self.cairn(*self.command("--max-sequences", 8))
        answers = self.written()
        self.assertEqual([a["custom_id"] for a in answers], [x["custom_id"] for x in lines])
        for line, answer in zip(lines, answers):
            self.assertEqual(len(answer["choices"]), line.get("n", 1))
            for index, choice in enumerate(answer["choices"]):
                self.assertEqual(choice["index"], index)
                self.assertIn(choice["finish_reason"], ("stop", "length"))
                self.assertLessEqual(len(choice["tokens"]), line["max_tokens"])
            counted = sum(len(choice["tokens"]) for choice in answer["choices"])
            self.assertEqual(answer["usage"]["generated_tokens"], counted)
        self.assertIn("24 requests in", done.stderr)
        self.assertIn("preemptions", done.stderr)
        self.assertFalse((self.home / f"{self.output.name}.journal").exists())

    def test_answers_do_not_depend_on_how_the_batch_is_run(self):
        self.write(self.mixed(20))
        expected = texts_and_hashes(self.answers("--max-sequences", 1, "--logit-hash"))
        for more in (
            ["--max-sequences", 8],
            ["--max-sequences", 16, "--prefill-chunk", 5, "--no-prefix-cache"],
            ["--max-sequences", 4, "--page-tokens", 64, "--schedule", "prefix"],
            ["--max-sequences", 12, "--kv-memory", "90kB", "--context", 200],
            ["--threads", 1, "--schedule", "static"],
            ["--max-sequences", 12, "--target-itl", 0.2],
        ):
            self.assertEqual(texts_and_hashes(self.answers("--logit-hash", *more)), expected, more)
        plain = self.answers("--max-sequences", 3)
        self.assertEqual(
            [[c["tokens"] for c in a["choices"]] for a in plain],
            [[tokens for tokens, _, _ in choices] for _, choices in expected],
        )

    def test_many_choices_wait_for_their_turn(self):
        line = {"prompt": "Once", "max_tokens": 2, "n": 100}
        self.write([{"custom_id": f"r{i}", **line} for i in range(6)])
        for answer in self.answers("--max-sequences", 32):
            self.assertEqual(len(answer["choices"]), 100)

    def test_a_seed_is_drawn_from_the_id_unless_it_is_given(self):
        line = {"prompt": "Once", "max_tokens": 12, "temperature": 2}
        self.write(
            [
                {"custom_id": "a", **line},
                {"custom_id": "b", **line},
                {"custom_id": "c", "seed": 5, **line},
                {"custom_id": "d", "seed": 5, **line},
            ]
        )
        a, b, c, d = (x["choices"][0]["tokens"] for x in self.answers())
        self.assertNotEqual(a, b)
        self.assertEqual(c, d)
        again = [x["choices"][0]["tokens"] for x in self.answers("--seed", 9)]
        self.assertNotEqual(again[0], a)
        self.assertEqual(again[2], c)

    def test_openai_lines_are_answered_in_their_form(self):
        chat = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 5}
        self.write(
            [
                {
                    "custom_id": "chat",
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": {**chat, "logprobs": True, "top_logprobs": 2, "ignore_eos": True},
                },
                {
                    "custom_id": "text",
                    "method": "POST",
                    "url": "/v1/completions",
                    "body": {"model": "m", "prompt": "Once", "max_tokens": 3, "echo": True},
                },
                {
                    "custom_id": "bad",
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": {**chat, "temperature": "hot"},
                },
            ]
        )
        answered, text, bad = self.answers()
        body = answered["response"]["body"]
        self.assertEqual(answered["response"]["status_code"], 200)
        self.assertIsNone(answered["error"])
        self.assertEqual(body["object"], "chat.completion")
        self.assertEqual(body["choices"][0]["message"]["role"], "assistant")
        self.assertEqual(len(body["choices"][0]["logprobs"]["content"]), 5)
        self.assertEqual(len(body["choices"][0]["logprobs"]["content"][0]["top_logprobs"]), 2)
        self.assertEqual(body["usage"]["completion_tokens"], 5)
        self.assertTrue(text["response"]["body"]["choices"][0]["text"].startswith("Once"))
        self.assertEqual(bad["response"]["status_code"], 400)
        self.assertIn("body.temperature", bad["response"]["body"]["error"]["message"])

    def test_stop_strings_tokens_and_biases(self):
        self.write(
            [
                {"custom_id": "ids", "tokens": [10, 20, 30], "max_tokens": 4, "ignore_eos": True},
                {
                    "custom_id": "forced",
                    "prompt": "a",
                    "max_tokens": 9,
                    "temperature": 0,
                    "logit_bias": {"70": 1000},
                    "stop": ["ee"],
                },
                {"custom_id": "beams", "prompt": "Once", "max_tokens": 6, "num_beams": 3, "n": 2},
            ]
        )
        ids, forced, beams = self.answers()
        self.assertEqual(len(ids["choices"][0]["tokens"]), 4)
        self.assertEqual(ids["usage"]["prompt_tokens"], 3)
        self.assertEqual(set(forced["choices"][0]["tokens"]), {70})
        self.assertEqual(len(beams["choices"]), 2)


class BatchErrors(BatchTest):
    def test_what_is_wrong_with_a_line_is_said_in_its_line(self):
        good = {"custom_id": "good", "prompt": "Once", "max_tokens": 3}
        self.write(
            [
                "{not JSON",
                good,
                {"prompt": "no id"},
                {"custom_id": "none"},
                {"custom_id": "long", "prompt": "x" * 2000},
                {"custom_id": "field", "prompt": "a", "colour": "red"},
                {"custom_id": "type", "prompt": "a", "n": "two"},
                {"custom_id": "range", "prompt": "a", "top_p": 1.5},
                {"custom_id": "many", "prompt": "a", "n": 100000},
                {"custom_id": "token", "tokens": [5, 99999]},
                good,
                "",
                {"custom_id": "both", "prompt": "a", "tokens": [1]},
                {"custom_id": "url", "url": "/v1/images", "body": {}},
                '{"custom_id": "deep", "prompt": ' + "[" * 100000 + "]" * 100000 + "}",
                {"custom_id": "last", "prompt": "Once", "max_tokens": 2},
            ]
        )
        answers = self.answers()
        self.assertEqual(len(answers), 15)
        expected = {
            0: "line 1: the line is no JSON object",
            2: "custom_id: missing",
            3: "prompt: missing",
            4: "2000 tokens leave no room",
            5: "colour: no such field",
            6: 'n: found "two"',
            7: "top_p is 1.5",
            8: "n: found 100000",
            9: "token 99999",
            10: "custom_id: 'good' was used",
            11: "give one of them",
            12: "found /v1/images",
            13: "deep; at most 64",
        }
        for index, message in expected.items():
            self.assertIn(message, json.dumps(answers[index]).replace('\\"', '"'))
        self.assertEqual(answers[7]["error"]["kind"], "invalid_argument")
        self.assertEqual(len(answers[1]["choices"][0]["tokens"]), 3)
        self.assertEqual(answers[14]["custom_id"], "last")

    def test_files_and_flags(self):
        self.write([{"custom_id": "a", "prompt": "Once", "max_tokens": 2}])
        absent = self.home / "absent.jsonl"
        self.refused(
            "batch", self.model, "--input", absent, "--output", self.output,
            code=NOT_FOUND, names="absent.jsonl",
        )  # fmt: skip
        self.refused(
            "batch", self.model, "--input", self.input, "--output", "/no/such/folder/x",
            code=SYSTEM, names="/no/such/folder/x",
        )  # fmt: skip
        self.refused(*self.command("--kv-memory", "lots"), code=USAGE, names="--kv-memory")
        self.refused(*self.command("--kv-memory", "1kB"), code=USAGE, names="KV memory")
        self.refused(*self.command("--schedule", "random"), code=USAGE, names="random")
        self.refused(*self.command("--page-tokens", 20), code=USAGE, names="page_tokens")

    def start(self, *more):
        return subprocess.Popen(
            [command_test.CAIRN, *map(str, self.command("--max-sequences", 4, *more))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment(),
        )

    def journalled(self, at_least):
        """Waits until so many answers stand in the journal."""
        journal = self.home / f"{self.output.name}.journal"
        end = time.monotonic() + 100
        while time.monotonic() < end:
            if journal.exists() and journal.read_bytes().count(b"\n") > at_least:
                return
            time.sleep(0.002)
        self.fail("no answer in time")

    def long_batch(self):
        lines = [
            {"custom_id": f"r{i}", "prompt": f"Letter {i}", "max_tokens": 30 + i % 30,
             "temperature": 1.5, "ignore_eos": True}
            for i in range(160)
        ]  # fmt: skip
        self.write(lines)
        return [x["custom_id"] for x in lines]

    def test_a_killed_batch_goes_on_where_it_was(self):
        ids = self.long_batch()
        expected = texts_and_hashes(self.answers("--logit-hash"))
        self.assertEqual([i for i, _ in expected], ids)
        self.output.unlink()
        for kill_after in (3, 40, 90):
            process = self.start("--logit-hash")
            self.journalled(kill_after)
            process.kill()
            process.communicate()
            self.assertFalse(self.output.exists())
        with open(f"{self.output}.journal", "ab") as journal:
            journal.write(b'7\t{"custom_id": "cut in the mid')
        done = self.cairn(*self.command("--logit-hash"))
        self.assertRegex(done.stderr, r"(9|1\d)\d of 160 requests were answered before")
        answers = self.written()
        self.assertEqual(texts_and_hashes(answers), expected)

    def test_ctrl_c_keeps_what_is_done(self):
        ids = self.long_batch()
        process = self.start()
        self.journalled(8)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, INTERRUPTED, errors)
        self.assertIn(b"of 160 requests are answered", errors)
        answers = self.answers()
        self.assertEqual([a["custom_id"] for a in answers], ids)
        self.assertTrue(all("choices" in a for a in answers))

    def test_a_journal_of_another_batch_is_not_gone_on_with(self):
        self.long_batch()
        process = self.start()
        self.journalled(3)
        process.kill()
        process.communicate()
        self.refused(*self.command("--seed", 4), code=USAGE, names="was begun with another")
        self.write([{"custom_id": "a", "prompt": "Once", "max_tokens": 2}])
        self.refused(*self.command(), code=USAGE, names=".journal")


if __name__ == "__main__":
    command_test.CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
