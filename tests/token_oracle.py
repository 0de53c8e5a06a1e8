"""Trains small tokenizers and writes down what the reference implementations say.

    python tests/token_oracle.py FOLDER [COUNT]

FOLDER gets the tokenizers, texts.json with COUNT texts, and for each tokenizer
the ids of every text as int32: their number, then the ids. models.json lists it
all. Everything follows from a fixed seed and a fixed corpus.
"""

import array
import base64
import gzip
import io
import json
import os
import random
import string
import sys
import unicodedata

import sentencepiece
import tiktoken
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
LLAMA3 = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
CL100K = r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
O200K = "|".join([
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""\p{N}{1,3}""", r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""", r"""\s*[\r\n]+""", r"""\s+(?!\S)""", r"""\s+"""])
# One that is written out nowhere in assay and takes the slow path.
UNKNOWN = r"""\p{Lu}?\p{Ll}+|\p{N}{1,2}(?=\s|$)|\s+(?!\S)|\s?[^\s]"""

SENTENCES = """The quick brown fox jumps over the lazy dog, doesn't it? I'm sure they'll say we've won; she'd WE'LL CAN'T.
Быстрая лисица перепрыгнула через ленивую собаку. Ёлка стоит в лесу, а снег идёт.
日本語のテキストです。漢字とかなとカタカナが混ざっています。東京都に住んでいます。
中文文本没有空格，所以分词很难。我们在北京学习。
한국어 문장입니다. 띄어쓰기가 있습니다.
नमस्ते दुनिया, यह एक वाक्य है। हिन्दी में लिखा है।
مرحبا بالعالم، هذه جملة باللغة العربية.
שלום עולם, זה משפט בעברית.
ภาษาไทยไม่มีช่องว่างระหว่างคำ
Η γρήγορη αλεπού πηδάει πάνω από τον σκύλο. ΟΔΟΣ οδός ΣΑΣ
Größe, Straße, naïve, café, crème brûlée, Ærøskøbing, İstanbul ığdır, Łódź, đường phố Việt Nam
""".splitlines()
EMOJI = "😀 🎉 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 ❤️ ✈︎ ☃ 🧑🏿‍🚀 ⌨ 1️⃣".split(" ")
PIECES = ["  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n ", "\n  ", "\t\t", "\u00a0", "\u2003", "\u3000", "\u0085", "\u2028",
          "\u200b", "\u200d", "\ufeff", "\x00", "\x01", "\x1b[0m", "\x7f", "\x0b", "\x0c",
          "'s", "'S", "'ſ", "ſ", "'Ll", "'RE", "don’t", "3²", "½", "Ⅷ", "١٢٣", "1234567", "3.14", "e\u0301", "\u00e9", "\u1e9b\u0323",
          "ﬁ", "Å", "Ω", "ǅ", "ʰ", "\u0301", "\u0301\u0302", "<s>", "</s>", "<unk>", "[UNK]", "[CLS]", "<|im_start|>", "<|end|>",
          "<0x0A>", "▁", "▁▁", "Ġ", "##", "##a", "://", "//\n", "!?\n\n", "--", "...", "_", "__init__", "{}", "$", "€", "™",
          "MASK", "<m>", " <m> ", "new word", "İ", "ß", "ẞ", "CamelCaseHTTPServer", "ÀÉî", "aB", "ABc", "漢A", "Aは", "𝔘𝔫𝔦", "𐍈", "𠀀", "\U000e0001",
          "x" * 130, " " * 40, "=" * 100, "\n" * 9, "ab" * 70]


def known(char):
    """Whether the reference sees a character as today's Unicode does: its tables are
    of several years, some of 2015, and what came or changed later it takes for
    something else."""
    category = unicodedata.category(char)
    isolated = len(pre_tokenizers.BertPreTokenizer().pre_tokenize_str("a" + char)) == 2
    return (isolated == (category[0] == "P" or char in string.punctuation)
            and (normalizers.StripAccents().normalize_str(char) == "") == (category[0] == "M")
            and (ACCENTS.normalize_str(char) == "") == (category == "Mn")
            and (CLEAN.normalize_str(char) == "") == (category[0] == "C" and char not in "\t\n\r")
            and normalizers.NFKD().normalize_str(char) == unicodedata.normalize("NFKD", char))


ACCENTS = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, lowercase=False, strip_accents=True)
CLEAN = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, lowercase=False, strip_accents=False)


def assigned():
    """Characters of every script, by block of 128, so that small scripts are met as well."""
    blocks = {}
    for cp in range(0x20, 0x30000):
        if unicodedata.category(chr(cp)) not in ("Cn", "Cs", "Co") and known(chr(cp)):
            blocks.setdefault(cp // 128, []).append(chr(cp))
    return list(blocks.values())


def source():
    """Prose and code, in parts of the size of a file."""
    with gzip.open(os.path.join(ROOT, "tests", "tokenizer", "corpus.txt.gz"), "rt", encoding="utf8") as f:
        text = f.read()
    return [text[at:at + 20000] for at in range(0, len(text), 20000)]


def make_texts(count, rng):
    blocks, files = assigned(), source()

    def part():
        kind = rng.random()
        if kind < 0.25:
            words = rng.choice(SENTENCES).split(" ")
            start = rng.randrange(len(words))
            return " ".join(words[start:start + rng.randint(1, 8)])
        if kind < 0.45:
            file = rng.choice(files)
            start = rng.randrange(len(file))
            return file[start:start + rng.randint(1, 60)]
        if kind < 0.60:
            return rng.choice(PIECES)
        if kind < 0.65:
            return rng.choice(EMOJI)
        if kind < 0.80:
            block = rng.choice(blocks)
            return "".join(rng.choice(block) for _ in range(rng.randint(1, 8)))
        if kind < 0.90:
            return "".join(rng.choice("aAbB1 \n\t.'/éЖ漢") for _ in range(rng.randint(1, 12)))
        return rng.choice([" ", " ", "\n", ""])

    texts = ["", " ", "\n", "a", " a", "  a  "] + SENTENCES + EMOJI + PIECES
    while len(texts) < count:
        texts.append("".join(part() for _ in range(rng.randint(1, 6))))
    return texts[:count]


def byte_level(corpus, pre, normalizer=None, size=2000, ignore_merges=False, specials=("<|im_start|>", "<|end|>")):
    t = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        t.normalizer = normalizer
    t.pre_tokenizer = pre
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(specials), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return t


def split_bytes(regex):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(regex), "isolated", False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def hugging_face(corpus):
    """Pairs of a name and a tokenizer."""
    yield "default", Tokenizer.from_file(os.path.join(ROOT, "workload", "token", "default.tokenizer.json"))
    narrow = source()[:12] + SENTENCES * 20  # a Unigram model holds every character it was trained on
    yield "gpt2", byte_level(corpus, pre_tokenizers.ByteLevel(add_prefix_space=False))
    roberta = byte_level(corpus, pre_tokenizers.ByteLevel(add_prefix_space=True), specials=("<s>", "</s>", "<unk>"))
    roberta.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    roberta.add_special_tokens([AddedToken("<m>", lstrip=True, rstrip=True), AddedToken("MASK", single_word=True)])
    yield "roberta", roberta
    llama3 = byte_level(corpus, split_bytes(LLAMA3), ignore_merges=True)
    llama3.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|im_start|> $A <|end|>", special_tokens=[("<|im_start|>", 0), ("<|end|>", 1)])])
    yield "llama3", llama3
    qwen2 = byte_level(corpus, split_bytes(QWEN2), normalizers.NFC())
    qwen2.add_tokens([AddedToken("new word", normalized=True), AddedToken("é", normalized=True)])
    yield "qwen2", qwen2
    yield "o200k", byte_level(corpus, split_bytes(O200K))
    yield "unknown-pattern", byte_level(corpus, split_bytes(UNKNOWN))
    yield "digits", byte_level(corpus, pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Split("e", "merged_with_previous"),
        pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]))

    llama2 = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    llama2.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    llama2.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    llama2.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    llama2.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=2000, limit_alphabet=300, show_progress=False,
        special_tokens=["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]))
    fixed = json.loads(llama2.to_str())
    fixed["pre_tokenizer"] = None
    fixed["added_tokens"] = fixed["added_tokens"][:3]
    yield "llama2", Tokenizer.from_str(json.dumps(fixed))

    suffix = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    suffix.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip()])
    suffix.pre_tokenizer = pre_tokenizers.Whitespace()
    suffix.decoder = decoders.BPEDecoder("</w>")
    suffix.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=2000, limit_alphabet=200, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False))
    yield "suffix", suffix

    for name, lower in (("bert", True), ("bert-cased", False)):
        bert = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        bert.normalizer = normalizers.BertNormalizer(lowercase=lower)
        bert.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        bert.decoder = decoders.WordPiece()
        bert.train_from_iterator(corpus, trainers.WordPieceTrainer(
            vocab_size=2000, limit_alphabet=400, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False))
        bert.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
        yield name, bert

    t5 = Tokenizer(models.Unigram())
    t5.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Replace(Regex(" {2,}"), " ")])
    t5.pre_tokenizer = pre_tokenizers.Metaspace()
    t5.decoder = decoders.Metaspace()
    t5.train_from_iterator(narrow, trainers.UnigramTrainer(
        vocab_size=2000, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False))
    yield "unigram", t5

    spread = json.loads(t5.to_str())
    spread["normalizer"] = None
    spread["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
        {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}]}
    spread["model"]["byte_fallback"] = True
    spread["model"]["vocab"] += [["<0x%02X>" % b, -20.0] for b in range(256)]
    spread["decoder"] = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}]}
    yield "unigram-bytes", Tokenizer.from_str(json.dumps(spread))


def to_bytes():
    """The byte that each character of the byte-level alphabet stands for."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {chr(b): b for b in visible}
    hidden = [b for b in range(256) if b not in visible]
    table.update({chr(256 + i): b for i, b in enumerate(hidden)})
    return table


def ranks(tokenizer):
    """A tiktoken vocabulary: the bytes, then one token for each merge."""
    table = to_bytes()
    raw = lambda s: bytes(table[c] for c in s)
    result = {bytes([b]): b for b in range(256)}
    for left, right in json.loads(tokenizer.to_str())["model"]["merges"]:
        result.setdefault(raw(left) + raw(right), len(result))
    return result


def fields(message):
    """The number and value of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        number, kind = divmod(varint(), 8)
        size = {1: 8, 5: 4}.get(kind) or (varint() if kind == 2 else 0)
        if kind == 0:
            yield number, varint()
            continue
        yield number, message[at:at + size]
        at += size


def charsmap(model):
    """The map of characters in a SentencePiece model."""
    return dict(fields(dict(fields(model))[3]))[2]


def write_ids(path, rows):
    out = array.array("i")
    for ids in rows:
        out.append(len(ids))
        out.extend(ids)
    with open(path, "wb") as f:
        out.tofile(f)


def main():
    folder, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    rng = random.Random(7)
    texts = make_texts(count, rng)
    corpus = source()[:12] + SENTENCES * 20 + texts[:2000]
    with open(os.path.join(folder, "texts.json"), "w", encoding="utf8") as f:
        json.dump(texts, f)
    listed = []

    def add(name, file, encode, decode, pattern="", specials=False):
        rows = encode(texts)
        write_ids(os.path.join(folder, name + ".ids"), rows)
        listed.append({"name": name, "file": file, "pattern": pattern, "specials": specials,
                       "decoded": [decode(ids) for ids in rows[:2000]] if decode else None})

    for name, t in hugging_face(corpus):
        file = name + ".tokenizer.json"
        t.save(os.path.join(folder, file))
        ids = lambda special: lambda texts: [e.ids for e in t.encode_batch(texts, add_special_tokens=special)]
        add(name, file, ids(False), lambda ids: t.decode(ids, skip_special_tokens=False))
        if t.post_processor:
            add(name + "-specials", file, ids(True), None, specials=True)
        if name in ("gpt2", "llama3", "o200k"):
            own = {"gpt2": ("gpt2", GPT2), "llama3": ("cl100k", CL100K), "o200k": ("o200k", O200K)}[name]
            vocabulary = ranks(t)
            encoding = tiktoken.Encoding("own", pat_str=own[1], mergeable_ranks=vocabulary, special_tokens={})
            file = own[0] + ".tiktoken"
            with open(os.path.join(folder, file), "w") as f:
                for token, rank in vocabulary.items():
                    f.write("%s %d\n" % (base64.b64encode(token).decode(), rank))
            add("tiktoken-" + own[0], file, lambda texts: [encoding.encode_ordinary(x) for x in texts], encoding.decode, pattern=own[0])

    lines = [line for text in source()[:12] + SENTENCES * 20 for line in text.splitlines() if "\x00" not in line]
    for name, settings in {
        "sp-unigram": dict(model_type="unigram", user_defined_symbols=["<m>", "MASK"]),
        "sp-unigram-identity": dict(model_type="unigram", byte_fallback=True, normalization_rule_name="identity",
                                    remove_extra_whitespaces=False, character_coverage=0.98),
        "sp-bpe": dict(model_type="bpe", character_coverage=0.98),
        "sp-bpe-bytes": dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity", split_digits=True,
                             remove_extra_whitespaces=False, character_coverage=0.98, user_defined_symbols=["<m>", "MASK"]),
    }.items():
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=model, vocab_size=2000, minloglevel=2, num_threads=1, hard_vocab_limit=False, **settings)
        if name == "sp-unigram":
            t = Tokenizer.from_file(os.path.join(folder, "unigram.tokenizer.json"))
            t.normalizer = normalizers.Precompiled(charsmap(model.getvalue()))
            t.save(os.path.join(folder, "precompiled.tokenizer.json"))
            add("precompiled", "precompiled.tokenizer.json", lambda texts: [e.ids for e in t.encode_batch(texts, add_special_tokens=False)],
                lambda ids: t.decode(ids, skip_special_tokens=False))
        file = name + ".model"
        with open(os.path.join(folder, file), "wb") as f:
            f.write(model.getvalue())
        sp = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        add(name, file, lambda texts: [sp.encode(x) for x in texts], None)

    with open(os.path.join(folder, "models.json"), "w", encoding="utf8") as f:
        json.dump(listed, f)


if __name__ == "__main__":
    main()
