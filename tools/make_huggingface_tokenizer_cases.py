#!/usr/bin/env python3
"""Small tokenizers of every kind, trained with the `tokenizers` package, and what it makes of
generated strings: the goldens of src/text/huggingface.

    tools/make_huggingface_tokenizer_cases.py FOLDER
        writes FOLDER/NAME.json (the tokenizers) and FOLDER/NAME.jsonl (300 cases each)
    tools/make_huggingface_tokenizer_cases.py --check COMMAND FOLDER [COUNT]
        runs COMMAND (a cairn binary) on COUNT generated strings (10000) for each tokenizer of
        FOLDER and compares ids, offsets and decoded text

Needs: pip install tokenizers sentencepiece protobuf
"""

import io
import json
import random
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

try:
    import tokenizers
    from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                            pre_tokenizers, processors, trainers)
except ImportError:
    sys.exit("make_huggingface_tokenizer_cases: the package `tokenizers` is missing; "
             "pip install tokenizers")

CASES = 300
SPECIAL = ["<s>", "</s>", "<unk>", "<pad>", "<|im_start|>", "<|im_end|>"]
BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

# First and last code points of stretches of many scripts and symbols.
SCRIPTS = [
    (0x21, 0x7E), (0xA1, 0xFF), (0x100, 0x24F), (0x250, 0x2AF), (0x300, 0x36F), (0x370, 0x3FF),
    (0x400, 0x52F), (0x531, 0x587), (0x590, 0x5FF), (0x600, 0x6FF), (0x700, 0x74F), (0x780, 0x7BF),
    (0x7C0, 0x7FF), (0x8A0, 0x8FF), (0x900, 0x97F), (0x980, 0x9FF), (0xA00, 0xA7F), (0xB80, 0xBFF),
    (0xC00, 0xC7F), (0xD00, 0xD7F), (0xE00, 0xE7F), (0xE80, 0xEFF), (0xF00, 0xFFF),
    (0x1000, 0x109F), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x137F), (0x13A0, 0x13FF),
    (0x1680, 0x169F), (0x1780, 0x17FF), (0x1800, 0x18AF), (0x1AB0, 0x1AFF), (0x1E00, 0x1FFF),
    (0x2000, 0x206F), (0x2070, 0x20CF), (0x20D0, 0x20FF), (0x2100, 0x218F), (0x2190, 0x23FF),
    (0x2460, 0x24FF), (0x2500, 0x27BF), (0x2E80, 0x2FDF), (0x3000, 0x30FF), (0x3130, 0x318F),
    (0x3200, 0x33FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA640, 0xA69F), (0xA960, 0xA97F),
    (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFE6F), (0xFF00, 0xFFEF),
    (0x10330, 0x1034F), (0x10400, 0x1044F), (0x11080, 0x110CF), (0x12000, 0x123FF),
    (0x1D100, 0x1D1FF), (0x1D400, 0x1D7FF), (0x1E900, 0x1E95F), (0x1F100, 0x1F1FF),
    (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF), (0x2F800, 0x2FA1F), (0xE0100, 0xE01EF),
]
EMOJI = ["👩‍👩‍👧‍👦", "👍🏽", "🇩🇪🇫🇷", "❤️‍🔥", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "☺️", "🧑🏿‍🚀", "1️⃣"]
SPACES = [" ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", " \n ", "\u00a0", "\u3000", "\u2028",
          "\u200b", "          ", "\n\n\n\n", "\u0085", "\u1680"]
LOOKALIKES = SPECIAL + BERT_SPECIAL + [
    "<s", "s>", "<|im_", "<|im_end|>>", "<tool>", "<tool", "[MASK", "mask", "[CLS][SEP]", "</w>",
    "<0x41>", "##", "▁", "Ġ", "Ċ", "<|im_start|>user\n", "<unk><unk>", "MARK", "mark", "remark",
    " mark ", "<left>", "  <left>  ", "<right>", " <right>  x"]
WORDS = """the of and a to in is you that it he was for on are as with his they I at be this have
 from or one had by word but not what all were we when your can said there use an each which she do
 how their if will up other about out many then them these so some her would make like him into time
 has look two more write go see number no way could people my than first water been call who oil its
 now find long down day did get come made may part don't we'll they're you've I'm he's she'd isn't
 def return int main void printf self.value x_1 fooBar HTTPServer 3.14 0x1F 2024-01-31 a.b@c.de
 https://example.org/a?b=c&d=e Straße naïve café İstanbul ΣΊΣΥΦΟΣ ﬁne ½ ① ㎏ Å Å é é
 привет мир здравствуй नमस्ते दुनिया こんにちは世界 カタカナ 안녕하세요 세계 你好世界 中文分词 سلام עולם
 สวัสดีชาวโลก xin chào thế giới γειά სამყარო ሰላም""".split()


def characters_of(script: tuple[int, int]) -> list[str]:
    """Those that are assigned (up to Unicode 14, if Python is no newer)."""
    found = map(chr, range(script[0], script[1] + 1))
    return [c for c in found if unicodedata.category(c) not in ("Cn", "Cs")]


MARKS = characters_of((0x300, 0x36F))
ALPHABETS = [characters for characters in map(characters_of, SCRIPTS) if characters]


def generate(count: int, seed: int, longest: int = 8) -> list[str]:
    """Strings of everything that tokenizers get wrong, of up to `longest` parts."""
    dice = random.Random(seed)
    kinds = [
        lambda: dice.choice(WORDS),
        lambda: dice.choice(WORDS) + " ",
        lambda: " " + dice.choice(WORDS).capitalize(),
        lambda: "".join(dice.choices(dice.choice(ALPHABETS), k=dice.randint(1, 6))),
        lambda: dice.choice(dice.choice(ALPHABETS)) + dice.choice(dice.choice(ALPHABETS)),
        lambda: dice.choice("aeiouAEnN가") + "".join(dice.choices(MARKS, k=dice.randint(1, 4))),
        lambda: dice.choice(EMOJI),
        lambda: dice.choice(SPACES) * dice.choice([1, 1, 1, 2, 7]),
        lambda: "".join(dice.choices("0123456789", k=dice.randint(1, 9))),
        lambda: dice.choice(LOOKALIKES),
        lambda: dice.choice("a=-_(.!'\"") * dice.randint(1, 40),
        lambda: dice.choice(["\ufffd", "\x00", "\x7f", "\u200d", "\ufeff", "\u2581"]),
    ]
    fixed = ["", " ", "  ", "\n", "a", "é", "\ufffd", "<s>", " <s> ", "Hello, y'all! You 😁?"]
    strings = list(fixed)
    while len(strings) < count:
        strings.append("".join(dice.choice(kinds)() for _ in range(dice.randint(1, longest))))
    return strings[:count]


def corpus() -> list[str]:
    dice = random.Random(1)
    return [" ".join(dice.choices(WORDS, k=12)) for _ in range(400)]


def tokens(contents: list[str], **flags) -> list[AddedToken]:
    return [AddedToken(content, special=True, normalized=False, **flags) for content in contents]


def add_odd_tokens(tokenizer: Tokenizer) -> None:
    """Added tokens with every flag."""
    tokenizer.add_tokens([
        AddedToken("<tool>", normalized=False),
        AddedToken("mark", single_word=True, normalized=True),
        AddedToken("<left>", lstrip=True, normalized=False),
    ])
    tokenizer.add_special_tokens([AddedToken("<right>", rstrip=True, normalized=False)])


def bpe_trainer(size: int, **options) -> trainers.BpeTrainer:
    return trainers.BpeTrainer(vocab_size=size, special_tokens=tokens(SPECIAL),
                               show_progress=False, **options)


def byte_level_gpt2() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(corpus(), bpe_trainer(420, initial_alphabet=alphabet))
    add_odd_tokens(made)
    return made


LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_level_llama3() -> Tokenizer:
    made = Tokenizer(models.BPE(ignore_merges=True))
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(corpus(), bpe_trainer(420, initial_alphabet=alphabet))
    made.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B",
                                      special_tokens=[("<s>", made.token_to_id("<s>"))])])
    return made


def byte_level_odd() -> Tokenizer:
    """Patterns that match nothing but a place, digits, and merges by behaviour."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"(?=(\d{3})+(?!\d))"), "isolated"),
        pre_tokenizers.Split(Regex(r"[\p{P}$<>~|]+"), "contiguous"),
        pre_tokenizers.Split(Regex(r"\w+|\bx\b|[^\S\n]+"), "merged_with_next", invert=True),
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(corpus(), bpe_trainer(420, initial_alphabet=alphabet))
    add_odd_tokens(made)
    return made


def bpe_affixes() -> Tokenizer:
    """Words end with a suffix, and go on with a prefix."""
    made = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="@@",
                                end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.decoder = decoders.BPEDecoder(suffix="</w>")
    made.train_from_iterator(corpus(), bpe_trainer(600, continuing_subword_prefix="@@",
                                                   end_of_word_suffix="</w>"))
    add_odd_tokens(made)
    return made


def llama2() -> Tokenizer:
    """Byte fallback, and blanks as U+2581 by normalizers."""
    trained = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    trained.normalizer = normalizers.Sequence([normalizers.Prepend("▁"),
                                               normalizers.Replace(" ", "▁")])
    trained.train_from_iterator(corpus(), bpe_trainer(300, limit_alphabet=120))
    state = json.loads(trained.to_str())
    vocab = state["model"]["vocab"]
    for byte in range(256):
        vocab[f"<0x{byte:02X}>"] = len(vocab)
    made = Tokenizer.from_str(json.dumps(state))
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                      decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    return made


def bpe_metaspace() -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=False))
    made.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKD(),
                                            normalizers.StripAccents()])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    made.decoder = decoders.Metaspace(prepend_scheme="first")
    made.train_from_iterator(corpus(), bpe_trainer(400))
    add_odd_tokens(made)
    return made


def unigram() -> Tokenizer:
    """As T5 and XLM-R are: compiled rules, words that begin with U+2581."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([
        normalizers.Precompiled(compiled_rules()), normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(),
                                                  pre_tokenizers.Metaspace()])
    made.decoder = decoders.Metaspace()
    made.train_from_iterator(corpus(), trainers.UnigramTrainer(
        vocab_size=500, special_tokens=tokens(SPECIAL), unk_token="<unk>", show_progress=False))
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", made.token_to_id("</s>"))])
    return made


def unigram_bytes() -> Tokenizer:
    """Byte fallback, and one word over the whole text."""
    state = json.loads(unigram().to_str())
    state["model"]["vocab"] += [[f"<0x{byte:02X}>", -20.0] for byte in range(256)]
    state["model"]["byte_fallback"] = True
    made = Tokenizer.from_str(json.dumps(state))
    made.normalizer = normalizers.Sequence([normalizers.Strip(left=False, right=True),
                                            normalizers.Replace(Regex("\\s{3,}"), "  ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    made.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    return made


def small_rules() -> str:
    """Rules as nmt_nfkc has them, but few: "old<tab>new" in hexadecimal code points."""
    rules = {chr(c): "" for c in [*range(1, 9), 0x0B, *range(0x0E, 0x20), 0x7F]}
    rules |= {c: " " for c in "\t\n\r\u00a0\u1680\u200b\u200e\u2028\u3000\ufeff\ufffd"}
    for first, last in [(0xA8, 0xBE), (0x132, 0x149), (0x1C4, 0x1CC), (0x2160, 0x2188),
                        (0x2460, 0x2473), (0x3131, 0x3140), (0x3380, 0x33DF), (0xFB00, 0xFB4F),
                        (0xFC00, 0xFD3D), (0xFDF0, 0xFDFC), (0xFF01, 0xFFDC)]:
        rules |= {chr(c): unicodedata.normalize("NFKC", chr(c)) for c in range(first, last + 1)}
    for letter in "aeiounAEIOUN":
        for mark in "\u0300\u0301\u0302\u0303\u0308\u0327":
            rules[letter + mark] = unicodedata.normalize("NFC", letter + mark)
    spelled = {" ".join(f"{ord(c):X}" for c in old): " ".join(f"{ord(c):X}" for c in new)
               for old, new in rules.items() if old != new}
    return "".join(f"{old}\t{new}\n" for old, new in sorted(spelled.items()))


def compiled_rules() -> bytes:
    """SentencePiece's compiled rules, out of a model that it trains."""
    try:
        import sentencepiece
        from sentencepiece import sentencepiece_model_pb2
    except ImportError:
        sys.exit("make_huggingface_tokenizer_cases: pip install sentencepiece protobuf")
    stream = io.BytesIO()
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as rules:
        rules.write(small_rules())
        rules.flush()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(corpus()), model_writer=stream, vocab_size=300,
            normalization_rule_tsv=rules.name, hard_vocab_limit=False, minloglevel=2)
    model = sentencepiece_model_pb2.ModelProto.FromString(stream.getvalue())
    return model.normalizer_spec.precompiled_charsmap


def bert() -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.train_from_iterator(corpus(), trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=tokens(BERT_SPECIAL), show_progress=False))
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    add_odd_tokens(made)
    return made


def bert_cased() -> Tokenizer:
    """Neither lower case nor accents are touched; other cuts."""
    state = json.loads(bert().to_str())
    made = Tokenizer.from_str(json.dumps(state))
    made.normalizer = normalizers.BertNormalizer(lowercase=False, clean_text=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("merged_with_previous"),
        pre_tokenizers.UnicodeScripts(), pre_tokenizers.FixedLength(7)])
    made.decoder = decoders.WordPiece(cleanup=False)
    return made


def word_level() -> Tokenizer:
    made = Tokenizer(models.WordLevel(unk_token="<unk>"))
    made.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.NFD(),
                                            normalizers.Replace("x", "yy")])
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.CharDelimiterSplit("-"), pre_tokenizers.Whitespace(),
        pre_tokenizers.Digits(individual_digits=False)])
    made.train_from_iterator(corpus(), trainers.WordLevelTrainer(
        vocab_size=400, special_tokens=tokens(SPECIAL), show_progress=False))
    add_odd_tokens(made)
    return made


MAKERS = [byte_level_gpt2, byte_level_llama3, byte_level_odd, bpe_affixes, llama2, bpe_metaspace,
          unigram, unigram_bytes, bert, bert_cased, word_level]


def expected(tokenizer: Tokenizer, text: str, special: bool = True) -> dict:
    tokenizer.encode_special_tokens = not special
    encoding = tokenizer.encode(text, add_special_tokens=special)
    return {"text": text, "ids": encoding.ids, "offsets": [list(o) for o in encoding.offsets],
            "decoded": tokenizer.decode(encoding.ids) if encoding.ids else "",
            "all": tokenizer.decode(encoding.ids, skip_special_tokens=False)
            if encoding.ids else ""}


def compact(case: dict) -> str:
    """[text, ids, begins and ends of offsets, decoded, decoded with special tokens if different]"""
    offsets = [place for pair in case["offsets"] for place in pair]
    both = [case["decoded"]] + ([case["all"]] if case["all"] != case["decoded"] else [])
    return json.dumps([case["text"], case["ids"], offsets, *both], separators=(",", ":"))


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed, maker in enumerate(MAKERS):
        tokenizer = maker()
        (folder / f"{maker.__name__}.json").write_text(
            json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":")))
        cases = [expected(tokenizer, text) for text in generate(CASES, seed, 4)]
        lines = [compact(case) for case in cases]
        (folder / f"{maker.__name__}.jsonl").write_text("\n".join(lines) + "\n")
        print(f"{maker.__name__}: {len(cases)} cases, {tokenizer.get_vocab_size()} tokens")


def run(command: list[str], lines: list[str]) -> list[str]:
    result = subprocess.run(command, input="".join(line + "\n" for line in lines),
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout.split("\n")[:-1]


def check(binary: str, folder: Path, count: int) -> int:
    failures = 0
    for path in sorted(folder.glob("*.json")):
        tokenizer = Tokenizer.from_file(str(path))
        texts = generate(count, 1000 + len(path.name))
        wanted = [expected(tokenizer, text) for text in texts]
        base = [binary, "tokenize", str(path), "--jsonl"]
        lines = [json.dumps(text) for text in texts]
        ids = [json.dumps(case["ids"]) for case in wanted]
        found = zip(wanted, run(base, lines), run(base + ["--offsets=chars"], lines),
                    run(base + ["--decode"], ids), run(base + ["--decode", "--no-special"], ids),
                    strict=True)
        for case, *answers in found:
            its = [json.loads(answer) for answer in answers]
            same = its == [case["ids"], {"ids": case["ids"], "offsets": case["offsets"]},
                           case["all"], case["decoded"]]
            failures += not same
            if not same and failures <= 10:
                print(f"{path.name}: {case}\n  cairn: {answers}")
        print(f"{path.name}: {count} strings, {failures} failures so far")
    return 1 if failures else 0


def main() -> int:
    arguments = sys.argv[1:]
    if len(arguments) >= 3 and arguments[0] == "--check":
        count = int(arguments[3]) if len(arguments) > 3 else 10000
        return check(arguments[1], Path(arguments[2]), count)
    if len(arguments) != 1:
        sys.exit(__doc__)
    make(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
