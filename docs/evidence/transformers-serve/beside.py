"""Measure one server with assay, AIPerf and GuideLLM in turn, and print TTFT p50 of each.

usage: beside.py ASSAY AIPERF GUIDELLM MODEL URL LOG FOLDER [CLIENT ...]

Run it with the Python of GuideLLM's environment. LOG is that of stamped_serve.py. Every
client gets the same users, prompts of 64 tokens, answers of 32 and seconds. Of all clients
only requests that began in the window count; TTFT p50 is calculated from their records,
and beside it from the server's log of the same time. Who asks in step is the log's too.
CLIENTs are names of the table below, all by default; the variable ROUNDS is 3 by default.
"""

import bisect
import glob
import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as parquet
from transformers import AutoTokenizer

INPUT, OUTPUT, ROUNDS = 64, 32, int(os.environ.get("ROUNDS", 3))
WINDOWS = {8: (4, 7), 32: (4, 8), 128: (10, 14)}  # users: seconds of warm-up, seconds measured


def call(args, log):
    env = dict(os.environ, HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HOME=str(FOLDER / "hf"))
    with open(log, "w") as out:
        subprocess.run([*map(str, args)], stdout=out, stderr=out, env=env, check=True)


def assay(start):
    def measure(users, warmup, seconds, to):
        digest = subprocess.check_output(["sha256sum", f"{MODEL}/tokenizer.json"], text=True).split()[0]
        spec = {
            "apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkRun", "metadata": {"name": "beside"},
            "spec": {
                "workload": {
                    "model": MODEL, "tokenizer": {"path": f"{MODEL}/tokenizer.json", "digest": "sha256:" + digest},
                    "sequenceLengthMix": [{"inputTokens": INPUT, "outputTokens": OUTPUT, "weight": 1}]},
                "target": {"url": URL, "omitBody": ["ignore_eos"]},  # the server refuses it
                "load": {"concurrency": [users], "start": start, "warmup": {"duration": f"{warmup}s"},
                         "duration": f"{seconds}s", "calibrate": False},
                "trials": {"quick": True}}}
        (to / "spec.yaml").write_text(json.dumps(spec))
        call([ASSAY, "run", to / "spec.yaml", "--out", to / "runs"], to / "log")
        bundle = glob.glob(f"{to}/runs/*")[0]
        first = {}
        for chunk in rows(bundle, "chunks"):
            if chunk["text_bytes"] and chunk["request"] not in first:
                first[chunk["request"]] = chunk["at_ns"]
        records = [(r["sent_ns"] / 1e9, (first[r["request"]] - r["sent_ns"]) / 1e9, r["done_ns"] / 1e9)
                   for r in rows(bundle, "requests") if r["outcome"] == "ok" and r["request"] in first]
        return records, stated(bundle)
    return measure


def rows(bundle, table):
    for file in sorted(glob.glob(f"{bundle}/raw/launch-00/{table}-*.parquet")):
        yield from parquet.read_table(file).to_pylist()


def stated(bundle):
    """What assay itself says: its TTFT p50 and its finding on users in step."""
    report = json.loads(Path(bundle, "report/report.json").read_text())
    p50 = next(r["value"] for r in report["estimates"]["rows"] if (r["metric"], r["statistic"]) == ("ttft.v2", "p50"))
    found = [f for f in report["findings"] if f["check"] == "users-in-step"]
    return f"assay says {1e3 * p50:.0f} ms; users-in-step: " + (found[0]["severity"] if found else "none")


def aiperf(ramp):
    def measure(users, warmup, seconds, to):
        more = ["--concurrency-ramp-duration", warmup / 2] if ramp else []
        call([AIPERF, "profile", "-m", MODEL, "--tokenizer", "assay/model", "-u", URL, "--endpoint-type", "chat",
              "--streaming", "--concurrency", users, "--benchmark-duration", warmup + seconds, "--isl", INPUT,
              "--osl", OUTPUT, "--random-seed", random.randrange(1 << 30), "--ui", "none",
              "--output-artifact-dir", to, *more], to / "log")
        records = []
        for line in open(to / "profile_export.jsonl"):
            r = json.loads(line)
            ttft = r["metrics"].get("time_to_first_token")
            if ttft:
                start, end = (r["metadata"][f"request_{k}_ns"] / 1e9 for k in ("start", "end"))
                records.append((start, ttft["value"] / 1e3, end))
        return records, ""
    return measure


def guidellm(ramp):
    def measure(users, warmup, seconds, to):
        # With output lengths in its data it sends ignore_eos, which the server refuses; so the
        # prompts come from a file without them and the backend's max_tokens ends answers.
        with open(to / "prompts.jsonl", "w") as out:
            for _ in range(3000):
                out.write(json.dumps({"prompt": "".join(random.choices(WORDS, k=INPUT))}) + "\n")
        call([GUIDELLM, "run", "--disable-console-interactive",
              "--backend", f"kind=openai_http,target={URL},model={MODEL},request_format=/v1/chat/completions,max_tokens={OUTPUT}",
              "--profile", f"kind=concurrent,streams={users}" + (f",rampup_duration={warmup / 2}" if ramp else ""),
              "--constraint", f"kind=max_duration,seconds={warmup + seconds}",
              "--data", f"kind=json_file,path={to}/prompts.jsonl", "--tokenizer", f"kind=hf_auto,model={MODEL}",
              "--output", f"kind=json,path={to}/guidellm.json"], to / "log")
        requests = json.loads((to / "guidellm.json").read_text())["benchmarks"][0]["requests"]
        return [(r["request_start_time"], r["time_to_first_token_ms"] / 1e3, r["request_end_time"])
                for r in requests["successful"] if r["time_to_first_token_ms"]], ""
    return measure


def served(since):
    """What the server logged since then, as records."""
    records = [tuple(map(float, line.split(","))) for line in open(LOG)]
    return [(got, first - got, last) for got, first, last in records if got >= since]


def window(records, warmup, seconds):
    begin = min(r[0] for r in records) + warmup
    return [r for r in records if begin <= r[0] < begin + seconds]


def company(records, users):
    """The share of the other users who ask within the same tenth of a median answer; 10 % by chance."""
    starts = sorted(r[0] for r in records)
    half = statistics.median(r[2] - r[0] for r in records) / 20
    around = [bisect.bisect_right(starts, s + half) - bisect.bisect_left(starts, s - half) - 1 for s in starts]
    return statistics.mean(around) / (users - 1)


# assay spreads the starts of users over half of the warm-up; so do the ramps.
CLIENTS = {
    "assay, spread": assay("spread"), "AIPerf": aiperf(False), "GuideLLM": guidellm(False),
    "assay, together": assay("together"), "AIPerf, ramp": aiperf(True), "GuideLLM, ramp": guidellm(True),
}


def main():
    print("users round client           TTFT p50  at the server  E2E p50  requests  in step  load before")
    for turn in range(ROUNDS):
        for users, (warmup, seconds) in WINDOWS.items():
            for name in CHOSEN[turn:] + CHOSEN[:turn]:
                to = FOLDER / f"{turn}-{users}-{name.replace(', ', '-')}"
                to.mkdir(parents=True)
                load, since = os.getloadavg()[0], time.time()
                records, said = CLIENTS[name](users, warmup, seconds, to)
                seen, truth = window(records, warmup, seconds), window(served(since), warmup, seconds)
                if not seen:
                    print(f"{users:5} {turn + 1:5} {name:15} completed no request that began in the window, load {load:.1f}", flush=True)
                    continue
                p50, real = (1e3 * statistics.median(r[1] for r in of) for of in (seen, truth))
                e2e = statistics.median(r[2] - r[0] for r in truth)
                print(f"{users:5} {turn + 1:5} {name:15} {p50:7.0f} ms {real:11.0f} ms {e2e:6.2f} s {len(seen):9} "
                      f"{100 * company(truth, users):6.0f} %  {load:11.1f}  {said}", flush=True)


ASSAY, AIPERF, GUIDELLM, MODEL, URL, LOG = sys.argv[1:7]
FOLDER, CHOSEN = Path(sys.argv[7]).resolve(), sys.argv[8:] or list(CLIENTS)
TOKENIZER = AutoTokenizer.from_pretrained(MODEL)
WORDS = [w for w in map(TOKENIZER.decode, range(len(TOKENIZER)))
         if w[:1] == " " and w[1:].isalpha() and len(TOKENIZER.encode(w)) == 1]
# AIPerf takes a tokenizer by the name of a downloaded one only.
HUB = FOLDER / "hf/hub/models--assay--model"
(HUB / "refs").mkdir(parents=True)
(HUB / "snapshots").mkdir()
(HUB / "refs/main").write_text("0" * 40)
(HUB / "snapshots" / ("0" * 40)).symlink_to(Path(MODEL).resolve())
random.seed(1)
main()
