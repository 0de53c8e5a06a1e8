"""Answers the questions of lm_eval_parity_test.go with lm-eval's own filters and metrics.

The first line of the output is lm-eval's task gsm8k: its filters, and the options of its
exact_match. Each line of the input is then a question, each line of the output its answer,
all of it JSON. Neither torch nor data sets are needed for this part of lm-eval.
"""

import json
import os
import sys

import yaml

import lm_eval
from lm_eval.api.instance import Instance
from lm_eval.api.metrics import exact_match_fn
from lm_eval.filters import build_filter_ensemble


def gsm8k():
    path = os.path.join(os.path.dirname(lm_eval.__file__), "tasks", "gsm8k", "gsm8k.yaml")
    with open(path) as file:
        task = yaml.safe_load(file)
    options = {name: value for name, value in task["metric_list"][0].items() if name not in ("metric", "aggregation", "higher_is_better")}
    filters = [[dict(step) for step in one["filter"]] for one in task["filter_list"]]
    return {"names": [one["name"] for one in task["filter_list"]], "filters": filters, "options": options}


def main():
    print(json.dumps(gsm8k()))
    for line in sys.stdin:
        q = json.loads(line)
        answer = {"extracted": [], "scores": []}
        for steps in q["filters"]:
            components = [[step["function"], {k: v for k, v in step.items() if k != "function"}] for step in steps]
            instance = Instance("generate_until", {}, ("", {}), 0, resps=[q["said"]])
            build_filter_ensemble("filter", components).apply([instance])
            found = instance.filtered_resps["filter"]
            answer["extracted"].append(found)
            answer["scores"].append(float(exact_match_fn(predictions=[found], references=[q["reference"]], **q["options"])["exact_match"]))
        print(json.dumps(answer))


main()
