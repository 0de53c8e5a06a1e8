"""BERTScore as a scorer: precision, recall and f1, the best reference by f1.

    assay score BUNDLE --command "python3 bertscore.py --model roberta-large --layer 17" --scores f1

It needs torch and transformers, and weights that are there already: --download fetches
them. Scores are those of the model's own embeddings without idf and without rescaling,
and depend on the version of transformers, which the signature names.
"""

import argparse
import sys

import lines


def embed(model, tokenizer, texts, layer, torch):
    """The normalised vectors of every text's tokens, and which of them count."""
    encoded = tokenizer(texts, return_tensors="pt", padding=True, truncation=True, return_special_tokens_mask=True)
    special = encoded.pop("special_tokens_mask")
    with torch.no_grad():
        hidden = model(**encoded, output_hidden_states=True).hidden_states[layer]
    counts = encoded["attention_mask"].bool() & ~special.bool()
    present = encoded["attention_mask"].bool()
    return torch.nn.functional.normalize(hidden, dim=-1), counts, present


def compare(prediction, reference, torch):
    """Precision, recall and f1 of one pair. Special tokens can be matched and do not count."""
    (p, p_counts, p_there), (r, r_counts, r_there) = prediction, reference
    if not p_counts.any() or not r_counts.any():
        return {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    cosine = p @ r.T
    precision = cosine.masked_fill(~r_there, -2).max(dim=1).values[p_counts].mean().item()
    recall = cosine.masked_fill(~p_there[:, None], -2).max(dim=0).values[r_counts].mean().item()
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="roberta-large", help="name or folder of the model")
    parser.add_argument("--layer", type=int, default=17, help="hidden layer whose vectors are compared")
    parser.add_argument("--download", action="store_true", help="fetch weights that are not there")
    args = parser.parse_args()
    lines.offline(args.download)
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(args.model, add_prefix_space=True)
    model = transformers.AutoModel.from_pretrained(args.model).eval()

    def score(batch):
        texts = [text for item in batch for text in [item["prediction"], *item.get("references", [])]]
        vectors = list(zip(*embed(model, tokenizer, texts, args.layer, torch), strict=True))
        results, at = [], 0
        for item in batch:
            prediction, at = vectors[at], at + 1
            references, at = vectors[at : at + len(item.get("references", []))], at + len(item.get("references", []))
            if not references:
                results.append("it has no reference")
                continue
            results.append(max((compare(prediction, reference, torch) for reference in references), key=lambda s: s["f1"]))
        return results

    lines.serve(score, f"bertscore {args.model}_L{args.layer}_no-idf transformers={transformers.__version__} torch={torch.__version__}")


if __name__ == "__main__":
    sys.exit(main())
