"""Writes questions with the answers that the model gives in bf16, one at a time and greedily.

usage: questions.py FOLDER FILE [N] [TOKENS]

The score of any server on them is how often it says the same.
"""

import json
import random
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

folder, out = sys.argv[1:3]
n, tokens = (int(v) for v in (sys.argv[3:] + ["400", "16"])[:2])
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).cuda().eval()
words = "the of server model answer token cache batch load user time rate first last long short fast slow right wrong".split()
rng = random.Random(7)
with open(out, "w") as f:
    for i in range(n):
        prompt = " ".join(rng.choice(words) for _ in range(rng.randint(20, 60)))
        ids = tokenizer(prompt, return_tensors="pt").input_ids.cuda()
        with torch.no_grad():
            said = model.generate(ids, max_new_tokens=tokens, do_sample=False)[0, ids.shape[1]:]
        f.write(json.dumps({"id": str(i), "prompt": prompt, "answer": tokenizer.decode(said, skip_special_tokens=True)}) + "\n")
