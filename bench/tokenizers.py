#!/usr/bin/env python3
"""cairn beside PyPI's `tokenizers`: the same vocabulary and lines, one thread, in one run.

usage: bench/tokenizers.py MODEL.gguf... [--text NAME=FILE]... [--megabytes 10] [--rounds 3]
                           [--bench build/release/engine_bench] [--cairn build/release/cairn]
       bench/tokenizers.py --linearity [MODEL.gguf|tokenizer.json...] [--rounds 3] [--bench ...]

A tokenizer.json is made of the GGUF's own pieces and merges, so both do the same work; the ids of
every line are compared. Texts are made where none are given: code and English from Python's own
library (its sources, its docstrings), Chinese from the word frequencies of the package jieba, and
words never seen before from random syllables. Times are CPU time, cairn's from Google Benchmark,
medians of the rounds. Then cairn alone: time per byte of runs of 10 MB against 100 KB. With
--linearity only that, for any tokenizer's file and for two small ones trained here, whose runs
become one token a byte; fails where 10 MB take more than twice the time per byte.
"""

import argparse
import ast
import glob
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

del sys.path[0]  # this folder, where `tokenizers` is this script

CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
MODERN = (
    CONTRACTION
    + r"|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{0}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    + r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# By tokenizer.ggml.pre: pattern (none: that of the library's ByteLevel), normalizer, ignore_merges.
RULES = {
    "gpt-2": (None, None, False),
    "qwen2": (MODERN.format(""), {"type": "NFC"}, False),
    "llama-bpe": (MODERN.format("{1,3}"), None, True),
}


def missing(package):
    sys.exit(f"tokenizers.py: {package} is missing; python3 -m pip install {package}")


def tokenizer_json(model):
    """The Hugging Face form of a GGUF's byte-level vocabulary."""
    try:
        from gguf import GGUFReader
    except ImportError:
        missing("gguf")
    fields = GGUFReader(model).fields
    read = lambda key: fields["tokenizer.ggml." + key].contents()
    if read("model") != "gpt2" or read("pre") not in RULES:
        sys.exit(f"{model}: needs byte-level BPE whose pre-tokenizer is one of {', '.join(RULES)}")
    pattern, normalizer, ignore_merges = RULES[read("pre")]
    byte_level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True)
    byte_level["use_regex"] = pattern is None
    splits = [byte_level]
    if pattern:
        splits.insert(
            0, dict(type="Split", pattern={"Regex": pattern}, behavior="Isolated", invert=False)
        )
    pieces = read("tokens")
    added = [
        dict(
            id=index,
            content=pieces[index],
            special=kind == 3,
            single_word=False,
            lstrip=False,
            rstrip=False,
            normalized=False,
        )
        for index, kind in enumerate(read("token_type"))
        if kind in (3, 4)
    ]
    return dict(
        version="1.0",
        truncation=None,
        padding=None,
        added_tokens=added,
        normalizer=normalizer,
        pre_tokenizer=dict(type="Sequence", pretokenizers=splits),
        post_processor=None,
        decoder=byte_level,
        model=dict(
            type="BPE",
            dropout=None,
            unk_token=None,
            continuing_subword_prefix=None,
            end_of_word_suffix=None,
            fuse_unk=False,
            byte_fallback=False,
            ignore_merges=ignore_merges,
            vocab={piece: index for index, piece in enumerate(pieces)},
            merges=read("merges"),
        ),
    )


def take(parts, limit):
    """Parts one after the other until they have `limit` bytes."""
    text, size = [], 0
    for part in parts:
        text.append(part)
        size += len(part.encode())
        if size >= limit:
            return "".join(text)
    return "".join(text) * -(-limit // max(size, 1))


def python_sources():
    paths = glob.glob(sysconfig.get_paths()["stdlib"] + "/**/*.py", recursive=True)
    for path in random.Random(1).sample(sorted(paths), len(paths)):
        try:
            with open(path, encoding="utf-8") as source:
                yield source.read()
        except (OSError, UnicodeDecodeError):
            pass


def docstrings():
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for source in python_sources():
        try:
            nodes = ast.walk(ast.parse(source))
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in nodes:
            text = ast.get_docstring(node) if isinstance(node, documented) else None
            if text and len(text) > 40:
                yield text + "\n\n"


def chinese():
    try:
        import jieba
    except ImportError:
        missing("jieba (or give a text with --text chinese=FILE)")
    path = os.path.join(os.path.dirname(jieba.__file__), "dict.txt")
    rows = [line.split() for line in open(path, encoding="utf-8")]
    words = [row[0] for row in rows]
    sums = list(itertools.accumulate(int(row[1]) for row in rows))
    generator = random.Random(2)
    while True:
        sentence = "".join(generator.choices(words, cum_weights=sums, k=generator.randint(4, 12)))
        yield sentence + generator.choice("，，，、；。。\n")


def unseen_words():
    generator = random.Random(3)
    pick = lambda letters: letters[generator.randrange(len(letters))]
    while True:
        word = "".join(
            pick("bcdfghjklmnpqrstvwxz") + pick("aeiouy") for _ in range(generator.randint(4, 8))
        )
        yield word + ("\n" if generator.random() < 0.1 else " ")


def make_texts(options, folder):
    """{name: path}"""
    if options.text:
        return dict(text.split("=", 1) for text in options.text)
    made = dict(english=docstrings, code=python_sources, chinese=chinese, unseen=unseen_words)
    paths = {}
    for name, parts in made.items():
        paths[name] = os.path.join(folder, name + ".txt")
        with open(paths[name], "w", encoding="utf-8", newline="") as out:
            out.write(take(parts(), options.megabytes * 1_000_000))
    return paths


def read_lines(path):
    with open(path, encoding="utf-8", newline="") as text:
        return text.read().removesuffix("\n").split("\n")


def run_bench(options, model, pattern, texts=(), rounds=1):
    """[(label, arguments, bytes per second)] of Google Benchmark."""
    environment = dict(os.environ, CAIRN_TOKENIZER=model, CAIRN_TEXTS=":".join(texts))
    command = [options.bench, f"--benchmark_filter={pattern}", "--benchmark_format=json"]
    command += [f"--benchmark_repetitions={rounds}"]
    if rounds > 1:
        command += ["--benchmark_min_time=0.2"]
    output = subprocess.run(command, check=True, capture_output=True, env=environment).stdout
    rows = json.loads(output)["benchmarks"]
    rows = [row for row in rows if row["run_type"] == "iteration"]
    return [(row["label"], row["name"].split("/")[1:], row["bytes_per_second"]) for row in rows]


def same_ids(options, model, lines, encodings):
    source = "\n".join(json.dumps(line) for line in lines) + "\n"
    command = [options.cairn, "tokenize", model, "--jsonl", "--no-special"]
    output = subprocess.run(command, check=True, capture_output=True, input=source.encode()).stdout
    ours = output.decode().splitlines()
    theirs = [encoding.ids for encoding in encodings]
    return len(ours) == len(theirs) and all(json.loads(a) == b for a, b in zip(ours, theirs))


def compare(options, model, json_path, texts):
    from tokenizers import Tokenizer

    peer = Tokenizer.from_file(json_path)
    for name, path in texts.items():
        lines = read_lines(path)
        speeds = {"gguf": [], "json": [], "peer": []}
        for _ in range(options.rounds):
            speeds["gguf"].append(run_bench(options, model, "encode_lines", [path])[0][2])
            started = time.process_time()
            encodings = peer.encode_batch_fast(lines, add_special_tokens=False)
            speeds["peer"].append(os.path.getsize(path) / (time.process_time() - started))
            speeds["json"].append(run_bench(options, json_path, "encode_lines", [path])[0][2])
        gguf, ours, theirs = (statistics.median(speeds[who]) / 1e6 for who in speeds)
        equal = all(same_ids(options, file, lines, encodings) for file in (model, json_path))
        print(
            f"{os.path.basename(model):36} {name:8} {gguf:8.1f} {ours:8.1f} {theirs:10.2f} "
            f"{gguf / theirs:6.1f} {ours / theirs:6.1f}  {'equal' if equal else 'DIFFERENT'}",
            flush=True,
        )


def show_runs(options, models):
    """Prints the time per byte of runs; returns the largest ratio of long to short."""
    print(f"{'model':36} {'run of':16} {'100 KB':>8} {'10 MB':>8} {'ratio':>6}  ns/byte")
    largest = 0
    for model in models:
        times = {}
        rows = run_bench(options, model, "encode_run", rounds=options.rounds)
        for label, (_, size, *_), speed in rows:
            by_size = times.setdefault(label, {})
            by_size.setdefault(int(re.match(r"\d+", size)[0]), []).append(1e9 / speed)
        for label, by_size in times.items():
            short, long = (statistics.median(by_size[size]) for size in sorted(by_size))
            largest = max(largest, long / short)
            print(
                f"{os.path.basename(model):36} {label!r:16} {short:8.1f} {long:8.1f} "
                f"{long / short:6.2f}",
                flush=True,
            )
    return largest


def train_small(folder):
    """Paths of a Unigram and a BPE tokenizer with bytes for what they have no piece for."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    byte_pieces = [f"<0x{byte:02X}>" for byte in range(256)]
    unigram = Tokenizer(models.Unigram())
    unigram_trainer = trainers.UnigramTrainer(
        vocab_size=600, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    bpe = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    bpe_trainer = trainers.BpeTrainer(
        vocab_size=800, special_tokens=["<unk>"] + byte_pieces, show_progress=False
    )
    paths = []
    for name, made, trainer in (
        ("unigram.json", unigram, unigram_trainer),
        ("bpe.json", bpe, bpe_trainer),
    ):
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.train_from_iterator([take(python_sources(), 1_000_000)], trainer)
        content = json.loads(made.to_str())
        if name == "unigram.json":
            content["model"]["byte_fallback"] = True
            runs = lambda piece: len(piece) > 1 and len(set(piece)) == 1
            pieces = [entry for entry in content["model"]["vocab"] if not runs(entry[0])]
            content["model"]["vocab"] = pieces + [[piece, -20.0] for piece in byte_pieces]
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w", encoding="utf-8") as out:
            json.dump(content, out)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--linearity", action="store_true")
    parser.add_argument("--text", action="append", metavar="NAME=FILE")
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bench", default="build/release/engine_bench")
    parser.add_argument("--cairn", default="build/release/cairn")
    options = parser.parse_args()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        import tokenizers
    except ImportError:
        missing("tokenizers")
    if not options.models and not options.linearity:
        parser.error("name a model")
    with tempfile.TemporaryDirectory() as folder:
        if options.linearity:
            return int(show_runs(options, options.models + train_small(folder)) > 2)
        print(f"tokenizers {tokenizers.__version__}, one thread, {options.rounds} rounds, MB/s")
        texts = make_texts(options, folder)
        print(
            f"{'model':36} {'text':8} {'gguf':>8} {'json':>8} {'tokenizers':>10} "
            f"{'ratio':>6} {'ratio':>6}  ids"
        )
        for model in options.models:
            path = os.path.join(folder, "tokenizer.json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump(tokenizer_json(model), out)
            compare(options, model, path, texts)
        print()
        show_runs(options, options.models)
    return 0


if __name__ == "__main__":
    sys.exit(main())
