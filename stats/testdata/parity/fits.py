"""Centres, bootstrap intervals and fits."""

import types

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats


def logMean(a, b, n):
    logs = np.log(a)
    low, high = stats.t.interval(n[0], len(a) - 1, loc=np.mean(logs), scale=stats.sem(logs))
    return np.exp([np.mean(logs), low, high])


def harrellDavis(a, b, n):
    return stats.mstats.hdquantiles(a, prob=[n[0]])


def bcaMean(a, b, n):
    """The interval from the replicates b, which were drawn elsewhere."""
    drawn = types.SimpleNamespace(bootstrap_distribution=b)
    ci = stats.bootstrap((a,), np.mean, n_resamples=0, bootstrap_result=drawn, method="BCa", confidence_level=n[0])
    return [ci.confidence_interval.low, ci.confidence_interval.high]


def huber(a, b, n):
    """Parameters, their standard errors and the scale of a straight line."""
    fit = sm.RLM(b, sm.add_constant(a), M=sm.robust.norms.HuberT()).fit(maxiter=500, tol=1e-15, conv="coefs")
    return [*fit.params, *fit.bse, fit.scale]


def theilSenLine(a, b, n):
    line = stats.theilslopes(b, a, alpha=n[0], method="joint")
    return [line.slope, line.intercept, line.low_slope, line.high_slope]


def nonNegative(a, b, n):
    params, left = optimize.nnls(a.reshape(len(b), -1), b)
    return [*params, left]


def curveFit(a, b, n):
    """Parameters and standard errors of the Universal Scalability Law."""

    def law(x, rate, contention, crosstalk):
        return rate * x / (1 + contention * (x - 1) + crosstalk * x * (x - 1))

    def slopes(x, rate, contention, crosstalk):
        below = 1 + contention * (x - 1) + crosstalk * x * (x - 1)
        return np.stack([x / below, -rate * x * (x - 1) / below**2, -rate * x * x * (x - 1) / below**2], axis=1)

    params, covariance = optimize.curve_fit(
        law, a, b, p0=[500, 0.1, 0.01], bounds=([1e-6, 0, 0], [1e6, 1, 1]),
        jac=slopes, x_scale=[100, 0.1, 0.001], xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=10000,
    )
    return [*params, *np.sqrt(np.diag(covariance))]
