"""Holds the next-token distributions of eight-bit layers against those of bf16, whole.

usage: divergence.py FOLDER QUESTIONS FILE

Every position of every question with its bf16 answer counts. Beside the divergence over
the whole vocabulary it gives the bound that lists of the twenty likeliest tokens allow,
with everything outside both lists as one.
"""

import copy
import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import eight_bits

folder, questions, out = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
base = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).cuda().eval()
texts = [row["prompt"] + row["answer"] for row in map(json.loads, open(questions))]


@torch.no_grad()
def distributions(model, text):
    ids = tokenizer(text, return_tensors="pt").input_ids.cuda()
    return torch.log_softmax(model(ids).logits[0].float(), dim=-1)


def bound(p, q, top=20):
    """The divergence with the tokens that are not in both lists of the likeliest as one."""
    both = torch.zeros_like(p, dtype=torch.bool).scatter_(1, p.topk(top).indices, True)
    both &= torch.zeros_like(both).scatter_(1, q.topk(top).indices, True)
    seen = (torch.where(both, p.exp() * (p - q), 0)).sum(-1)
    rest_p = (1 - torch.where(both, p.exp(), 0).sum(-1)).clamp(min=1e-12)
    rest_q = (1 - torch.where(both, q.exp(), 0).sum(-1)).clamp(min=1e-12)
    return seen + rest_p * (rest_p / rest_q).log()


result = {}
for precision in ("again", "fp8", "int8"):
    model = base if precision == "again" else eight_bits.convert(copy.deepcopy(base), precision)
    whole, least, same = [], [], []
    for text in texts:
        p, q = distributions(base, text), distributions(model, text)
        whole += (p.exp() * (p - q)).sum(-1).tolist()
        least += bound(p, q).tolist()
        same += (p.argmax(-1) == q.argmax(-1)).tolist()
    n = len(whole)
    whole_sorted = sorted(whole)
    result[precision] = {
        "positions": n, "mean_kl": sum(whole) / n, "p99_kl": whole_sorted[int(.99 * n)], "largest_kl": whole_sorted[-1],
        "mean_bound_of_20": sum(least) / n, "same_likeliest": sum(same) / n,
    }
json.dump(result, open(out, "w"), indent=1)
print(json.dumps(result, indent=1))
