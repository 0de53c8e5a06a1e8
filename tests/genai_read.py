"""Let genai-bench read folders and make its workbook and plots of each.

Prints, as JSON, what it understood: the figures of each scenario and level, by
folder. These are the functions that its commands excel and plot call; the commands
themselves load every cloud's SDK first, which takes longer than the work.
"""

import json
import os
import sys

import matplotlib

matplotlib.use("Agg")

from genai_bench.analysis.excel_report import create_workbook
from genai_bench.analysis.experiment_loader import load_one_experiment
from genai_bench.analysis.plot_report import plot_experiment_data


def read(folder):
    metadata, runs = load_one_experiment(folder)
    create_workbook(metadata, runs, os.path.join(folder, "book.xlsx"), "mean", "s")
    plot_experiment_data([(metadata, runs)], group_key="traffic_scenario", experiment_folder=folder)
    return [
        {"scenario": scenario, "level": level, **run["aggregated_metrics"].model_dump()}
        for scenario, levels in runs.items()
        for level, run in levels.items()
    ]


print(json.dumps({folder: read(folder) for folder in sys.argv[1:]}))
