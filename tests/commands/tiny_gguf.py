"""Writes a tiny llama model as GGUF, or as a Hugging Face folder: random weights, byte-level
tokenizer, chat template.

Standard library only. The model talks nonsense, but everything around it is real.
"""

import json
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


def metadata(architecture, templates, pre_tokenizer):
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
        key("tokenizer.ggml.pre", STRING, pre_tokenizer),
        key("tokenizer.ggml.tokens", ARRAY, (STRING, PIECES)),
        key("tokenizer.ggml.token_type", ARRAY, (INT32, [3, 3, 3] + [1] * 256)),
        key("tokenizer.ggml.merges", ARRAY, (STRING, [])),
        key("tokenizer.ggml.bos_token_id", UINT32, 1),
        key("tokenizer.ggml.eos_token_id", UINT32, 2),
        key("tokenizer.ggml.add_bos_token", BOOL, False),
        *(
            key("tokenizer.chat_template" + ("" if name == "default" else f".{name}"), STRING, text)
            for name, text in templates.items()
        ),
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


def draw_values(draw, dimensions):
    count = 1
    for dimension in dimensions:
        count *= dimension
    if len(dimensions) == 1:
        return [1.0 + 0.1 * draw.gauss(0, 1) for _ in range(count)]
    return [draw.gauss(0, 1.3 / dimensions[0] ** 0.5) for _ in range(count)]


def write(
    path,
    architecture="llama",
    tensor_type=0,
    seed=7,
    templates=None,
    pre_tokenizer="gpt-2",
    vocabulary_only=False,
):
    """tensor_type: the GGUF type id to claim for the embedding; anything but 0 is a lie.
    templates: chat templates by name."""
    draw = random.Random(seed)
    infos, data = b"", b""
    listed = [] if vocabulary_only else tensors()
    for name, dimensions in listed:
        claimed = tensor_type if name == "token_embd.weight" else 0
        infos += string(name) + struct.pack("<I", len(dimensions))
        infos += b"".join(struct.pack("<q", d) for d in dimensions)
        infos += struct.pack("<IQ", claimed, len(data))
        values = draw_values(draw, dimensions)
        data += struct.pack(f"<{len(values)}f", *values)
        data += b"\0" * (-len(data) % 32)
    templates = {"default": CHAT_TEMPLATE} if templates is None else templates
    keys = metadata(architecture, templates, pre_tokenizer)
    header = b"GGUF" + struct.pack("<Iqq", 3, len(listed), len(keys)) + b"".join(keys) + infos
    header += b"\0" * (-len(header) % 32)
    with open(path, "wb") as out:
        out.write(header + data)


NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def hugging_face_name(name):
    parts = name.removesuffix(".weight").split(".")
    prefix = f"model.layers.{parts[1]}." if len(parts) == 3 else ""
    return prefix + NAMES[parts[-1]] + ".weight"


def write_folder(folder, seed=7):
    """The same kind of model, not the same weights, as a Hugging Face folder."""
    draw = random.Random(seed)
    header, data = {}, b""
    for name, dimensions in tensors():
        values = draw_values(draw, dimensions)
        part = struct.pack(f"<{len(values)}f", *values)
        header[hugging_face_name(name)] = {
            "dtype": "F32",
            "shape": dimensions[::-1],
            "data_offsets": [len(data), len(data) + len(part)],
        }
        data += part
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    files = {
        "config.json": {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "vocab_size": len(PIECES),
            "hidden_size": WIDTH,
            "intermediate_size": HIDDEN,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": KV_HEADS,
            "max_position_embeddings": CONTEXT,
            "rms_norm_eps": 1e-5,
            "rope_theta": 10000.0,
            "hidden_act": "silu",
            "tie_word_embeddings": True,
        },
        "generation_config.json": {"eos_token_id": [2, 0]},
        "tokenizer.json": {
            "version": "1.0",
            "added_tokens": [
                {
                    "id": id,
                    "content": PIECES[id],
                    "single_word": False,
                    "lstrip": False,
                    "rstrip": False,
                    "normalized": False,
                    "special": True,
                }
                for id in range(3)
            ],
            "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
            "post_processor": None,
            "decoder": {"type": "ByteLevel"},
            "model": {
                "type": "BPE",
                "vocab": {piece: id for id, piece in enumerate(PIECES)},
                "merges": [],
            },
        },
        "tokenizer_config.json": {"eos_token": "<|im_end|>", "chat_template": CHAT_TEMPLATE},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
