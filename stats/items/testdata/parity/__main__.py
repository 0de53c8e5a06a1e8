"""Answers statistical questions with scipy and statsmodels.

Reads a JSON list of {"name", "a", "b", "n"} from standard input and writes a list
of lists of numbers as text, so that infinities and NaN survive. Every function of
the other files in this folder whose name has no underscore in front is a name that
can be asked for; it is called with the samples a and b and the numbers n.
"""

import importlib.util
import json
import pathlib
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")  # precision warnings about data made to provoke them


def functions():
    found = {}
    for path in sorted(pathlib.Path(__file__).parent.glob("[!_]*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", "") == path.stem and not name.startswith("_"):
                found[name] = value
    return found


known = functions()
answers = []
for case in json.load(sys.stdin):
    a, b, n = (np.array(case.get(key) or [], dtype=float) for key in ("a", "b", "n"))
    answers.append([repr(float(x)) for x in np.ravel(known[case["name"]](a, b, n))])
json.dump(answers, sys.stdout)
