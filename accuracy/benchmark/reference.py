"""Scores the corpus with a reference implementation, for make bench-accuracy.

    python reference.py METRIC CORPUS_JSON

The corpus is {"references": [...], "systems": [[...], ...]}. Prints the scores of every
system, the seconds of CPU time and of the clock that scoring took, and the peak memory.
"""

import json
import resource
import sys
import time


def sacrebleu(metric):
    return lambda hypotheses, references: [metric.corpus_score(hypotheses, [references]).score]


def bleu():
    from sacrebleu.metrics import BLEU

    return sacrebleu(BLEU(force=True))


def chrf(words):
    from sacrebleu.metrics import CHRF

    return sacrebleu(CHRF(word_order=words))


def ter():
    from sacrebleu.metrics import TER

    return sacrebleu(TER())


def rouge():
    from rouge_score import rouge_scorer

    types = ["rouge1", "rouge2", "rougeL"]
    scorer = rouge_scorer.RougeScorer(types, use_stemmer=True)

    def score(hypotheses, references):
        sums = dict.fromkeys(types, 0.0)
        for hypothesis, reference in zip(hypotheses, references):
            for name, found in scorer.score(reference, hypothesis).items():
                sums[name] += found.fmeasure
        return [total / len(hypotheses) for total in sums.values()]

    return score


def meteor():
    from nltk.translate.meteor_score import meteor_score

    class Nothing:
        def synsets(self, word):
            return []

    def score(hypotheses, references):
        pairs = zip(hypotheses, references)
        return [sum(meteor_score([r.split()], h.split(), wordnet=Nothing()) for h, r in pairs) / len(hypotheses)]

    return score


METRICS = {"BLEU": bleu, "chrF": lambda: chrf(0), "chrF++": lambda: chrf(2), "TER": ter, "ROUGE": rouge, "METEOR": meteor}


def main():
    score = METRICS[sys.argv[1]]()
    with open(sys.argv[2]) as file:
        corpus = json.load(file)
    cpu, clock = time.process_time(), time.perf_counter()
    scores = [score(system, corpus["references"]) for system in corpus["systems"]]
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"scores": scores, "cpu": cpu, "clock": clock, "peakMiB": peak}))


main()
