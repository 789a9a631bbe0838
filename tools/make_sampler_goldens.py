#!/usr/bin/env python3
"""Writes tests/cases/sampling/*.txt: which candidates survive each sampler, how probable they are.

Every formula is written here from the sampler's definition, in double precision and without regard
to speed. Needs `pip install numpy`; run it from anywhere. The output does not change from run to
run.

logits_NAME.txt holds one logit a line. The others are read by src/engine/sampler_test.cpp:
    case NAME             begins a case; all samplers are off, temperature is 1
    logits NAME           which logits
    set PARAMETER VALUE   a field of SamplingParameters
    history ID...         tokens so far, oldest first
    bias ID VALUE
    breaker HEAD TAIL...  a DRY breaker in tokens
    expect ID PROBABILITY one surviving candidate
"""

import pathlib
from collections import Counter

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "cases" / "sampling"
MARGIN = 1e-5  # no case may hang on the last digits of a float


def softmax(logits):
    weights = np.exp(logits - np.max(logits))
    return weights / np.sum(weights)


def ordered(tokens, logits):
    return sorted(tokens, key=lambda t: (-logits[t], t))


def probabilities(tokens, logits):
    return dict(zip(tokens, softmax(np.array([logits[t] for t in tokens]))))


def prefix_reaching(tokens, p, mass, min_keep):
    """The shortest prefix whose probabilities add up to `mass` and that holds min_keep tokens."""
    total, reached = 0.0, False
    for count, token in enumerate(tokens, 1):
        total += p[token]
        assert reached or abs(total - mass) > MARGIN
        reached = total >= mass
        if total >= mass and count >= min_keep:
            return tokens[:count]
    return tokens


def top_n_sigma(tokens, logits, n):
    values = np.array([logits[t] for t in tokens])
    threshold = values.max() - n * np.sqrt(np.mean((values - values.mean()) ** 2))
    assert np.min(np.abs(values - threshold)) > MARGIN
    return [t for t in tokens if logits[t] >= threshold]


def typical(tokens, logits, mass, min_keep):
    p = probabilities(tokens, logits)
    entropy = -sum(x * np.log(x) for x in p.values())
    by_typicality = sorted(tokens, key=lambda t: (abs(-np.log(p[t]) - entropy), -logits[t], t))
    return prefix_reaching(by_typicality, p, mass, min_keep)


def top_p(tokens, logits, mass, min_keep):
    return prefix_reaching(ordered(tokens, logits), probabilities(tokens, logits), mass, min_keep)


def min_p(tokens, logits, share, min_keep):
    p = probabilities(tokens, logits)
    best = max(p.values())
    assert all(abs(x / best - share) > MARGIN for x in p.values())
    passing = [t for t in ordered(tokens, logits) if p[t] >= share * best]
    return passing if len(passing) >= min_keep else ordered(tokens, logits)[:min_keep]


def xtc(tokens, logits, threshold, min_keep):
    p = probabilities(tokens, logits)
    assert all(abs(x - threshold) > MARGIN for x in p.values())
    top = [t for t in ordered(tokens, logits) if p[t] >= threshold]
    dropped = set(top[:-1])
    if len(tokens) - len(dropped) < min_keep:
        return tokens
    return [t for t in tokens if t not in dropped]


def penalize(logits, history, last_n, repetition, frequency, presence):
    window = history if last_n < 0 else history[len(history) - min(last_n, len(history)) :]
    for token, count in Counter(window).items():
        logits[token] *= repetition if logits[token] <= 0 else 1 / repetition
        logits[token] -= count * frequency + presence


def breaker_limit(window, breakers):
    """Tokens after the last breaker: the head nearest to the end counts, with its longest tail."""
    for head_at in range(len(window) - 1, -1, -1):
        tails = [
            tail
            for head, *tail in breakers
            if head == window[head_at] and window[head_at + 1 : head_at + 1 + len(tail)] == tail
        ]
        if tails:
            return len(window) - 1 - head_at - max(map(len, tails))
    return len(window)


def dry(logits, history, multiplier, base, allowed, last_n, breakers):
    window = history if last_n < 0 else history[len(history) - min(last_n, len(history)) :]
    limit = breaker_limit(window, breakers)
    longest = Counter()
    for position in range(1, len(window)):
        length = 0  # of the repeat that drawing window[position] would continue
        while length < position and window[position - 1 - length] == window[-1 - length]:
            length += 1
        longest[window[position]] = max(longest[window[position]], min(length, limit))
    for token, length in longest.items():
        if length >= allowed and [token] not in breakers:  # a breaker is free to be repeated
            logits[token] -= multiplier * base ** (length - allowed)


DEFAULTS = dict(
    temperature=1.0,
    top_k=0,
    top_p=1.0,
    min_p=0.0,
    typical_p=1.0,
    top_n_sigma=-1.0,
    xtc_probability=0.0,
    xtc_threshold=0.1,
    min_keep=0,
    repeat_last_n=64,
    repetition_penalty=1.0,
    frequency_penalty=0.0,
    presence_penalty=0.0,
    dry_multiplier=0.0,
    dry_base=1.75,
    dry_allowed_length=2,
    dry_penalty_last_n=64,
)


def distribution(raw, history, bias, breakers, s):
    logits = raw.astype(np.float64)
    for token, value in bias:
        logits[token] += value
    if s["repeat_last_n"] != 0:
        penalize(
            logits,
            history,
            s["repeat_last_n"],
            s["repetition_penalty"],
            s["frequency_penalty"],
            s["presence_penalty"],
        )
    if s["dry_multiplier"] != 0 and s["dry_penalty_last_n"] != 0:
        dry(
            logits,
            history,
            s["dry_multiplier"],
            s["dry_base"],
            s["dry_allowed_length"],
            s["dry_penalty_last_n"],
            breakers,
        )
    tokens = [t for t in range(len(logits)) if logits[t] > -np.inf]
    if s["temperature"] <= 0:
        return {ordered(tokens, logits)[0]: 1.0}
    if s["top_n_sigma"] > 0:
        tokens = top_n_sigma(tokens, logits, s["top_n_sigma"])
    if s["top_k"] > 0:
        tokens = ordered(tokens, logits)[: s["top_k"]]
    if s["typical_p"] < 1:
        tokens = typical(tokens, logits, s["typical_p"], s["min_keep"])
    if s["top_p"] < 1:
        tokens = top_p(tokens, logits, s["top_p"], s["min_keep"])
    if s["min_p"] > 0:
        tokens = min_p(tokens, logits, s["min_p"], s["min_keep"])
    if s["xtc_probability"] >= 1 and s["xtc_threshold"] <= 0.5:
        tokens = xtc(tokens, logits, s["xtc_threshold"], s["min_keep"])
    return probabilities(ordered(tokens, logits), logits / s["temperature"])


def make_logits():
    generator = np.random.default_rng(20240607)
    small = np.array(
        [2.0, -1.0, 3.5, 0.25, 3.5, -4.0, 1.0, 0.0, 2.75, -0.5, -20.0, 3.0], np.float32
    )
    large = generator.normal(-2.0, 2.5, 500).astype(np.float32)
    large[[7, 77, 177, 277, 377]] += np.array([9, 8.5, 8, 6, 5], np.float32)
    return {"small": small, "large": large}


def make_histories():
    generator = np.random.default_rng(11)
    phrase = [3, 1, 4, 1, 5, 9, 2, 6]
    return {
        "none": [],
        "phrases": phrase + [7, 8] + phrase[2:] + [10, 0] + phrase[3:7],
        "loop": [2, 4, 8] * 7,
        "one": [4] * 9,
        "random": [int(t) for t in generator.integers(0, 6, 80)],
    }


def cases():
    """(file, case, logits, settings, history, bias, breakers)"""
    both = ("small", "large")
    sweeps = {
        "temperature": [dict(temperature=t) for t in (0.0, 0.1, 0.8, 1.0, 2.5)],
        "top_k": [dict(top_k=k) for k in (1, 2, 5, 11, 40)],
        "top_p": [dict(top_p=p) for p in (0.0, 0.1, 0.5, 0.9, 0.995)]
        + [dict(top_p=0.1, min_keep=4)],
        "min_p": [dict(min_p=p) for p in (0.01, 0.05, 0.3, 0.9)] + [dict(min_p=0.9, min_keep=5)],
        "typical_p": [dict(typical_p=p) for p in (0.1, 0.2, 0.5, 0.9, 0.99)]
        + [dict(typical_p=0.2, min_keep=6)],
        "top_n_sigma": [dict(top_n_sigma=n) for n in (0.3, 1.0, 2.0, 5.0)],
        "xtc": [
            dict(xtc_probability=1.0, xtc_threshold=t) for t in (0.01, 0.05, 0.1, 0.2, 0.5, 0.6)
        ]
        + [dict(xtc_probability=1.0, xtc_threshold=0.05, min_keep=k) for k in (8, 12)],
    }
    for name, settings in sweeps.items():
        for logits in both:
            for s in settings:
                yield name, logits, s, "none", [], []
    for history in ("phrases", "one", "random"):
        for s in (
            dict(repetition_penalty=1.3),
            dict(frequency_penalty=0.4),
            dict(presence_penalty=0.7),
            dict(repetition_penalty=1.1, frequency_penalty=0.1, presence_penalty=-0.2),
            dict(repetition_penalty=1.5, repeat_last_n=5),
            dict(frequency_penalty=0.05, repeat_last_n=-1),
        ):
            yield "penalties", "small", s, history, [], []
    for history in ("phrases", "loop", "one", "random"):
        for s in (
            dict(),
            dict(dry_allowed_length=1),
            dict(dry_base=1.2, dry_allowed_length=4),
            dict(dry_penalty_last_n=10),
            dict(dry_penalty_last_n=-1),
        ):
            for breakers in ([], [[5], [8, 2]], [[1, 5], [1], [1, 5, 9]]):
                yield "dry", "small", dict(dry_multiplier=0.8) | s, history, [], breakers
    yield "logit_bias", "small", dict(), "none", [(2, -3.0), (5, 7.0)], []
    yield "logit_bias", "small", dict(top_k=3), "none", [(2, -np.inf), (4, -np.inf)], []
    yield "logit_bias", "large", dict(temperature=0.0), "none", [(400, 50.0)], []
    chain = dict(temperature=0.8, top_k=40, top_p=0.95, min_p=0.05)
    for logits in both:
        for history in ("none", "phrases", "random"):
            yield "chain", logits, chain, history, [], []
            everything = chain | dict(
                repetition_penalty=1.1,
                frequency_penalty=0.05,
                dry_multiplier=0.5,
                typical_p=0.97,
                top_n_sigma=2.5,
                xtc_probability=1.0,
            )
            yield "chain", logits, everything, history, [(3, 1.5)], [[7]]
            yield "chain", logits, dict(temperature=0.7, top_p=0.9, min_p=0.02), history, [], []


def case_lines(number, logits, settings, history, bias, breakers, result):
    lines = [f"case {number}", f"logits {logits}"]
    lines += [f"set {name} {value!r}" for name, value in settings.items()]
    if history:
        lines.append("history " + " ".join(map(str, history)))
    lines += [f"bias {token} {value!r}" for token, value in bias]
    lines += ["breaker " + " ".join(map(str, breaker)) for breaker in breakers]
    return lines + [f"expect {token} {p:.17g}" for token, p in result.items()]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    all_logits, histories, files = make_logits(), make_histories(), {}
    for name, values in all_logits.items():
        (FOLDER / f"logits_{name}.txt").write_text("".join(f"{float(v)!r}\n" for v in values))
    for file, logits, settings, history, bias, breakers in cases():
        lines = files.setdefault(file, [])
        number = sum(line.startswith("case ") for line in lines)
        tokens = histories[history]
        result = distribution(all_logits[logits], tokens, bias, breakers, DEFAULTS | settings)
        lines += case_lines(number, logits, settings, tokens, bias, breakers, result)
    for file, lines in files.items():
        (FOLDER / f"{file}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
