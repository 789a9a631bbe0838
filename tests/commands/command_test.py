#!/usr/bin/env python3
"""The commands as a person uses them, on a tiny model written here.

usage: command_test.py CAIRN [CASE...]
"""

import http.server
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tiny_gguf

CAIRN = "cairn"
USAGE, NOT_FOUND, BAD_CONTENT, SYSTEM, INTERRUPTED = 2, 3, 4, 5, 130


class CommandTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.home = Path(cls.folder.name)
        cls.model = cls.home / "tiny.gguf"
        tiny_gguf.write(cls.model)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def environment(self, **more):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "OLLAMA"))}
        return {
            **environment,
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            **more,
        }

    def cairn(self, *arguments, stdin="", code=0, **environment):
        done = subprocess.run(
            [CAIRN, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
            env=self.environment(**environment),
        )
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def refused(self, *arguments, code, names, **more):
        """One line on stderr that names what is wrong."""
        done = self.cairn(*arguments, code=code, **more)
        lines = [line for line in done.stderr.splitlines() if line.startswith("cairn:")]
        self.assertEqual(len(lines), 1, done.stderr)
        for name in [names] if isinstance(names, str) else names:
            self.assertIn(name, lines[0])
        return lines[0]

    def lines(self, *arguments, **more):
        return [json.loads(line) for line in self.cairn(*arguments, **more).stdout.splitlines()]


class Answers(CommandTest):
    def test_run_is_repeatable_and_reports(self):
        first = self.cairn("run", self.model, "Hello", "-n", 12, "--seed", 5)
        again = self.cairn("run", self.model, "Hello", "-n", 12, "--seed", 5)
        self.assertEqual(first.stdout, again.stdout)
        self.assertIn("prompt tokens", first.stderr)
        self.assertIn("read per token", first.stderr)
        self.assertIn("context 512 tokens", first.stderr)

    def test_prompt_from_argument_file_and_stdin_is_the_same(self):
        path = self.home / "prompt.txt"
        path.write_text("Hello")
        options = ["-n", 8, "-t", 0, "-q"]
        expected = self.cairn("run", self.model, "Hello", *options).stdout
        self.assertEqual(self.cairn("run", self.model, "-f", path, *options).stdout, expected)
        self.assertEqual(self.cairn("run", self.model, *options, stdin="Hello").stdout, expected)

    def test_interrupt_prints_the_statistics_and_exits_130(self):
        command = [
            CAIRN,
            "run",
            str(self.model),
            "Hello",
            "-t",
            "2",
            "--ignore-eos",
            "--context",
            "500000",
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment()
        )
        process.stdout.read(20)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED, errors)
        self.assertIn(b"prompt tokens", errors)

    def test_chat_keeps_its_kv_between_turns(self):
        transcript = self.home / "talk.json"
        done = self.cairn(
            "chat",
            self.model,
            "-n",
            6,
            "-t",
            0,
            stdin=f"Hello\nAnd then?\n/stats\n/save {transcript}\n/nonsense\n/exit\n",
        )
        self.assertRegex(done.stderr, r"prompt tokens \([1-9]\d* cached\)")
        roles = [message["role"] for message in json.loads(transcript.read_text())]
        self.assertEqual(roles, ["user", "assistant"] * 2)
        again = self.cairn(
            "chat", self.model, "-n", 6, "-t", 0, stdin=f"/load {transcript}\nMore\n"
        )
        self.assertIn("4 turns", again.stderr)

    def test_chat_drops_the_oldest_turns_of_a_full_context(self):
        questions = "".join(f"Question number {i} is about the harbour.\n" for i in range(6))
        done = self.cairn("chat", self.model, "--context", 256, "-n", 8, stdin=questions)
        self.assertIn("are forgotten", done.stderr)


class Numbers(CommandTest):
    TOKENS = ",".join(str(20 + 7 * i % 200) for i in range(40))

    def hashes(self, *more):
        rows = self.lines("logits", self.model, "--tokens", self.TOKENS, "--top", 1, *more)
        self.assertEqual([row["position"] for row in rows], list(range(40)))
        return [row["hash"] for row in rows]

    def test_no_company_chunk_or_thread_changes_a_bit(self):
        strangers = self.home / "strangers.jsonl"
        strangers.write_text(
            "".join(
                json.dumps({"tokens": [(31 * i + 7 * j) % 250 + 3 for j in range(3 + 5 * i)]})
                + "\n"
                for i in range(8)
            )
        )
        alone = self.hashes()
        for more in (
            ["--chunk", 1],
            ["--chunk", 7],
            ["--threads", 1],
            ["--threads", 3],
            ["--chunk", 2, "--beside", strangers],
        ):
            self.assertEqual(self.hashes(*more), alone, more)
        counted = self.cairn(
            "logits", self.model, "--tokens", self.TOKENS, "--chunk", 1, "--beside", strangers
        )
        self.assertIn("rows per step: median 9", counted.stderr)

    def test_generated_tokens_are_the_likeliest(self):
        rows = self.lines("logits", self.model, "--tokens", "20,30,40", "--top", 1, "--generate", 5)
        generated = rows.pop()["generated"]
        self.assertEqual(generated, [row["top"][0][0] for row in rows[2:]])

    def test_raw_logits_are_what_the_lines_say(self):
        raw = self.home / "logits.f32"
        rows = self.lines("logits", self.model, "--tokens", "20,30", "--top", 2, "--raw", raw)
        values = struct.unpack(f"<{2 * len(tiny_gguf.PIECES)}f", raw.read_bytes())
        for row, start in zip(rows, (0, len(tiny_gguf.PIECES))):
            for token, logit in row["top"]:
                self.assertAlmostEqual(values[start + token], logit, places=5)

    def test_reference_and_cpu_agree_on_f32_weights(self):
        rows = {
            backend: self.lines(
                "logits",
                self.model,
                "--tokens",
                self.TOKENS,
                "--backend",
                backend,
                "--kv-type",
                "f32",
            )
            for backend in ("reference", "cpu")
        }
        for ours, theirs in zip(rows["cpu"], rows["reference"]):
            self.assertAlmostEqual(ours["lse"], theirs["lse"], places=3)

    def test_perplexity_of_a_random_model_is_near_its_vocabulary(self):
        text = self.home / "text.txt"
        text.write_text("The harbour at Veld is older than the town. " * 20)
        score = self.lines("perplexity", self.model, text, "--window", 128, "--json")[0]
        self.assertGreater(score["perplexity"], 20)
        self.assertEqual(score["scored_tokens"], score["windows"] * 63)

    def test_bench_says_what_it_measured(self):
        rows = self.lines(
            "bench",
            self.model,
            "--prompt",
            32,
            "--generate",
            4,
            "--batch",
            "1,3",
            "--depth",
            "0,64",
            "--json",
        )
        kinds = [(row["kind"], row["batch"], row["depth"]) for row in rows]
        self.assertEqual(
            kinds,
            [
                ("prefill", 1, 0),
                ("decode", 1, 0),
                ("decode", 3, 0),
                ("prefill", 1, 64),
                ("decode", 1, 64),
                ("decode", 3, 64),
            ],
        )
        for row in rows:
            self.assertGreater(row["tokens_per_second"], 0, row)
            self.assertGreater(row["bytes_per_token"], 1000, row)
            self.assertGreater(row["roofline_share"], 0, row)
            self.assertNotIn("profile", row)

    def test_bench_shows_where_a_step_goes(self):
        test = ["bench", self.model, "--prompt", 32, "--generate", 4, "--profile"]
        for row in self.lines(*test, "--json"):
            profile = row["profile"]
            self.assertEqual(profile["steps"], 1 if row["kind"] == "prefill" else 4)
            parts = {part["name"]: part for part in profile["parts"]}
            for name in ("embed", "matmul", "mlp", "attention", "plan and commit", "draw tokens"):
                self.assertIn(name, parts)
                self.assertGreater(parts[name]["seconds"], 0, name)
            seconds = sum(part["seconds"] for part in profile["parts"])
            self.assertAlmostEqual(seconds, profile["seconds_per_step"], delta=0.01 * seconds)
            self.assertAlmostEqual(sum(part["share"] for part in profile["parts"]), 1, places=3)
            self.assertGreater(parts["mlp"]["bytes_per_second"], 0)
            self.assertGreater(parts["mlp"]["roofline_share"], 0)
            self.assertEqual(parts["plan and commit"]["serial_share"], 1)
        shown = self.cairn(*test).stdout
        for title in ("OF STEP", "SERIAL", "IDLE", "draw tokens"):
            self.assertIn(title, shown)

    def test_tokenize_there_and_back(self):
        ids = self.cairn("tokenize", self.model, "Grüße, Welt!", "--ids").stdout.strip()
        self.assertEqual(len(ids.split()), len("Grüße, Welt!".encode()))
        self.assertEqual(
            self.cairn("tokenize", self.model, ids, "--decode").stdout, "Grüße, Welt!\n"
        )
        special = self.cairn("tokenize", self.model, "<|im_end|>", "--ids").stdout.split()
        self.assertEqual(special, ["2"])
        plain = self.cairn(
            "tokenize", self.model, "<|im_end|>", "--ids", "--no-special"
        ).stdout.split()
        self.assertEqual(len(plain), len("<|im_end|>"))

    def test_inspect_counts_what_is_there(self):
        facts = json.loads(
            self.cairn("inspect", self.model, "--json", "--tensors", "--metadata").stdout
        )
        self.assertEqual(facts["architecture"], "llama")
        self.assertEqual(facts["tensor_count"], len(tiny_gguf.tensors()))
        self.assertEqual(len(facts["tensors"]), facts["tensor_count"])
        self.assertEqual(facts["metadata"]["general.name"], "Tiny")
        self.assertIn("tiny", self.cairn("inspect", self.model).stdout.lower())


class Refusals(CommandTest):
    def test_files_that_are_no_models(self):
        empty = self.home / "nothing"
        empty.mkdir()
        text = self.home / "letter.txt"
        text.write_text("Dear harbour master,\n")
        self.refused("run", self.home / "absent.gguf", "Hi", code=NOT_FOUND, names="absent.gguf")
        self.refused("run", empty, "Hi", code=NOT_FOUND, names="nothing")
        self.refused("run", text, "Hi", code=BAD_CONTENT, names="letter.txt")
        self.refused(
            "run", "no-such-model", "Hi", code=NOT_FOUND, names=["no-such-model", "cairn pull"]
        )

    def test_a_file_cut_anywhere(self):
        whole = self.model.read_bytes()
        cut = self.home / "cut.gguf"
        for tenth in range(10):
            cut.write_bytes(whole[: len(whole) * tenth // 10])
            self.refused("run", cut, "Hi", code=BAD_CONTENT, names="cut.gguf")

    def test_what_nothing_here_runs(self):
        other = self.home / "other.gguf"
        tiny_gguf.write(other, architecture="rwkv42")
        self.refused("run", other, "Hi", code=BAD_CONTENT, names=["other.gguf", "rwkv42"])
        tiny_gguf.write(other, tensor_type=24)
        self.refused(
            "run", other, "Hi", code=BAD_CONTENT, names=["other.gguf", "token_embd.weight"]
        )

    def test_prompts(self):
        self.refused("run", self.model, "", code=USAGE, names="empty")
        self.refused("run", self.model, stdin="", code=USAGE, names="empty")
        self.refused("run", self.model, "word " * 400, code=USAGE, names=["512", "context"])
        self.refused(
            "run", self.model, "-f", self.home / "absent.txt", code=NOT_FOUND, names="absent.txt"
        )

    def test_flags(self):
        self.refused("run", self.model, "Hi", "--no-such-flag", code=USAGE, names="--no-such-flag")
        self.refused("run", self.model, "Hi", "--top-p", "2", code=USAGE, names="top_p")
        self.refused("run", self.model, "Hi", "-t", "nan", code=USAGE, names="temperature")
        self.refused(
            "run", self.model, "Hi", "--logit-bias", "9999:1", code=USAGE, names="--logit-bias"
        )
        self.refused("run", self.model, "Hi", "--kv-type", "q9", code=USAGE, names="--kv-type")
        self.refused("run", self.model, "Hi", "--weights", "q9", code=USAGE, names="--weights")
        self.refused("logits", self.model, "--tokens", "1,x", code=USAGE, names="'x'")
        self.refused("logits", self.model, "--tokens", "1,99999", code=USAGE, names="99999")
        self.refused("tokenize", self.model, "99999", "--decode", code=USAGE, names="99999")
        self.refused("nonsense", code=USAGE, names="--help")
        self.refused("run", self.model, "Hi", code=USAGE, names="CAIRN_ISA", CAIRN_ISA="vax")

    def test_what_does_not_fit_is_refused_with_the_numbers(self):
        self.refused(
            "run",
            self.model,
            "Hi",
            "--context",
            "1000000000",
            code=SYSTEM,
            names=["context", "available"],
        )

    def test_outputs_that_cannot_be_written(self):
        self.refused(
            "logits",
            self.model,
            "--tokens",
            "5",
            "--raw",
            self.home / "no" / "x",
            code=SYSTEM,
            names="no/x",
        )
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = subprocess.run(
                    [CAIRN, "tokenize", str(self.model), "Hi"],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=self.environment(),
                    timeout=60,
                )
            self.assertEqual(done.returncode, SYSTEM, done.stderr)

    def test_help_and_version(self):
        self.assertIn("isa", self.cairn("--version").stdout)
        listed = self.cairn("--help").stdout
        for command in (
            "run",
            "chat",
            "inspect",
            "tokenize",
            "template",
            "logits",
            "perplexity",
            "bench",
            "pull",
            "list",
            "rm",
            "machine",
        ):
            self.assertIn(f"  {command} ", listed)
            self.assertIn("Examples:", self.cairn(command, "--help").stdout)


class Half(http.server.BaseHTTPRequestHandler):
    """Serves a model; /cut promises all of it and stops halfway on the first request."""

    content = b""
    requests = 0

    def do_GET(self):
        Half.requests += 1
        if not self.path.startswith(("/tiny", "/cut")):
            self.send_error(404)
            return
        start = 0
        if self.headers.get("Range", "").startswith("bytes="):
            start = int(self.headers["Range"][6:].split("-")[0])
        body = self.content[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header(
                "Content-Range", f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
            )
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"tiny"')  # without one, a client must not put halves together
        self.end_headers()
        cut = self.path.startswith("/cut") and not start
        self.wfile.write(body[: len(body) // 2] if cut else body)

    def log_message(self, *_):
        pass


class Downloads(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        Half.content = cls.model.read_bytes()
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Half)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.url = f"http://127.0.0.1:{cls.server.server_port}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        super().tearDownClass()

    def test_pull_list_run_rm(self):
        self.cairn("pull", f"{self.url}/tiny.gguf")
        names = [model["name"] for model in json.loads(self.cairn("list", "--json").stdout)]
        self.assertIn("tiny", [name.removesuffix(".gguf") for name in names])
        self.cairn("run", "tiny", "Hello", "-n", 2)
        self.cairn("rm", "tiny")
        self.refused("run", "tiny", "Hello", code=NOT_FOUND, names="tiny")

    def test_a_broken_download_goes_on_where_it_stopped(self):
        first = subprocess.run(
            [CAIRN, "pull", f"{self.url}/cut.gguf"],
            capture_output=True,
            text=True,
            env=self.environment(),
            timeout=120,
        )
        if first.returncode != 0:  # a client that does not retry by itself is asked again
            self.assertEqual(first.returncode, SYSTEM, first.stderr)
            self.cairn("pull", f"{self.url}/cut.gguf")
        self.cairn("run", "cut", "Hello", "-n", 2)
        self.cairn("rm", "cut")

    def test_wrong_addresses_and_sums(self):
        self.refused("pull", f"{self.url}/absent.gguf", code=NOT_FOUND, names="404")
        self.refused(
            "pull",
            f"{self.url}/tiny-sum.gguf",
            "--sha256",
            "0" * 64,
            code=BAD_CONTENT,
            names="0" * 64,
        )
        self.assertNotIn("tiny-sum", self.cairn("list", "--json").stdout)
        self.refused("pull", "no-such-model", code=NOT_FOUND, names="no-such-model")

    def test_an_unwritable_cache(self):
        blocked = self.home / "file"
        blocked.write_text("not a folder")
        self.refused(
            "pull", f"{self.url}/tiny.gguf", code=SYSTEM, names="file", XDG_CACHE_HOME=str(blocked)
        )


if __name__ == "__main__":
    CAIRN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
