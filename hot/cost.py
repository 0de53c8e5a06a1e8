"""What publishing costs a run: pairs of runs against the simulator, one of them published each
second to a page that is scraped and to a receiver of OTLP, in turns of ABBA. The simulator's
first token comes 20 ms after the request was read and the others 2 ms apart, so what is
measured beyond that is error: of the timers, the client and the machine.

python hot/cost.py bin/assay PAIRS prints medians, and the median of the differences within pairs
with its 95 % interval by ranks. Run it with make bench-hot.
"""

import csv
import http.server
import io
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PROGRAM, PAIRS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
SIMULATOR, PAGE = "127.0.0.1:18471", "127.0.0.1:18472"

DOCUMENT = """apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {{name: {name}}}
spec:
  workload: {{model: sim, sequenceLengthMix: [{{inputTokens: 32, outputTokens: 32, weight: 1}}]}}
  target: {{url: "http://{simulator}"}}
  load: {{concurrency: [{users}], duration: 4s, warmup: {{duration: 500ms}}, calibrate: false}}
  trials: {{minReplicates: 3}}
  sinks: {{hotMetrics: {{interval: 1s}}}}
"""

QUESTION = """SELECT r.name, r.run_id, f.metric || ' ' || f.statistic, f.unit, f.value FROM metric_fact f
JOIN benchmark_run_fact r USING (artifact_manifest_digest)
WHERE f.value IS NOT NULL AND (f.metric = 'ttft.v2' AND f.statistic IN ('p50', 'p90', 'p99') OR f.metric = 'e2e.v2' AND f.statistic = 'p50')
ORDER BY r.created_ns, f.fact"""


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    got = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Receiver.got += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def scrape(end):
    while not end.wait(1):
        try:
            urllib.request.urlopen(f"http://{PAGE}/metrics", timeout=1).read()
        except OSError:
            pass  # it is not there yet, or not any more


def run(folder, name, flags):
    out = subprocess.run([PROGRAM, "run", os.path.join(folder, name + ".yaml"), "--out", os.path.join(folder, "runs"), "--progress", "none", *flags],
                         capture_output=True, text=True)
    if out.returncode != 0 or "deliveries failed" in out.stderr:
        sys.exit(out.stdout + out.stderr)


def interval(differences):
    """The median, and the order statistics that hold it with at least 95 % (binomial)."""
    xs, n = sorted(differences), len(differences)
    k = 0
    while sum(math.comb(n, i) for i in range(k + 1)) / 2**n <= .025:
        k += 1
    low, high = (xs[k - 1], xs[n - k]) if k else (-math.inf, math.inf)
    return statistics.median(xs), low, high


def main():
    users = int(os.environ.get("USERS", "64"))
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    hot = ["--metrics-listen", PAGE, "--otlp", f"http://127.0.0.1:{receiver.server_port}"]
    simulator = subprocess.Popen([PROGRAM, "sim", "--addr", SIMULATOR, "--ttft", "20ms", "--itl", "2ms"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = threading.Event()
    threading.Thread(target=scrape, args=(end,), daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in ("plain", "hot"):
                with open(os.path.join(folder, name + ".yaml"), "w") as file:
                    file.write(DOCUMENT.format(name=name, simulator=SIMULATOR, users=users))
            time.sleep(1)
            for pair in range(PAIRS):
                for name in (("plain", "hot"), ("hot", "plain"))[pair % 2]:
                    run(folder, name, hot if name == "hot" else [])
        finally:
            end.set()
            simulator.terminate()
        place = os.path.join(folder, "warehouse")
        bundles = [os.path.join(folder, "runs", name) for name in os.listdir(os.path.join(folder, "runs"))]
        subprocess.run([PROGRAM, "keep", "--warehouse", place, *bundles], check=True, stdout=subprocess.DEVNULL)
        rows = subprocess.run([PROGRAM, "query", "--warehouse", place, "--format", "csv", QUESTION], check=True, capture_output=True, text=True).stdout
    values = {}
    for name, _, metric, _, value in list(csv.reader(io.StringIO(rows)))[1:]:
        values.setdefault(metric, {}).setdefault(name, []).append(float(value))
    print(f"{PAIRS} pairs of runs of {users} users, {Receiver.got} deliveries by OTLP; load {os.getloadavg()[0]:.1f}\n")
    print("| result | plain, median | published, median | difference within pairs, median (95 % interval) |\n| --- | --- | --- | --- |")
    for metric, by in values.items():
        middle, low, high = interval([1e3 * (b - a) for a, b in zip(by["plain"], by["hot"])])
        plain, published = (1e3 * statistics.median(by[name]) for name in ("plain", "hot"))
        print(f"| {metric} | {plain:.3f} ms | {published:.3f} ms | {middle:+.3f} ms ({low:+.3f} to {high:+.3f}) |")


main()
