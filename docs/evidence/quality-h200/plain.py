"""Writes FOLDER again so that greedy answers are plain text.

usage: plain.py FROM FOLDER

A randomly initialised model says bytes that are no characters, which every server cuts
in its own way. The logits of all tokens that are not printable ASCII become 0, which
never is the largest of thousands; nothing else changes.
"""

import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

source, folder = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(source)
model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.bfloat16)
texts = [tokenizer.decode([i]) for i in range(len(tokenizer))]
other = [i for i, text in enumerate(texts) if not text.strip() or not (text.isascii() and text.isprintable())]
with torch.no_grad():
    model.lm_head.weight[other] = 0
model.save_pretrained(folder)
tokenizer.save_pretrained(folder)
print(len(texts) - len(other), "of", len(texts), "tokens can be said")
