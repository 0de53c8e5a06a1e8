"""Asks Apache Otava about histories, after every run: JSON in, JSON out."""

import json
import sys

from otava.series import Metric, Series


def changes(values):
    series = Series(
        "t", None, list(range(len(values))), {"m": Metric(1, 1.0, "")}, {"m": values}, {}
    )
    found = series.analyze().change_points["m"]
    return [int(c.index) for c in found]


first = int(sys.argv[1])
answer = []
for history in json.load(sys.stdin):
    values = history["values"]
    answer.append([changes(values[:n]) if n >= first else [] for n in range(len(values) + 1)])
json.dump(answer, sys.stdout)
