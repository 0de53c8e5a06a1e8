"""COMET as a scorer of translations: source, translation and reference.

    assay score BUNDLE --command "python3 cometscore.py --checkpoint model.ckpt" --scores comet

It needs unbabel-comet and a checkpoint that is there already. The source is the item's
prompt: for a task whose prompt holds more than the source, score a file of your own.
Licences of the models differ; some of them may not be used for a product.
"""

import argparse
import importlib.metadata
import os
import sys

import lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkpoint", required=True, help="file of the model")
    parser.add_argument("--gpus", type=int, default=0)
    args = parser.parse_args()
    lines.offline(False)
    import comet

    model = comet.load_from_checkpoint(args.checkpoint, local_files_only=True)

    def score(batch):
        rows = [{"src": item.get("prompt", ""), "mt": item["prediction"], "ref": (item.get("references") or [""])[0]} for item in batch]
        return [{"comet": float(value)} for value in model.predict(rows, gpus=args.gpus, progress_bar=False).scores]

    lines.serve(score, f"comet {os.path.basename(args.checkpoint)} unbabel-comet={importlib.metadata.version('unbabel-comet')}")


if __name__ == "__main__":
    sys.exit(main())
