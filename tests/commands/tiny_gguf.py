"""Writes a tiny llama model as GGUF: random weights, byte-level tokenizer, chat template.

Standard library only. The model talks nonsense, but everything around it is real.
"""

import random
import struct

WIDTH, HIDDEN, LAYERS, HEADS, KV_HEADS, CONTEXT = 32, 64, 2, 4, 2, 512
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] "
    "+ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)

UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5


def byte_pieces():
    """The 256 byte tokens as byte-level BPE writes them."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, extra = {}, 0
    for byte in range(256):
        if byte in printable:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(256 + extra)
            extra += 1
    return [table[byte] for byte in range(256)]


PIECES = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *byte_pieces()]


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def key(name, kind, value):
    pack = {UINT32: "<I", FLOAT32: "<f", BOOL: "<?", INT32: "<i"}
    out = string(name) + struct.pack("<I", kind)
    if kind == STRING:
        return out + string(value)
    if kind == ARRAY:
        item_kind, items = value
        out += struct.pack("<IQ", item_kind, len(items))
        return out + b"".join(
            string(item) if item_kind == STRING else struct.pack(pack[item_kind], item)
            for item in items
        )
    return out + struct.pack(pack[kind], value)


def metadata(architecture):
    a = architecture
    return [
        key("general.architecture", STRING, a),
        key("general.name", STRING, "Tiny"),
        key(f"{a}.block_count", UINT32, LAYERS),
        key(f"{a}.context_length", UINT32, CONTEXT),
        key(f"{a}.embedding_length", UINT32, WIDTH),
        key(f"{a}.feed_forward_length", UINT32, HIDDEN),
        key(f"{a}.attention.head_count", UINT32, HEADS),
        key(f"{a}.attention.head_count_kv", UINT32, KV_HEADS),
        key(f"{a}.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        key(f"{a}.rope.freq_base", FLOAT32, 10000.0),
        key("tokenizer.ggml.model", STRING, "gpt2"),
        key("tokenizer.ggml.pre", STRING, "gpt-2"),
        key("tokenizer.ggml.tokens", ARRAY, (STRING, PIECES)),
        key("tokenizer.ggml.token_type", ARRAY, (INT32, [3, 3, 3] + [1] * 256)),
        key("tokenizer.ggml.merges", ARRAY, (STRING, [])),
        key("tokenizer.ggml.bos_token_id", UINT32, 1),
        key("tokenizer.ggml.eos_token_id", UINT32, 2),
        key("tokenizer.ggml.add_bos_token", BOOL, False),
        key("tokenizer.chat_template", STRING, CHAT_TEMPLATE),
    ]


def tensors():
    """(name, dimensions innermost first), f32."""
    head = WIDTH // HEADS
    out = [("token_embd.weight", (WIDTH, len(PIECES))), ("output_norm.weight", (WIDTH,))]
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        out += [
            (block + "attn_norm.weight", (WIDTH,)),
            (block + "ffn_norm.weight", (WIDTH,)),
            (block + "attn_q.weight", (WIDTH, WIDTH)),
            (block + "attn_k.weight", (WIDTH, KV_HEADS * head)),
            (block + "attn_v.weight", (WIDTH, KV_HEADS * head)),
            (block + "attn_output.weight", (WIDTH, WIDTH)),
            (block + "ffn_gate.weight", (WIDTH, HIDDEN)),
            (block + "ffn_up.weight", (WIDTH, HIDDEN)),
            (block + "ffn_down.weight", (HIDDEN, WIDTH)),
        ]
    return out


def write(path, architecture="llama", tensor_type=0, seed=7):
    """tensor_type: the GGUF type id to claim for the embedding; anything but 0 is a lie."""
    draw = random.Random(seed)
    infos, data = b"", b""
    for name, dimensions in tensors():
        claimed = tensor_type if name == "token_embd.weight" else 0
        infos += string(name) + struct.pack("<I", len(dimensions))
        infos += b"".join(struct.pack("<q", d) for d in dimensions)
        infos += struct.pack("<IQ", claimed, len(data))
        count = 1
        for dimension in dimensions:
            count *= dimension
        if len(dimensions) == 1:
            values = [1.0 + 0.1 * draw.gauss(0, 1) for _ in range(count)]
        else:
            values = [draw.gauss(0, 1.3 / dimensions[0] ** 0.5) for _ in range(count)]
        data += struct.pack(f"<{count}f", *values)
        data += b"\0" * (-len(data) % 32)
    keys = metadata(architecture)
    header = b"GGUF" + struct.pack("<Iqq", 3, len(tensors()), len(keys)) + b"".join(keys) + infos
    header += b"\0" * (-len(header) % 32)
    with open(path, "wb") as out:
        out.write(header + data)
