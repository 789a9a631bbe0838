#!/usr/bin/env python3
"""Writes tests/cases/formats/NAME.txt: blocks and what they mean, by an independent decoder.

The meaning comes from the PyPI package `gguf` (its numpy code shares nothing with cairn's). Needs
`pip install gguf numpy`; run it from the repository's root after adding a format to FORMATS. The
output does not change from run to run.

A file is lines of a word and hexadecimal data, read by src/tensor/formats_test.cpp:
    format NAME VALUES_PER_BLOCK BYTES_PER_BLOCK
    block HEX        the bytes of one block
    values HEX       what it decodes to: little-endian float bits, eight digits a value
    input HEX        floats to encode (only where the package encodes this format)
    encoded HEX      the block that they become
"""

import pathlib

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize, quantize

# Name -> byte offsets of the binary16 scales in a block.
FORMATS = {
    "F32": [],
    "F16": [],
    "BF16": [],
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q8_0": [0],
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "IQ4_NL": [0],
    "IQ4_XS": [0],
    "MXFP4": [],
}
ENCODED = {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"}
RANDOM_BLOCKS = 8
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "cases" / "formats"


def with_scales(block: np.ndarray, offsets: list[int], scales: list[float]) -> np.ndarray:
    block = block.copy()
    for offset, scale in zip(offsets, scales):
        block[offset : offset + 2] = np.array([scale], np.float16).view(np.uint8)
    return block


def block_cases(offsets: list[int], size: int, generator: np.random.Generator) -> list[np.ndarray]:
    """Random bytes under plausible scales, then the corners of bits and scales."""
    cases = []
    for _ in range(RANDOM_BLOCKS):
        scales = generator.normal(0.0, 0.02, len(offsets)).tolist()
        cases.append(with_scales(generator.integers(0, 256, size, dtype=np.uint8), offsets, scales))
    zeros, ones = np.zeros(size, np.uint8), np.full(size, 0xFF, np.uint8)
    noise = generator.integers(0, 256, size, dtype=np.uint8)
    cases += [
        zeros,
        with_scales(ones, offsets, [1.0, 0.5]),
        with_scales(noise, offsets, [0.0, -0.0]),
    ]
    for scale in (2.0**-24, 2.0**-14, -(2.0**-20), 65504.0, -65504.0):  # subnormal to largest
        cases.append(with_scales(noise, offsets, [scale, scale / 2]))
    return cases


def scalar_bits(name: str, generator: np.random.Generator) -> np.ndarray:
    """Bit patterns without NaN: random ones, subnormals, the largest, infinities."""
    if name == "F32":
        bits = generator.integers(0, 0x7F800000, 64, dtype=np.uint32)
        return np.concatenate([bits, bits | np.uint32(0x80000000)])
    bits = np.concatenate(
        [
            generator.integers(0, 1 << 16, 256, dtype=np.uint16),
            np.array([0, 1, 2, 0x03FF, 0x0400, 0x7BFF, 0x7C00, 0x7F7F, 0x7F80], np.uint16),
        ]
    )
    bits = np.concatenate([bits, bits ^ np.uint16(0x8000)])
    infinity = 0x7C00 if name == "F16" else 0x7F80
    return bits[(bits & 0x7FFF) <= infinity]


def input_cases(values_per_block: int, generator: np.random.Generator) -> np.ndarray:
    """Rows of floats: weights as they are, ramps with ties, constants, an outlier, large, small."""
    count = max(values_per_block, 32)
    ramp = np.arange(count, dtype=np.float32)
    outlier = generator.normal(0.0, 0.01, count)
    outlier[5] = -3.0
    rows = [generator.normal(0.0, scale, count) for scale in (1.0, 0.02, 0.02, 1e-3, 30.0)]
    rows += [ramp - 16, ramp / 2 - 8, -ramp, np.zeros(count), np.full(count, 0.7), outlier]
    rows += [generator.uniform(-1000, 1000, count), generator.normal(0.0, 1e-6, count)]
    rows += [np.abs(generator.normal(0.0, 1.0, count)), np.where(ramp % 2 == 0, 1.0, -1.0)]
    return np.array(rows, np.float32)


def write(name: str) -> None:
    generator = np.random.default_rng(list(name.encode()))
    kind = Type[name]
    values_per_block, size = GGML_QUANT_SIZES[kind]
    lines = [f"format {name.lower()} {values_per_block} {size}"]
    if values_per_block == 1:
        blocks = [scalar_bits(name, generator).view(np.uint8)]
    else:
        blocks = block_cases(FORMATS[name], size, generator)
    for block in blocks:
        with np.errstate(over="ignore"):  # MXFP4 can say what no float holds: infinity
            values = dequantize(block.reshape(1, -1), kind).astype("<f4")
        assert not np.isnan(values).any(), name
        lines += [f"block {block.tobytes().hex()}", f"values {values.tobytes().hex()}"]
    if name in ENCODED:
        for row in input_cases(values_per_block, generator):
            encoded = quantize(row.reshape(1, -1), kind).view(np.uint8)
            lines += [
                f"input {row.astype('<f4').tobytes().hex()}",
                f"encoded {encoded.tobytes().hex()}",
            ]
    (FOLDER / f"{name.lower()}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for format_name in FORMATS:
        write(format_name)
