#!/usr/bin/env python3
"""How far rounding moves a model: cairn's cpu backend and llama.cpp against the same truth.

usage: bench/quality.py MODEL.gguf... [--text tests/cases/text/harbour.txt]
                        [--cairn build/release/cairn] [--perplexity FILE]

The truth is `cairn logits --backend reference`: f32 on the dequantized weights of that file. For
every position of the text: KL(truth || engine) over the whole vocabulary. With --perplexity: the
perplexity of FILE (windows of 512, second halves scored) from both engines.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile

import numpy as np


def tokenize(options, model, path):
    out = subprocess.run(
        [options.cairn, "tokenize", model, "-f", path, "--ids"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [int(token) for token in out.replace(",", " ").split()]


def cairn_logits(options, model, tokens, backend):
    with tempfile.TemporaryDirectory() as folder:
        ids = os.path.join(folder, "tokens.txt")
        raw = os.path.join(folder, "logits.f32")
        with open(ids, "w") as out:
            out.write(",".join(map(str, tokens)))
        subprocess.run(
            [
                options.cairn,
                "logits",
                model,
                "--tokens-file",
                ids,
                "--backend",
                backend,
                "--raw",
                raw,
                "--top",
                "1",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return np.fromfile(raw, dtype="<f4").reshape(len(tokens), -1)


class Peer:
    def __init__(self, model):
        import llama_cpp

        self.api = llama_cpp
        self.log = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.log, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        self.model = llama_cpp.llama_model_load_from_file(
            model.encode(), llama_cpp.llama_model_default_params()
        )
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)

    def logits(self, tokens):
        parameters = self.api.llama_context_default_params()
        parameters.n_ctx = max(256, (len(tokens) + 255) // 256 * 256)
        parameters.n_batch = parameters.n_ubatch = parameters.n_ctx
        parameters.flash_attn_type = self.api.LLAMA_FLASH_ATTN_TYPE_ENABLED
        context = self.api.llama_init_from_model(self.model, parameters)
        batch = self.api.llama_batch_init(len(tokens), 0, 1)
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = 1
        batch.n_tokens = len(tokens)
        if self.api.llama_decode(context, batch) != 0:
            sys.exit("quality.py: llama_decode failed")
        count = self.api.llama_vocab_n_tokens(self.vocab)
        rows = [
            np.ctypeslib.as_array(self.api.llama_get_logits_ith(context, i), (count,)).copy()
            for i in range(len(tokens))
        ]
        self.api.llama_batch_free(batch)
        self.api.llama_free(context)
        return np.stack(rows)

    def perplexity(self, tokens, window=512):
        bos = self.api.llama_vocab_bos(self.vocab)
        add_bos = self.api.llama_vocab_get_add_bos(self.vocab)
        total, count = 0.0, 0
        for start in range(0, len(tokens) // window * window, window):
            part = list(tokens[start : start + window])
            if add_bos:
                part[0] = bos
            scores = log_softmax(self.logits(part))
            original = tokens[start : start + window]
            for index in range(window // 2, window - 1):
                total -= scores[index, original[index + 1]]
                count += 1
        return float(np.exp(total / count))


def log_softmax(logits):
    logits = logits.astype(np.float64)
    top = logits.max(axis=-1, keepdims=True)
    return logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))


def divergence(truth, engine):
    p, q = log_softmax(truth), log_softmax(engine)
    return (np.exp(p) * (p - q)).sum(axis=-1)


def compare(options, model):
    tokens = tokenize(options, model, options.text)
    truth = cairn_logits(options, model, tokens, "reference")
    peer = Peer(model)
    ours = divergence(truth, cairn_logits(options, model, tokens, "cpu"))
    theirs = divergence(truth, peer.logits(tokens))
    print(
        f"{os.path.basename(model):44} {len(tokens):6} {ours.mean():10.6f} {theirs.mean():10.6f} "
        f"{ours.mean() / theirs.mean():6.3f}",
        flush=True,
    )
    if options.perplexity:
        out = subprocess.run(
            [options.cairn, "perplexity", model, options.perplexity, "--json"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        peer_value = peer.perplexity(tokenize(options, model, options.perplexity))
        print(f"  perplexity: cairn {out.strip()}; llama.cpp {peer_value:.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--text", default="tests/cases/text/harbour.txt")
    parser.add_argument("--perplexity")
    parser.add_argument("--cairn", default="build/release/cairn")
    options = parser.parse_args()
    print(f"{'model':44} {'tokens':>6} {'cairn KL':>10} {'llama KL':>10} {'ratio':>6}")
    for model in options.models:
        compare(options, model)


if __name__ == "__main__":
    main()
