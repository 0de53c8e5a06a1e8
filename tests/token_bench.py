"""Measures the reference implementations on one core, for make bench-token.

    python tests/token_bench.py TOKENIZER_JSON TEXTS_JSON

Prints a JSON list of name, tokens and seconds of CPU time. tiktoken takes part
where the vocabulary has no normalizer and lists its merges in the order of ids.
"""

import json
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import tiktoken
from tokenizers import Tokenizer

from token_oracle import to_bytes


def measure(name, count, texts):
    best, tokens = None, 0
    for _ in range(3):
        start = time.process_time()
        tokens = sum(count(t) for t in texts)
        seconds = time.process_time() - start
        best = seconds if best is None else min(best, seconds)
    return {"name": name, "tokens": tokens, "seconds": best}


def main():
    with open(sys.argv[1], encoding="utf8") as f:
        file = json.load(f)
    with open(sys.argv[2], encoding="utf8") as f:
        texts = json.load(f)
    reference = Tokenizer.from_file(sys.argv[1])
    results = [measure("tokenizers (encode)", lambda t: len(reference.encode(t, add_special_tokens=False).ids), texts),
               measure("tokenizers (encode_batch_fast)", lambda t: len(reference.encode_batch_fast([t], add_special_tokens=False)[0].ids), texts)]
    table = to_bytes()
    split = (file["pre_tokenizer"] or {}).get("pretokenizers", [{}])[0].get("pattern", {}).get("Regex")
    if split and not file["normalizer"]:
        ranks = {bytes(table[c] for c in key): id for key, id in file["model"]["vocab"].items() if all(c in table for c in key)}
        encoding = tiktoken.Encoding("bench", pat_str=split, mergeable_ranks=ranks, special_tokens={})
        results.append(measure("tiktoken (encode_ordinary)", lambda t: len(encoding.encode_ordinary(t)), texts))
    print(json.dumps(results))


if __name__ == "__main__":
    main()
