"""Power and the number of launches."""

import numpy as np
from scipy import integrate, special, stats
from statsmodels.stats import power


def _mean_over_variance(df, stop, f):
    """The mean of f(s/σ) up to stop: an integral over the chi-squared variance, which
    is another way than assay's."""
    constant = -special.gammaln(df / 2) - df / 2 * np.log(2)

    def inner(root):  # v = root², so that one degree of freedom has no pole
        if root <= 0:
            return 0.0
        return f(root / np.sqrt(df)) * 2 * np.exp(constant + (df - 1) * np.log(root) - root * root / 2)

    stop = min(stop * np.sqrt(df), np.sqrt(special.chdtri(df, 1e-17)))
    cuts = np.sqrt(special.chdtri(df, [1 - 1e-9, 1 - 1e-4, 0.97, 0.8, 0.5, 0.2, 0.03, 1e-4, 1e-9]))
    edges = np.concatenate([[0], cuts[(cuts > 0) & (cuts < stop)], [stop]])
    return sum(integrate.quad(inner, lo, hi, epsabs=1e-15, epsrel=1e-12)[0] for lo, hi in zip(edges, edges[1:]))


def _noncentral(t, df, delta):
    return _mean_over_variance(df, np.inf, lambda u: special.ndtr(t * u - delta))


def _power(theirs, delta, df, alpha):
    if not np.isnan(theirs):
        return [theirs]
    t = stats.t.ppf(1 - alpha / 2, df)
    return [1 - _noncentral(t, df, delta) + _noncentral(-t, df, delta)]


def powerOfTwoSides(a, b, n):
    cv, effect, k, alpha = n
    d = np.log1p(effect) / cv
    return _power(power.TTestIndPower().power(d, k, alpha), d * np.sqrt(k / 2), 2 * k - 2, alpha)


def pairedPower(a, b, n):
    cv, effect, k, alpha = n
    d = np.log1p(effect) / cv
    return _power(power.TTestPower().power(d, k, alpha), d * np.sqrt(k), k - 1, alpha)


def launchesNeeded(a, b, n):
    return _solved(power.TTestIndPower(), n)


def pairsNeeded(a, b, n):
    return _solved(power.TTestPower(), n)


def _solved(design, n):
    """The first whole number with the power. statsmodels solves for a fraction of a
    launch and gives up below two."""
    cv, effect, alpha, wanted = n
    d = np.log1p(effect) / cv
    for k in range(2, 2000):
        got = design.power(d, k, alpha)
        if np.isnan(got) or got >= wanted:
            return [k]
    return [np.nan]


def _tost_power(se, df, limit, shift, alpha):
    return _tost_beyond(stats.t.ppf(1 - alpha, df), se, df, limit, shift)


def _tost_beyond(t, se, df, limit, shift):
    def chance(u):
        half = t * se * u
        return special.ndtr((limit - half - shift) / se) - special.ndtr((half - limit - shift) / se)

    return _mean_over_variance(df, limit / (se * t), chance)


def equivalencePower(a, b, n):
    cv, effect, margin, k, alpha = n
    return [_tost_power(cv * np.sqrt(2 / k), 2 * k - 2, np.log1p(margin), np.log1p(effect), alpha)]


def pairedEquivalencePower(a, b, n):
    cv, effect, margin, k, alpha = n
    return [_tost_power(cv / np.sqrt(k), k - 1, np.log1p(margin), np.log1p(effect), alpha)]
