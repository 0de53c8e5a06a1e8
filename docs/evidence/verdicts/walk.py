"""Ten pairs of runs, and what every face says of each.

usage: walk.py ASSAY POLICY FOLDER

Each side of a pair is three launches of a simulated server. What report, page, compare,
gate, history and assistant say is written below one another, to be read by somebody.
"""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

ASSAY, POLICY, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])
FAST = ["--ttft", "40ms", "--itl", "5ms", "--tokens", "24"]
PAIRS = {  # the options of both servers, and more of the document
    "a system and itself": (FAST, FAST, ""),
    "first token 20 % later": (FAST, ["--ttft", "48ms", "--itl", "5ms", "--tokens", "24"], ""),
    "tokens 20 % faster": (FAST, ["--ttft", "40ms", "--itl", "4ms", "--tokens", "24"], ""),
    "one answer in twelve stalls": (FAST, FAST + ["--fault", "stall:0.08", "--fault-delay", "300ms"], ""),
    "one request in ten is shed": (FAST, FAST + ["--fault", "rate-limit:0.10"], ""),
    "answers of one token": (FAST, FAST + ["--fault", "one-token:1"], ""),
    "half of the answers without output": (FAST, FAST + ["--fault", "zero-tokens:0.50"], ""),
    "seven tokens too many counted": (FAST, FAST + ["--fault", "wrong-usage:1"], ""),
    "output behind the end": (FAST, FAST + ["--fault", "bytes-after-done:1", "--fault-delay", "50ms"], ""),
    "one launch each": (FAST, FAST, "quick"),
}
SPEC = """apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  intent: {headline: latency}
  workload:
    model: sim
    concurrencyModel: closed_loop
    sequenceLengthMix: [{inputTokens: 32, outputTokens: 24, weight: 1}]
  target: {url: "%s"}
  load: {concurrency: [8], duration: 3s, warmup: {duration: 500ms}}
  trials: {minReplicates: 3}
"""


def said(*command, given=None):
    made = subprocess.run([ASSAY, *map(str, command)], input=given, capture_output=True, text=True, timeout=120)
    return made.stdout + made.stderr, made.returncode


def measure(name, options, more, folder):
    sim = subprocess.Popen([ASSAY, "sim", "--addr", "127.0.0.1:0", "--json", "--attached", *options],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = json.loads(sim.stdout.readline())["url"]
    folder.mkdir(parents=True)
    (folder / "spec.yaml").write_text(SPEC % ("walk", url))
    text, code = said("run", folder / "spec.yaml", "--out", folder, *(["--quick"] if more else []))
    sim.stdin.close()
    sim.wait()
    found = [p.parent for p in folder.glob("*/manifest.json")]
    if not found:
        sys.exit(f"{name}: run ended with {code}\n{text}")
    return found[0]


def page(bundle):
    """The first words of the page, as a browser shows them."""
    text, _ = said("report", "--format", "html", bundle)
    body = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", " ", text)
    lines = [html.unescape(line).strip() for line in re.sub(r"<[^>]+>", "\n", body).splitlines()]
    return "\n".join([line for line in lines if len(line) > 1][:60])


def ask(tool, arguments, folder, warehouse):
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "walk", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    server = subprocess.Popen([ASSAY, "mcp", "--folder", str(folder), "--warehouse", str(warehouse)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        server.stdin.write("".join(json.dumps(c) + "\n" for c in calls))
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == 2:
                return json.dumps(answer.get("result", answer).get("structuredContent", answer), indent=1)[:3500]
    finally:
        server.stdin.close()
        server.wait()
    return "no answer"


def show(face, text):
    print(f"--- {face}")
    print("\n".join(line[:260] for line in text.splitlines()[:60]))


for i, (name, (before, after, more)) in enumerate(PAIRS.items()):
    print(f"\n######## {name}")
    folder = FOLDER / f"pair-{i}"
    a, b = measure(name, before, more, folder / "a"), measure(name, after, more, folder / "b")
    warehouse = folder / "warehouse"
    show("keep", said("keep", "--warehouse", warehouse, a, b)[0])
    show("report of the candidate", said("report", b)[0])
    show("page of the candidate", page(b))
    show("claim of the candidate", said("claim", b)[0])
    show("compare", said("compare", a, b)[0])
    text, code = said("gate", a, b, "--policy", POLICY, "--reason", "a walk")
    show(f"gate, exit code {code}", text)
    show("history of TTFT p50", said("history", "ttft", "--warehouse", warehouse)[0])
    show("history of throughput", said("history", "output_throughput", "--warehouse", warehouse)[0])
    show("assistant, report", ask("report", {"bundle": str(b)}, folder, warehouse))
    show("assistant, compare", ask("compare", {"bundles": [str(a), str(b)]}, folder, warehouse))
    sys.stdout.flush()
