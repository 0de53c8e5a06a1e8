"""The protocol of scorers: a batch of answers a line in, their scores a line out.

A scorer calls serve() with a function from a list of items to a list of scores. What
it raises for one batch is said in that batch's reply, and the next batch is read.
"""

import json
import sys


def serve(score, signature):
    out = sys.stdout
    sys.stdout = sys.stderr  # libraries print; only replies belong on stdout
    for line in sys.stdin:
        batch = json.loads(line)["batch"]
        try:
            replies = [
                {"id": item["id"], "scores": scores, "signature": signature} if isinstance(scores, dict) else {"id": item["id"], "error": str(scores)}
                for item, scores in zip(batch, score(batch), strict=True)
            ]
            reply = {"scores": replies}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(reply) + "\n")
        out.flush()


def offline(allow_download):
    """Keeps the hub's clients from fetching weights that nobody asked for."""
    import os

    if not allow_download:
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ["TRANSFORMERS_OFFLINE"] = "1"
