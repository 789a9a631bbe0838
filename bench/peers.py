#!/usr/bin/env python3
"""cairn beside llama-cpp-python: same files, threads, prompts and batches, interleaved in one run.

usage: bench/peers.py MODEL.gguf... [--threads 2] [--rounds 3] [--prompt 512] [--generate 64]
                      [--batch 1,8] [--cairn build/release/cairn] [--json OUT.json]

Each round measures cairn, then the peer, then cairn again in the other order; the table shows
medians and their ratio. The peer (pip install llama-cpp-python==0.3.36, built from source for this
machine) decodes with flash attention and without sampling, which is what `cairn bench` does too.
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
    """{(kind, batch): tokens per second} from one run of `cairn bench --json`."""
    command = [
        options.cairn,
        "bench",
        model,
        "--json",
        "--threads",
        str(options.threads),
        "--prompt",
        str(options.prompt),
        "--generate",
        str(options.generate),
        "--batch",
        options.batch,
    ]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return {(row["kind"], row["batch"]): row["tokens_per_second"] for row in rows}


class Peer:
    """llama.cpp through its C interface; one context a measurement."""

    def __init__(self, model, threads):
        import llama_cpp

        self.api = llama_cpp
        self.threads = threads
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

    def prefill(self, tokens):
        context = self.context(tokens + 16, 1)
        self.decode(context, [(100, position, 0) for position in range(16)])
        started = time.perf_counter()
        for first in range(0, tokens, 512):
            count = min(512, tokens - first)
            self.decode(context, [(100 + i, 16 + first + i, 0) for i in range(count)])
        elapsed = time.perf_counter() - started
        self.api.llama_free(context)
        return tokens / elapsed

    def generate(self, tokens, batch):
        prompt = 16
        context = self.context((prompt + tokens + 1) * batch, batch)
        for sequence in range(batch):
            self.decode(context, [(100 + i, i, sequence) for i in range(prompt)])
        self.decode(context, [(200, prompt, sequence) for sequence in range(batch)])
        started = time.perf_counter()
        for step in range(tokens):
            self.decode(context, [(300 + step, prompt + 1 + step, s) for s in range(batch)])
        elapsed = time.perf_counter() - started
        self.api.llama_free(context)
        return tokens * batch / elapsed

    def measure(self, options):
        result = {("prefill", 1): self.prefill(options.prompt)}
        for batch in map(int, options.batch.split(",")):
            result[("decode", batch)] = self.generate(options.generate, batch)
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
                batch=key[1],
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
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--generate", type=int, default=64)
    parser.add_argument("--batch", default="1,8")
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
    print(f"{'model':44} {'kind':8} {'batch':>5} {'cairn':>9} {'llama.cpp':>9} {'ratio':>6}")
    rows = []
    for model in options.models:
        for row in compare(options, model):
            rows.append(row)
            print(
                f"{row['model']:44} {row['kind']:8} {row['batch']:5} "
                f"{row['cairn_tokens_per_second']:9.1f} {row['llama_cpp_tokens_per_second']:9.1f} "
                f"{row['ratio']:6.2f}",
                flush=True,
            )
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
