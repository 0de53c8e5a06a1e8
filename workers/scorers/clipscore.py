"""CLIPScore as a scorer: how well a text fits an image, without references.

    assay score images.jsonl --command "python3 clipscore.py" --scores clipscore

It needs torch, transformers and Pillow, and weights that are there already: --download
fetches them. Images are files. The score is 2.5 * max(cosine, 0) with the prefix
"A photo depicts ", as its authors have it; a GPU in half precision differs a little.
"""

import argparse
import sys

import lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="openai/clip-vit-base-patch32", help="name or folder of the model")
    parser.add_argument("--prefix", default="A photo depicts ", help="what stands before every text")
    parser.add_argument("--download", action="store_true", help="fetch weights that are not there")
    args = parser.parse_args()
    lines.offline(args.download)
    import torch
    import transformers
    from PIL import Image

    model = transformers.CLIPModel.from_pretrained(args.model).eval()
    processor = transformers.CLIPProcessor.from_pretrained(args.model)

    def one(item):
        if not item.get("image"):
            return "it has no image"
        try:
            image = Image.open(item["image"]).convert("RGB")
        except OSError as error:
            return f"its image: {error}"
        inputs = processor(text=[args.prefix + item["prediction"]], images=image, return_tensors="pt", padding=True, truncation=True)
        with torch.no_grad():
            out = model(**inputs)
        cosine = torch.nn.functional.cosine_similarity(out.image_embeds, out.text_embeds).item()
        return {"clipscore": 2.5 * max(cosine, 0.0)}

    lines.serve(lambda batch: [one(item) for item in batch], f"clipscore {args.model} prefix={args.prefix!r} transformers={transformers.__version__} torch={torch.__version__}")


if __name__ == "__main__":
    sys.exit(main())
