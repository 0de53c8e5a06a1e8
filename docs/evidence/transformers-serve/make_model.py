"""Write a randomly initialised Llama-shaped model with assay's own tokenizer.

usage: make_model.py TOKENIZER_JSON FOLDER [tiny|small]

The weights mean nothing; the shape, and so the work, is that of a model of 1.0
billion parameters; tiny and small are for processors. Nothing ends an answer early:
there is no end token. The small model never writes part of a character, which a server
holds back: its first token is its first text, whatever the prompt.
"""

import sys

import torch
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEMPLATE = "{% for m in messages %}{{ m['content'] }}{% endfor %}"  # adds no token of its own


def main(tokenizer_json, folder, size="1b"):
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=tokenizer_json, chat_template=TEMPLATE)
    tokenizer.save_pretrained(folder)
    width, layers = {"tiny": (128, 2), "small": (256, 4), "1b": (2048, 16)}[size]
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=width, intermediate_size=4 * width, num_hidden_layers=layers,
        num_attention_heads=width // 64, num_key_value_heads=max(1, width // 256), head_dim=64,
        max_position_embeddings=8192, bos_token_id=None, eos_token_id=None, pad_token_id=None,
        torch_dtype="bfloat16",
    )
    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    model = LlamaForCausalLM(config)
    if size == "small":
        parts = [i for i in range(len(tokenizer)) if "\ufffd" in tokenizer.decode([i])]
        model.lm_head.weight.data[parts] = 0  # of thousands of random scores one is above
    model.generation_config = GenerationConfig(do_sample=False, max_new_tokens=4096)
    model.save_pretrained(folder)
    print(sum(p.numel() for p in model.parameters()), "parameters in", folder)


main(*sys.argv[1:])
