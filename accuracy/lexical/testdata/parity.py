"""Answers the questions of parity_test.go with the libraries that define the metrics.

Its argument is the library. Each line of the input is a question, each line of the
output its answer, both in JSON.
"""

import atexit
import json
import logging
import os
import shutil
import sys
import tempfile


def sacrebleu():
    from sacrebleu.metrics import BLEU, CHRF, TER
    from sacrebleu.metrics.bleu import _get_tokenizer

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    kinds = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
    tokenizers = {name: _get_tokenizer(name)() for name in ("13a", "intl", "zh", "char", "none")}
    made = {}

    def answer(q):
        scores = []
        for kind, options in q["metrics"]:
            key = kind + json.dumps(options)
            if key not in made:
                made[key] = kinds[kind](**options)
            metric = made[key]
            refs = [[ref] for ref in q["refs"]]
            statistics = metric._extract_corpus_statistics([q["hyp"]], refs)
            scores.append(list(statistics[0]))
            scores.append([metric._aggregate_and_compute(statistics).score])
        return {"scores": scores, "tokens": {name: t(q["hyp"].rstrip()) for name, t in tokenizers.items()}}

    return answer


def rouge():
    from rouge_score import rouge_scorer

    types = ["rouge1", "rouge2", "rouge3", "rouge9", "rougeL", "rougeLsum"]
    scorers = [rouge_scorer.RougeScorer(types, use_stemmer=stem) for stem in (False, True)]

    def answer(q):
        found = [scorer.score_multi(q["refs"], q["hyp"]) for scorer in scorers]
        return {"scores": [list(scores[t]) for scores in found for t in types]}

    return answer


def nltk():
    from nltk import data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.stem.porter import PorterStemmer
    from nltk.translate.meteor_score import meteor_score

    class Nothing:
        def synsets(self, word):
            return []

    class English(WordNetCorpusReader):
        def map_wn(self, version="wordnet"):
            return None  # other languages need another copy of WordNet

    folder = "/usr/share/wordnet"
    wordnet = Nothing()
    if os.path.isdir(folder):
        # NLTK wants a list of the files that the meanings come from, which Debian leaves
        # out, and follows no links to where it has not been sent.
        copy = tempfile.TemporaryDirectory()
        atexit.register(copy.cleanup)
        shutil.copytree(folder, copy.name, dirs_exist_ok=True)
        with open(os.path.join(copy.name, "lexnames"), "w") as lexnames:
            lexnames.writelines(f"{i:02d}\tfile{i}\t1\n" for i in range(45))
        data.path.append(copy.name)
        wordnet = English(copy.name, None)
    stemmer = PorterStemmer()

    def answer(q):
        words, refs = q["hyp"].split(), [ref.split() for ref in q["refs"]]
        scores = [[meteor_score(refs, words, wordnet=source)] for source in (Nothing(), wordnet)]
        return {"scores": scores, "stems": [stemmer.stem(word) for word in words]}

    return answer


def sklearn():
    from scipy import stats
    from sklearn import metrics

    def answer(q):
        labels, predictions = q["labels"], q["predictions"]
        scores = [[metrics.accuracy_score(labels, predictions), metrics.matthews_corrcoef(labels, predictions)]]
        for average in ("micro", "macro", "weighted"):
            found = metrics.precision_recall_fscore_support(labels, predictions, average=average, zero_division=0)
            scores.append(list(found[:3]))
        one = metrics.precision_recall_fscore_support(labels, predictions, labels=["b"], average="macro", zero_division=0)
        scores.append(list(one[:3]))
        scores.append([stats.pearsonr(q["xs"], q["ys"])[0], stats.spearmanr(q["xs"], q["ys"])[0]])
        return {"scores": scores}

    return answer


def python():
    import unicodedata

    def answer(q):
        text = q["hyp"]
        try:
            number = str(float(text))
        except ValueError:
            number = ""
        known = all(unicodedata.category(c) != "Cn" for c in text)
        return {"known": known, "texts": [text.lower(), text.upper(), text.casefold(), text.strip(), text.rstrip(), number], "words": text.split(),
                "space": [c.isspace() for c in text], "word": [c.isalnum() or c == "_" for c in text]}

    return answer


def main():
    answer = {"sacrebleu": sacrebleu, "rouge": rouge, "nltk": nltk, "sklearn": sklearn, "python": python}[sys.argv[1]]()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))))


main()
