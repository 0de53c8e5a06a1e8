"""transformers serve that writes down when it got each chat request and sent its text.

usage: stamped_serve.py LOG MODEL [options of transformers serve]

A line of LOG is one answer: seconds of the wall clock at which the web server handed over
the request, the first event with text left, and the last event left.
"""

import sys
import time

import uvicorn
from transformers.cli.transformers import main

LOG = open(sys.argv[1], "a", buffering=1)


class Stamped(uvicorn.Config):
    def __init__(self, app, **options):
        async def stamped(scope, receive, send):
            if scope["type"] != "http" or scope["path"] != "/v1/chat/completions":
                return await app(scope, receive, send)
            times = [time.time()]

            async def note(message):
                body = message.get("body", b"")
                if (b'"content":"' in body and len(times) == 1) or (body and len(times) > 1):
                    times[1:] = [*times[1:2], time.time()]
                await send(message)

            await app(scope, receive, note)
            if len(times) == 3:
                LOG.write(",".join(f"{t:.6f}" for t in times) + "\n")

        super().__init__(stamped, **options)


uvicorn.Config = Stamped
sys.argv[1:] = ["serve", *sys.argv[2:]]
main()
