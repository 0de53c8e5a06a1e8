"""Estimates and tests of one sample, and the bounds of shares."""

import numpy as np
from scipy import special, stats
from statsmodels.stats import proportion as sm_proportion
from statsmodels.tsa import stattools


def mean(a, b, n):
    low, high = stats.t.interval(n[0], len(a) - 1, loc=np.mean(a), scale=stats.sem(a))
    return [np.mean(a), low, high]


def tQuantile(a, b, n):
    return [stats.t.ppf(n[0], n[1])]


def coefficientOfVariation(a, b, n):
    return [stats.variation(a, ddof=1)]


def quantileInterval(a, b, n):
    """Value, ends and coverage by the binomial distribution, equal tails."""
    q, confidence = n
    x, size = np.sort(a), len(a)
    tail = (1 - confidence) / 2
    ranks = np.arange(0, size + 2)
    lo = ranks[stats.binom.cdf(ranks - 1, size, q) <= tail].max()
    hi = ranks[stats.binom.sf(ranks - 1, size, q) <= tail].min()
    low = x[lo - 1] if lo >= 1 else -np.inf
    high = x[hi - 1] if hi <= size else np.inf
    value = np.quantile(x, q, method="inverted_cdf")
    return [value, low, high, stats.binom.cdf(hi - 1, size, q) - stats.binom.cdf(lo - 1, size, q)]


def proportion(a, b, n):
    return sm_proportion.proportion_confint(int(n[0]), int(n[1]), alpha=1 - n[2], method="beta")


def proportionScipy(a, b, n):
    ci = stats.binomtest(int(n[0]), int(n[1])).proportion_ci(n[2], method="exact")
    return [ci.low, ci.high]


def logNormalMean(a, b, n):
    """The hull of Student's interval and Cox's of a log-normal mean."""
    k, y = len(a), np.log(a)
    low, high = stats.t.interval(n[0], k - 1, loc=np.mean(a), scale=stats.sem(a))
    v = np.var(y, ddof=1)
    cox = stats.t.interval(n[0], k - 1, loc=np.mean(y) + v / 2, scale=np.sqrt(v / k + v**2 / (2 * (k - 1))))
    return [min(low, np.exp(cox[0])), max(high, np.exp(cox[1]))]


def shareOverLaunches(a, b, n):
    """Korn and Graubard's interval of clusters, never inside that of the counts."""
    k, hits, trials = len(a), a.sum(), b.sum()
    share, tail = hits / trials, (1 - n[0]) / 2
    effect = 0
    if 0 < share < 1:
        variance = k / (k - 1) * ((a - share * b) ** 2).sum() / trials**2
        effect = variance / (share * (1 - share) / trials)
    effect = max(1, effect * (stats.t.ppf(1 - tail, k - 1) / stats.norm.ppf(1 - tail)) ** 2)
    plain, robust = shareBounds(a, b, (hits, trials, tail)), shareBounds(a, b, (hits / effect, trials / effect, tail))
    return [share, min(plain[0], robust[0]), max(plain[1], robust[1])]


def shareBounds(a, b, n):
    hits, trials, alpha = n
    low = special.betaincinv(hits, trials - hits + 1, alpha) if hits > 0 else 0
    high = special.betaincinv(hits + 1, trials - hits, 1 - alpha) if hits < trials else 1
    return [low, high]


def theilSen(a, b, n):
    return [stats.theilslopes(a, np.arange(len(a)))[0]]


def mannKendallScore(a, b, n):
    """S and its variance without dependence; S is Kendall's count against time."""
    size = len(a)
    score = sum(np.sign(a[j] - a[i]) for j in range(size) for i in range(j))
    _, counts = np.unique(a, return_counts=True)
    variance = (size * (size - 1) * (2 * size + 5) - (counts * (counts - 1) * (2 * counts + 5)).sum()) / 18
    # The same variance stands in scipy's asymptotic tau, which has no correction for
    # continuity: it is checked there rather than trusted here.
    if len(counts) > 1:
        p = stats.kendalltau(np.arange(size), a, method="asymptotic").pvalue
        assert abs(p - 2 * stats.norm.sf(abs(score) / np.sqrt(variance))) < 1e-9
    return [score, variance]


def mannKendall(a, b, n):
    """Hamed and Rao's formula on statsmodels' autocorrelations of scipy's ranks."""
    size = len(a)
    score, variance = mannKendallScore(a, b, n)
    slope = stats.theilslopes(a, np.arange(size))[0]
    rho = stattools.acf(stats.rankdata(a - slope * np.arange(size)), nlags=size - 3, fft=False)
    lag = np.arange(1, size - 2)
    rho = np.where(np.abs(rho[1:]) > 1.96 / np.sqrt(size), rho[1:], 0)
    widened = 2 * ((size - lag) * (size - lag - 1) * (size - lag - 2) * rho).sum() / (size * (size - 1) * (size - 2))
    variance *= max(1, 1 + widened)
    z = (score - np.sign(score)) / np.sqrt(variance) if score else 0
    return [z, 2 * stats.norm.sf(abs(z)), slope]


def designEffect(a, b, n):
    """Geyer's initial positive sequence on statsmodels' autocorrelations."""
    rho = stattools.acf(a, nlags=len(a) - 1, fft=False)
    total, lag = 0, 0
    while lag + 1 < len(a) // 2 and rho[lag] + rho[lag + 1] > 0:
        total, lag = total + rho[lag] + rho[lag + 1], lag + 2
    return [max(1, 2 * total - 1)]


def ranks(a, b, n):
    return stats.rankdata(a)


def binomial(a, b, n):
    return [stats.binom.pmf(n[1], n[0], n[2])]


def earlyStopping(a, b, n):
    """The fewest queries under the limit for n[0] over it at percentile n[1]."""
    over, p, confidence = n
    h = np.arange(1, 2000)
    return [h[stats.binom.cdf(over, h + over, 1 - p) <= 1 - confidence].min()]
