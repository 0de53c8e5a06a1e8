"""A program that answers assay's calls: it says one word every 10 ms.

assay starts it, and it dials back. Replace the body of answer() with a call of
whatever is to be measured. The protocol is in docs/guides/command.md.
"""

import json
import os
import socket
import threading
import time

host, port = os.environ["ASSAY_CTRL"].rsplit(":", 1)
link = socket.create_connection((host, int(port)))
link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
writing = threading.Lock()
cancelled = set()


def say(**fields):
    """Send one line. Every line carries the time it was made."""
    line = json.dumps({"v": 1, "mono": time.monotonic_ns(), **fields}) + "\n"
    with writing:
        link.sendall(line.encode())


def answer(call):
    """Answer one call, word by word."""
    id, tokens = call["id"], call.get("max_tokens", 16)
    try:
        for n in range(tokens):
            time.sleep(0.010)
            if id in cancelled:
                return
            say(t="chunk", id=id, text=f" word{n}")
        usage = {"input_tokens": len(call["prompt"].split()), "output_tokens": tokens}
        say(t="done", id=id, finish_reason="length", usage=usage)
    except Exception as err:  # the call failed; the program goes on
        say(t="err", id=id, text=f"{type(err).__name__}: {err}")


def beat():
    while True:
        time.sleep(1)
        say(t="hb")


say(t="hello", token=os.environ["ASSAY_TOKEN"], name="words")
threading.Thread(target=beat, daemon=True).start()
for line in link.makefile():
    message = json.loads(line)
    if message["t"] == "call":
        threading.Thread(target=answer, args=(message,), daemon=True).start()
    elif message["t"] == "cancel":
        cancelled.add(message["id"])
    elif message["t"] == "stop":
        break
