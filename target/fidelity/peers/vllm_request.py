"""Ask with vLLM's own request function, rounds of N streams at once.

The function is loaded from its file: importing the package vllm would need
PyTorch and a GPU's libraries, which the function itself does not.
"""

import asyncio
import importlib.util
import json
import sys

import aiohttp


def load():
    # find_spec of a dotted name would import the package; its own does not.
    package = importlib.util.find_spec("vllm").submodule_search_locations[0]
    path = package + "/benchmarks/lib/endpoint_request_func.py"
    spec = importlib.util.spec_from_file_location("endpoint_request_func", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


async def main(url, streams, rounds, tokens, out):
    vllm = load()
    ask = vllm.RequestFuncInput(
        prompt="hello", api_url=url + "/v1/completions", prompt_len=1, output_len=tokens, model="sim"
    )
    answers = []

    async def user(session):
        for _ in range(rounds):
            answers.append(await vllm.async_request_openai_completions(ask, session))

    # The limits of `vllm bench serve`: as many connections as streams.
    connector = aiohttp.TCPConnector(limit=streams, limit_per_host=streams, keepalive_timeout=60, force_close=False)
    async with aiohttp.ClientSession(connector=connector, trust_env=False, timeout=vllm.AIOHTTP_TIMEOUT) as session:
        await asyncio.gather(*(user(session) for _ in range(streams)))
    failed = [a.error for a in answers if not a.success]
    if failed:
        sys.exit(f"{len(failed)} requests failed, the first with: {failed[0]}")
    with open(out, "w") as f:
        json.dump([{"start": a.start_time, "ttft": a.ttft, "itl": a.itl} for a in answers], f)


if __name__ == "__main__":
    url, streams, rounds, tokens, out = sys.argv[1:]
    asyncio.run(main(url, int(streams), int(rounds), int(tokens), out))
