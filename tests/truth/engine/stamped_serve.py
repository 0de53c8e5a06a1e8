"""transformers serve that says where it is and writes down what it did with each chat request.

usage: stamped_serve.py [options of transformers serve] LOG MODEL

A line of LOG is one answer: its id, when the web server handed over the request and when
each event with text left, in nanoseconds of the monotonic clock, and the tokens that it
counted. It ends with its standard input.
"""

import json
import os
import re
import socket
import sys
import threading
import time
import urllib.request

import uvicorn
from transformers.cli.transformers import main

*OPTIONS, LOG, MODEL = sys.argv[1:]
SAID, sys.stdout = sys.stdout, sys.stderr  # the engine's own words are no address
OUT = open(LOG, "a", buffering=1)
FOUND = re.compile(rb'"id": ?"([^"]+)"'), re.compile(rb'"completion_tokens": ?(\d+)')


class Stamped(uvicorn.Config):
    def __init__(self, app, **options):
        async def stamped(scope, receive, send):
            if scope["type"] != "http" or scope["path"] != "/v1/chat/completions":
                return await app(scope, receive, send)
            row = {"id": "", "received": time.monotonic_ns(), "tokens": 0, "written": []}

            async def note(message):
                await send(message)
                body = message.get("body", b"")
                if b'"content":"' in body and b'"content":""' not in body:
                    row["written"].append(time.monotonic_ns())
                for name, found in zip(("id", "tokens"), FOUND):
                    if match := found.search(body):
                        row[name] = match[1].decode() if name == "id" else int(match[1])

            await app(scope, receive, note)
            OUT.write(json.dumps(row) + "\n")

        super().__init__(stamped, **options)


def announce(port):
    """Says where the server is when it answers, and ends it with standard input."""
    url = f"http://127.0.0.1:{port}"
    while True:
        try:
            urllib.request.urlopen(url + "/health", timeout=1).close()
            break
        except OSError:
            time.sleep(0.1)
    print(url, file=SAID, flush=True)
    sys.stdin.read()
    os._exit(0)


with socket.create_server(("127.0.0.1", 0)) as probe:
    PORT = probe.getsockname()[1]
uvicorn.Config = Stamped
threading.Thread(target=announce, args=(PORT,), daemon=True).start()
sys.argv[1:] = ["serve", MODEL, *OPTIONS, "--host", "127.0.0.1", "--port", str(PORT)]
main()
