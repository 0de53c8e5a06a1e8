"""Bootstrap intervals."""

import types

import numpy as np
from scipy import stats


def bcaMean(a, b, n):
    """The interval from the replicates b, which were drawn elsewhere."""
    drawn = types.SimpleNamespace(bootstrap_distribution=b)
    ci = stats.bootstrap((a,), np.mean, n_resamples=0, bootstrap_result=drawn, method="BCa", confidence_level=n[0])
    return [ci.confidence_interval.low, ci.confidence_interval.high]
