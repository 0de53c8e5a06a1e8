"""A model without weights in the place of transformers: every letter has a vector of its own, and special tokens another."""

import torch

__version__ = "0-fake"


class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, name, **options):
        assert options == {"add_prefix_space": True}
        return cls()

    def __call__(self, texts, **options):
        longest = max(len(text) for text in texts) + 2
        rows, there, special = [], [], []
        for text in texts:
            ids = [26] + [ord(letter) - ord("a") for letter in text] + [27]
            rows.append(ids + [0] * (longest - len(ids)))
            there.append([1] * len(ids) + [0] * (longest - len(ids)))
            special.append([1] + [0] * len(text) + [1] * (longest - len(ids) + 1))
        return {"input_ids": torch.tensor(rows), "attention_mask": torch.tensor(there), "special_tokens_mask": torch.tensor(special)}


class AutoModel:
    @classmethod
    def from_pretrained(cls, name):
        return cls()

    def eval(self):
        return self

    def __call__(self, input_ids, attention_mask, output_hidden_states):
        vectors = 3 * torch.nn.functional.one_hot(input_ids, 28).float()
        return type("Output", (), {"hidden_states": [None, vectors]})
