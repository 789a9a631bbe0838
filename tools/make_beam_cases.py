#!/usr/bin/env python3
"""Beam searches of transformers' generate() as test cases (tests/cases/engine/beam_search.json).

usage: make_beam_cases.py OUTPUT FOLDER...

Needs torch and transformers. A case is kept where every ranking it rests on is by a margin that two
correct implementations in f32 agree on.
"""

import json
import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

MARGIN = 1e-4
BEAMS = 4
VARIANTS = [
    {},
    {"early_stopping": True},
    {"early_stopping": "never", "length_penalty": 2.0},
    {"length_penalty": 0.0, "early_stopping": True},
    {"length_penalty": -1.0},
    {"repetition_penalty": 1.3},
    {"min_new_tokens": 5, "early_stopping": True},
]


def watch_margins(model, margins):
    """Notes by how much the candidates of each step that are taken beat those that are not."""
    original = model._get_running_beams_for_next_iteration

    def watched(*, topk_log_probs, next_token_hits_stopping_criteria, num_beams, **rest):
        best = topk_log_probs[0]
        going_on = best[~next_token_hits_stopping_criteria[0]]
        margins.append(float(best[num_beams - 1] - best[num_beams]))
        if len(going_on) > num_beams:
            margins.append(float(going_on[num_beams - 1] - going_on[num_beams]))
        return original(
            topk_log_probs=topk_log_probs,
            next_token_hits_stopping_criteria=next_token_hits_stopping_criteria,
            num_beams=num_beams,
            **rest,
        )

    model._get_running_beams_for_next_iteration = watched


def search(model, margins, prompt, eos, variant):
    margins.clear()
    with torch.no_grad():
        found = model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            num_beams=BEAMS,
            num_return_sequences=BEAMS,
            do_sample=False,
            max_new_tokens=12,
            eos_token_id=eos,
            pad_token_id=0,
            return_dict_in_generate=True,
            output_scores=True,
            **variant,
        )
    sequences = []
    for row in found.sequences[:, len(prompt) :].tolist():
        end = next((i for i, token in enumerate(row) if token in eos), None)
        sequences.append(row if end is None else row[: end + 1])
    return sequences, found.sequences_scores.tolist()


def cases_of(name, folder):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model.eval()
    model.generation_config.cache_implementation = None
    margins = []
    watch_margins(model, margins)
    generator = torch.Generator().manual_seed(1)
    vocabulary = model.config.get_text_config().vocab_size
    cases = []
    for index, variant in enumerate(VARIANTS):
        for _ in range(60):
            length = 5 + 4 * index
            prompt = torch.randint(3, vocabulary, (length,), generator=generator).tolist()
            # Tokens that the search would use end it, so that beams finish at different lengths.
            free, _ = search(model, margins, prompt, [vocabulary - 1], {})
            if min(len(sequence) for sequence in free) < 9:
                continue
            eos = sorted({free[0][6], free[1][3], free[2][8]})
            sequences, scores = search(model, margins, prompt, eos, variant)
            if min(margins) < MARGIN or len({len(s) for s in sequences}) < 2:
                continue
            gaps = [a - b for a, b in zip(scores, scores[1:])]
            if min(gaps) < MARGIN:
                continue
            cases.append(
                {
                    "model": name,
                    "prompt": prompt,
                    "num_beams": BEAMS,
                    "max_tokens": 12,
                    "end_tokens": eos,
                    **variant,
                    "sequences": sequences,
                    "scores": scores,
                }
            )
            break
        else:
            print(f"{name}: no clear case for {variant}", file=sys.stderr)
    return cases


def main():
    torch.set_num_threads(1)
    output, folders = Path(sys.argv[1]), map(Path, sys.argv[2:])
    cases = [case for folder in folders for case in cases_of(folder.name, folder)]
    lines = ",\n".join(json.dumps(case) for case in cases)
    output.write_text(f"[\n{lines}\n]\n")
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
