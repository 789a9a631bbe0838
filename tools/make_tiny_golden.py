#!/usr/bin/env python3
"""Makes tests/cases/models/tiny_llama: a random llama as a Hugging Face folder, and its logits.

usage: make_tiny_golden.py OUT_DIR        needs: numpy

The forward pass below is written from the papers in float64, apart from cairn's own code, so that
the test which compares the two needs nothing outside the repository.
"""

import json
import os
import sys

import numpy as np

CONFIG = {
    "model_type": "llama",
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
TOKENS = 40


def to_bfloat16(values):
    """The upper 16 bits, rounded to nearest even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def write_safetensors(path, tensors):
    """tensors: name -> (type name, array)"""
    header, offset = {}, 0
    for name, (kind, array) in tensors.items():
        end = offset + array.nbytes
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, array in tensors.values():
            file.write(array.tobytes())


def random_weights(rng):
    width, hidden, vocabulary = (
        CONFIG[k] for k in ("hidden_size", "intermediate_size", "vocab_size")
    )
    q = CONFIG["num_attention_heads"] * CONFIG["head_dim"]
    kv = CONFIG["num_key_value_heads"] * CONFIG["head_dim"]
    shapes = {"model.embed_tokens": (vocabulary, width), "lm_head": (vocabulary, width)}
    for layer in range(CONFIG["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        shapes |= {
            at + "self_attn.q_proj": (q, width),
            at + "self_attn.k_proj": (kv, width),
            at + "self_attn.v_proj": (kv, width),
            at + "self_attn.o_proj": (width, q),
            at + "mlp.gate_proj": (hidden, width),
            at + "mlp.up_proj": (hidden, width),
            at + "mlp.down_proj": (width, hidden),
            at + "input_layernorm": (width,),
            at + "post_attention_layernorm": (width,),
        }
    shapes["model.norm"] = (width,)
    weights = {}
    for name, shape in shapes.items():
        noise = rng.standard_normal(shape)
        values = 1 + 0.15 * noise if len(shape) == 1 else noise * 1.3 / np.sqrt(shape[-1])
        weights[name + ".weight"] = to_bfloat16(values)
    return weights


def rms_norm(x, weight):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + CONFIG["rms_norm_eps"]) * weight


def rotated(x):
    """x: [tokens, heads, dim]; pairs are (i, i + dim/2)."""
    half = x.shape[-1] // 2
    frequencies = CONFIG["rope_theta"] ** (-np.arange(half) / half)
    angles = np.arange(len(x))[:, None, None] * frequencies
    a, b = x[..., :half], x[..., half:]
    return np.concatenate(
        [a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)], axis=-1
    )


def attention(x, weight, at):
    tokens, dim = len(x), CONFIG["head_dim"]
    q, k, v = (
        (x @ weight(at + f"self_attn.{n}_proj").T).reshape(tokens, -1, dim) for n in "qkv"
    )
    group = q.shape[1] // k.shape[1]
    q, k, v = rotated(q), np.repeat(rotated(k), group, axis=1), np.repeat(v, group, axis=1)
    scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(dim)
    scores[:, np.triu(np.ones((tokens, tokens), dtype=bool), 1)] = -np.inf
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed = np.einsum("hqk,khd->qhd", scores, v).reshape(tokens, -1)
    return mixed @ weight(at + "self_attn.o_proj").T


def mlp(x, weight, at):
    gate, up = (x @ weight(at + f"mlp.{n}_proj").T for n in ("gate", "up"))
    return (gate / (1 + np.exp(-gate)) * up) @ weight(at + "mlp.down_proj").T


def logits_of(tokens, weights):
    def weight(name):
        return from_bfloat16(weights[name + ".weight"])

    x = weight("model.embed_tokens")[tokens]
    for layer in range(CONFIG["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        x = x + attention(rms_norm(x, weight(at + "input_layernorm")), weight, at)
        x = x + mlp(rms_norm(x, weight(at + "post_attention_layernorm")), weight, at)
    return rms_norm(x, weight("model.norm")) @ weight("lm_head").T


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    rng = np.random.default_rng(3)
    weights = random_weights(rng)
    tokens = rng.integers(0, CONFIG["vocab_size"], TOKENS, dtype=np.int32)
    logits = logits_of(tokens, weights).astype(np.float32)
    with open(os.path.join(out, "config.json"), "w") as file:
        json.dump(CONFIG, file, indent=2)
        file.write("\n")
    write_safetensors(
        os.path.join(out, "model.safetensors"), {n: ("BF16", w) for n, w in weights.items()}
    )
    write_safetensors(
        os.path.join(out, "reference.safetensors"),
        {"tokens": ("I32", tokens), "logits": ("F32", logits)},
    )


if __name__ == "__main__":
    main()
