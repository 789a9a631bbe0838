#!/usr/bin/env python3
"""Small SentencePiece models and what the sentencepiece package makes of generated strings.

usage: make_sentencepiece_cases.py FOLDER           writes FOLDER/NAME.model and FOLDER/NAME.jsonl
       make_sentencepiece_cases.py --strings COUNT MODEL   the same lines for any model, to stdout

A line is {"text": hexadecimal bytes, "ids": [...], "offsets": [begin, end, ...] in bytes,
"decoded": text}. Needs the package sentencepiece.
"""

import io
import json
import os
import pathlib
import random
import sys

import sentencepiece

SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "Numbers: 0 1 2 3 4 5 6 7 8 9, 1234567890 and 3.14159.",
    "def main(argument):\n    return argument + 1  # twice",
    "Der Fluss fließt über große Kieselsteine, sagte die Müllerin.",
    "L'été dernier, nous étions à la plage près d'une forêt.",
    "Быстрая коричневая лиса прыгает через ленивую собаку.",
    "敏捷的棕色狐狸跳过了懒狗。今天天气很好，我们去公园散步。",
    "吾輩は猫である。名前はまだ無い。カタカナとひらがな。",
    "빠른 갈색 여우가 게으른 개를 뛰어넘습니다.",
    "الثعلب البني السريع يقفز فوق الكلب الكسول",
    "תה חם עם לימון ודבש בבוקר קר",
    "तेज भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है।",
    "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ",
    "Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί.",
]

RULES = {
    "\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u200b": "", "\u00ad": "",
    "Ａ": "A", "ａ": "a", "１": "1", "！": "!", "ﬁ": "fi", "ﬀ": "ff", "㎞": "km", "½": "1/2",
    "™": "TM", "…": "...", "e\u0301": "é", "a\u0308": "ä", "u\u0308": "ü", "ｶ": "カ", "ｶﾞ": "ガ",
    "ſ": "s", "Ⅷ": "VIII", "ﷺ": "صلى الله عليه وسلم", "\u1100\u1161": "가",
}

PARTS = (
    list("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789.,;:!?-_()[]{}<>/\\\"'`~@#$%^&*+=|")
    + [" ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000", "\u200b", "\u2581"]
    + ["the ", "ing", " return", "fox", "<s>", "</s>", "<unk>", "<0x41>", "[user]", "<|end|>"]
    + "é ü ß ñ ж л ы 你 好 世 猫 の カ 한 국 ع ر ש ל क ी ั ก α ω İ ı ſ".split()
    + ["e\u0301", "a\u0308", "u\u0308\u0304", "ﬁ", "½", "™", "…", "Ａ", "１", "㎞", "ｶﾞ", "ﷺ"]
    + ["\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1eb\U0001f1f7",
       "\u2764\ufe0f", "\U0001d54f", "\U0010ffff"]
)
BROKEN = [b"\xff", b"\xc3", b"\xe4\xb8", b"\xf0\x9f\x98", b"\x80", b"\xc0\x80", b"\xed\xa0\x80",
          b"\xf4\x90\x80\x80"]


def corpus():
    harbour = pathlib.Path(__file__).resolve().parent.parent / "tests/cases/text/harbour.txt"
    lines = [line for line in harbour.read_text().split("\n") if line]
    return lines + SENTENCES * 4


def write_rules():
    path = pathlib.Path("rules.tsv")
    hexadecimal = lambda text: " ".join(f"{ord(c):X}" for c in text)
    path.write_text("".join(f"{hexadecimal(k)}\t{hexadecimal(v)}\n" for k, v in RULES.items()))
    return path


def train(path, rules, **options):
    model = io.BytesIO()
    options.setdefault("vocab_size", 400)
    normalizer = {"normalization_rule_tsv": str(rules)}
    if options.pop("plain", False):
        normalizer = {"normalization_rule_name": "identity"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=model, character_coverage=0.98,
        num_threads=1, minloglevel=2, hard_vocab_limit=False, **normalizer, **options)
    path.write_bytes(model.getvalue())


def strings(count, seed=1):
    source = random.Random(seed)
    sentences = SENTENCES + corpus()[:20]
    for _ in range(count):
        kind = source.random()
        if kind < 0.2:
            sentence = source.choice(sentences)
            begin = source.randrange(len(sentence))
            yield sentence[begin:begin + source.randrange(1, 60)].encode()
        elif kind < 0.3:
            yield (source.choice(PARTS) * source.randrange(1, 40)).encode()
        elif kind < 0.4:
            yield b"".join(source.choice(BROKEN) if source.random() < 0.2
                           else source.choice(PARTS).encode() for _ in range(source.randrange(12)))
        elif kind < 0.5:
            yield "".join(chr(source.choice([source.randrange(1, 0x800),
                                             source.randrange(0x800, 0xd800),
                                             source.randrange(0xe000, 0x1fb00)]))
                          for _ in range(source.randrange(1, 12))).encode()
        else:
            yield "".join(source.choice(PARTS) for _ in range(source.randrange(24))).encode()


def lines(processor, texts):
    for text in texts:
        encoded = processor.encode(text, return_type="offset_mapping")
        ids = encoded["ids"]
        offsets = [at for pair in encoded["offsets"] for at in pair]
        yield json.dumps({"text": text.hex(), "ids": ids, "offsets": offsets,
                          "decoded": processor.decode(ids)}, ensure_ascii=False)


MODELS = {
    "unigram": dict(model_type="unigram", user_defined_symbols=["[user]", "return"]),
    "unigram_bytes": dict(model_type="unigram", plain=True, byte_fallback=True, vocab_size=600,
                          remove_extra_whitespaces=False),
    "unigram_suffix": dict(model_type="unigram", treat_whitespace_as_suffix=True,
                           unk_surface="[?]", control_symbols=["<|end|>"]),
    "bpe": dict(model_type="bpe", user_defined_symbols=["[user]", "in", "\u2581\u2581"]),
    "bpe_bytes": dict(model_type="bpe", plain=True, byte_fallback=True, vocab_size=700,
                      remove_extra_whitespaces=False, split_digits=True,
                      allow_whitespace_only_pieces=True),
    "bpe_no_prefix": dict(model_type="bpe", add_dummy_prefix=False,
                          split_by_whitespace=False),
    "word": dict(model_type="word"),
    "char": dict(model_type="char", user_defined_symbols=["the"]),
}


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--strings":
        processor = sentencepiece.SentencePieceProcessor(model_file=sys.argv[3])
        for line in lines(processor, strings(int(sys.argv[2]))):
            print(line)
        return
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)  # models keep the path of their rules
    rules = write_rules()
    for seed, (name, options) in enumerate(MODELS.items()):
        train(pathlib.Path(f"{name}.model"), rules, **options)
        processor = sentencepiece.SentencePieceProcessor(model_file=f"{name}.model")
        text = "".join(line + "\n" for line in lines(processor, strings(80, seed)))
        pathlib.Path(f"{name}.jsonl").write_text(text)
    rules.unlink()


main()
