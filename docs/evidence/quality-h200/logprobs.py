"""A server of completions that repeats the prompt with the probabilities of its tokens,
which transformers serve refuses to give.

usage: logprobs.py FOLDER bf16|fp8|int8 PORT
"""

import http.server
import json
import sys
import threading

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import eight_bits

folder, precision, port = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).cuda().eval()
if precision != "bf16":
    eight_bits.convert(model, precision)
lock = threading.Lock()


@torch.no_grad()
def complete(prompt, top):
    ids = tokenizer(prompt, return_tensors="pt").input_ids.cuda()
    with lock:
        logits = torch.log_softmax(model(ids).logits[0].float(), dim=-1)
    ids = ids[0].tolist() + [int(logits[-1].argmax())]
    best, which = logits.topk(max(1, top), dim=-1)
    best, which = best.tolist(), which.tolist()
    pieces = [tokenizer.decode([i]) for i in ids]
    offsets, at = [], 0
    for piece in pieces:
        offsets.append(at)
        at += len(piece)
    return {
        "tokens": pieces,
        "token_logprobs": [None] + [float(logits[i, ids[i + 1]]) for i in range(len(ids) - 1)],
        "top_logprobs": [None] + [{tokenizer.decode([t]): v for t, v in zip(which[i], best[i])} for i in range(len(ids) - 1)],
        "text_offset": offsets,
    }


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/v1/models":
            self.answer(200, {"data": [{"id": folder}]})
        else:
            self.answer(404, {"error": "no such page"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "prompt" not in body:
            return self.answer(404, {"error": "completions alone"})
        logprobs = complete(body["prompt"], int(body.get("logprobs") or 1))
        said = "".join(logprobs["tokens"])
        if not body.get("echo"):
            said, logprobs = logprobs["tokens"][-1], {k: v[-1:] for k, v in logprobs.items()}
        self.answer(200, {
            "id": "x", "object": "text_completion", "model": folder,
            "choices": [{"index": 0, "text": said, "finish_reason": "length", "logprobs": logprobs}],
            "usage": {"prompt_tokens": len(logprobs["tokens"]) - 1 if body.get("echo") else 0, "completion_tokens": 1},
        })


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
