"""Tests of series in the order of time."""

import warnings

import numpy as np
from statsmodels.sandbox.stats import runs
from statsmodels.stats import diagnostic, sandwich_covariance
from statsmodels.tsa import stattools


def ljungBox(a, b, n):
    table = diagnostic.acorr_ljungbox(a, lags=[int(n[0])])
    return [table["lb_stat"].iloc[0], table["lb_pvalue"].iloc[0]]


def waldWolfowitz(a, b, n):
    return runs.runstest_1samp(a, cutoff="median", correction=False)


def _kpss(a, regression, nlags):
    with warnings.catch_warnings():  # a p beyond the table is what the ends mean
        warnings.simplefilter("ignore")
        return stattools.kpss(a, regression=regression, nlags=nlags)


def kpss(a, b, n):
    return _kpss(a, "ct" if n[0] else "c", int(n[1]))[:2]


def kpssLegacyLags(a, b, n):
    return _kpss(a, "c", "legacy")[:3]


def effectiveNeweyWest(a, b, n):
    """By the long-run variance of a heteroscedasticity-consistent covariance."""
    x = a - np.mean(a)
    lags = int(np.floor(4 * (len(a) / 100) ** (2 / 9) + 1e-9))
    long_run = sandwich_covariance.S_hac_simple(x[:, None], nlags=lags)[0, 0]
    return [min(len(a), len(a) * np.sum(x * x) / long_run)]
