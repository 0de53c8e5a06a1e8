"""transformers serve, with the linear layers of the model in the precision that is asked.

usage: serve.py FOLDER bf16|fp8|int8 PORT
"""

import sys

from transformers import PreTrainedModel

import eight_bits

folder, precision, port = sys.argv[1:]
load = PreTrainedModel.from_pretrained.__func__


def loaded(cls, *args, **kwargs):
    model = load(cls, *args, **kwargs)
    return model if precision == "bf16" else eight_bits.convert(model, precision)


PreTrainedModel.from_pretrained = classmethod(loaded)
sys.argv = ["transformers", "serve", folder, "--continuous-batching", "--port", port]
from transformers.cli.transformers import main  # noqa: E402

main()
