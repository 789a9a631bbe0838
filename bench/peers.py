#!/usr/bin/env python3
"""cairn beside llama-cpp-python: same files, threads, prompts and batches, interleaved in one run.

usage: bench/peers.py MODEL.gguf... [--threads 2] [--rounds 3] [--prompt 16,512] [--generate 64]
                      [--batch 1,8] [--depth 0,4096] [--cairn build/release/cairn] [--json OUT.json]

Each round measures cairn, then the peer, then cairn again in the other order; the table shows
medians and their ratio. The peer (pip install llama-cpp-python==0.3.36, built from source for this
machine) decodes with flash attention and without sampling, which is what `cairn bench` does too.
--depth: tokens of context behind which both are timed; the peer computes them once for all rounds.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time


def measure_cairn(options, model):
    """{(kind, tokens, batch, depth): tokens per second} from one run of `cairn bench --json`."""
    command = [
        options.cairn,
        "bench",
        model,
        "--json",
        "--threads",
        str(options.threads),
        "--prompt",
        options.prompt,
        "--generate",
        str(options.generate),
        "--batch",
        options.batch,
        "--depth",
        options.depth,
    ]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return {
        (row["kind"], row["prompt"] + row["generate"], row["batch"], row["depth"]): row[
            "tokens_per_second"
        ]
        for row in rows
    }


class Peer:
    """llama.cpp through its C interface; a context for each batch and depth."""

    def __init__(self, model, threads):
        import llama_cpp

        self.api = llama_cpp
        self.threads = threads
        self.contexts = {}
        self.log = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.log, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        self.model = llama_cpp.llama_model_load_from_file(
            model.encode(), llama_cpp.llama_model_default_params()
        )
        if not self.model:
            sys.exit(f"peers.py: llama.cpp cannot load {model}")

    def context(self, tokens, sequences):
        parameters = self.api.llama_context_default_params()
        parameters.n_ctx = max(256, (tokens + 255) // 256 * 256)
        parameters.n_batch = parameters.n_ubatch = 512
        parameters.n_seq_max = sequences
        parameters.n_threads = parameters.n_threads_batch = self.threads
        parameters.flash_attn_type = self.api.LLAMA_FLASH_ATTN_TYPE_ENABLED
        return self.api.llama_init_from_model(self.model, parameters)

    def decode(self, context, rows):
        """rows: (token, position, sequence); logits for the last row of each sequence."""
        batch = self.api.llama_batch_init(len(rows), 0, 1)
        last = {sequence: index for index, (_, _, sequence) in enumerate(rows)}
        for index, (token, position, sequence) in enumerate(rows):
            batch.token[index] = token
            batch.pos[index] = position
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = sequence
            batch.logits[index] = int(last[sequence] == index)
        batch.n_tokens = len(rows)
        if self.api.llama_decode(context, batch) != 0:
            sys.exit("peers.py: llama_decode failed")
        self.api.llama_synchronize(context)
        self.api.llama_batch_free(batch)

    def behind(self, batch, depth, room):
        """A context in which each sequence has `depth` tokens, and room for more."""
        if (batch, depth) not in self.contexts:
            context = self.context((depth + room) * batch, batch)
            for sequence in range(batch):
                for first in range(0, depth, 512):
                    rows = range(first, min(depth, first + 512))
                    self.decode(context, [(100 + i, i, sequence) for i in rows])
            self.contexts[batch, depth] = context
        context = self.contexts[batch, depth]
        memory = self.api.llama_get_memory(context)
        for sequence in range(batch):
            self.api.llama_memory_seq_rm(memory, sequence, depth, -1)
        return context

    def prefill(self, tokens, depth, room):
        context = self.behind(1, depth, room)
        started = time.perf_counter()
        for first in range(0, tokens, 512):
            count = min(512, tokens - first)
            self.decode(context, [(100 + i, depth + first + i, 0) for i in range(count)])
        return tokens / (time.perf_counter() - started)

    def generate(self, tokens, batch, depth, room):
        context = self.behind(batch, depth, room)
        self.decode(context, [(200, depth, sequence) for sequence in range(batch)])
        started = time.perf_counter()
        for step in range(tokens):
            self.decode(context, [(300 + step, depth + 1 + step, s) for s in range(batch)])
        return tokens * batch / (time.perf_counter() - started)

    def measure(self, options):
        result = {}
        prompts = [int(tokens) for tokens in options.prompt.split(",")]
        room = max([*prompts, options.generate + 1])
        for depth in map(int, options.depth.split(",")):
            behind = max(depth, 16)  # the first tokens still find cold caches
            for tokens in filter(None, prompts):
                speed = self.prefill(tokens, behind, room)
                result["prefill", tokens, 1, depth] = speed
            for batch in map(int, options.batch.split(",")):
                speed = self.generate(options.generate, batch, behind, room)
                result["decode", options.generate, batch, depth] = speed
        return result


def compare(options, model):
    peer = Peer(model, options.threads)
    samples = {"cairn": {}, "peer": {}}
    measurements = {
        "cairn": lambda: measure_cairn(options, model),
        "peer": lambda: peer.measure(options),
    }
    for round_index in range(options.rounds):
        order = ["cairn", "peer"] if round_index % 2 == 0 else ["peer", "cairn"]
        for who in order:
            for key, value in measurements[who]().items():
                samples[who].setdefault(key, []).append(value)
    rows = []
    for key in samples["peer"]:
        if key not in samples["cairn"]:
            continue
        cairn = statistics.median(samples["cairn"][key])
        theirs = statistics.median(samples["peer"][key])
        rows.append(
            dict(
                model=os.path.basename(model),
                kind=key[0],
                tokens=key[1],
                batch=key[2],
                depth=key[3],
                cairn_tokens_per_second=round(cairn, 2),
                llama_cpp_tokens_per_second=round(theirs, 2),
                ratio=round(cairn / theirs, 3),
            )
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prompt", default="512")
    parser.add_argument("--generate", type=int, default=64)
    parser.add_argument("--batch", default="1,8")
    parser.add_argument("--depth", default="0")
    parser.add_argument("--cairn", default="build/release/cairn")
    parser.add_argument("--json")
    options = parser.parse_args()
    try:
        import llama_cpp
    except ImportError:
        sys.exit("peers.py: the peer is missing; python3 -m pip install llama-cpp-python==0.3.36")
    print(
        f"llama-cpp-python {llama_cpp.__version__}, {options.threads} threads, "
        f"{options.rounds} rounds\n{llama_cpp.llama_print_system_info().decode()}"
    )
    print(
        f"{'model':44} {'kind':8} {'tokens':>6} {'batch':>5} {'depth':>6} "
        f"{'cairn':>9} {'llama.cpp':>9} {'ratio':>6}"
    )
    rows = []
    for model in options.models:
        for row in compare(options, model):
            rows.append(row)
            print(
                f"{row['model']:44} {row['kind']:8} {row['tokens']:6} {row['batch']:5} "
                f"{row['depth']:6} "
                f"{row['cairn_tokens_per_second']:9.1f} {row['llama_cpp_tokens_per_second']:9.1f} "
                f"{row['ratio']:6.2f}",
                flush=True,
            )
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
