"""Tests, intervals and distances of two samples."""

import itertools

import numpy as np
from scipy import special, stats
from statsmodels.stats import multitest, proportion, weightstats


def welch(a, b, n):
    r = stats.ttest_ind(b, a, equal_var=False)
    return [r.statistic, r.df, r.pvalue]


def welchLog(a, b, n):
    return welch(np.log(a), np.log(b), n)


def student(a, b, n):
    r = stats.ttest_ind(b, a)
    return [r.statistic, r.df, r.pvalue]


def studentLog(a, b, n):
    return student(np.log(a), np.log(b), n)


def pairedT(a, b, n):
    r = stats.ttest_rel(b, a)
    return [r.statistic, r.df, r.pvalue]


def pairedLog(a, b, n):
    return pairedT(np.log(a), np.log(b), n)


def differenceOfMeans(a, b, n):
    ci = stats.ttest_ind(b, a, equal_var=False).confidence_interval(n[0])
    return [np.mean(b) - np.mean(a), ci.low, ci.high]


def differenceOfMeansStatsmodels(a, b, n):
    compare = weightstats.CompareMeans.from_data(b, a)
    low, high = compare.tconfint_diff(alpha=1 - n[0], usevar="unequal")
    return [np.mean(b) - np.mean(a), low, high]


def ratioOfMeans(a, b, n):
    return np.exp(differenceOfMeans(np.log(a), np.log(b), n))


def pairedDifference(a, b, n):
    ci = stats.ttest_rel(b, a).confidence_interval(n[0])
    return [np.mean(b - a), ci.low, ci.high]


def pairedRatio(a, b, n):
    return np.exp(pairedDifference(np.log(a), np.log(b), n))


def mannWhitney(a, b, n):
    """Exact without ties; with ties scipy's own permutations."""
    tied = len(np.unique(np.concatenate([a, b]))) < len(a) + len(b)
    method = stats.PermutationMethod(n_resamples=np.inf) if tied else "exact"
    r = stats.mannwhitneyu(b, a, method=method)
    return [r.statistic, r.pvalue]


def mannWhitneyNormal(a, b, n):
    r = stats.mannwhitneyu(b, a, method="asymptotic")
    return [r.statistic, r.pvalue]


def _ranks_of_signs(a, b):
    d = b - a
    d = d[d != 0]
    return d, stats.rankdata(np.abs(d))[d > 0].sum()


def wilcoxon(a, b, n):
    """Exact; where ties forbid scipy's exact method, its permutations."""
    d, above = _ranks_of_signs(a, b)
    tied = len(np.unique(np.abs(d))) < len(d)
    method = stats.PermutationMethod(n_resamples=np.inf) if tied else "exact"
    return [above, stats.wilcoxon(d, method=method).pvalue]


def wilcoxonNormal(a, b, n):
    d, above = _ranks_of_signs(a, b)
    return [above, stats.wilcoxon(d, correction=True, method="asymptotic").pvalue]


def signTest(a, b, n):
    d = b - a
    d = d[d != 0]
    above = int((d > 0).sum())
    p = stats.binomtest(above, len(d)).pvalue if len(d) else 1.0
    return [above, p]


def permutation(a, b, n):
    r = stats.permutation_test((b, a), lambda x, y: np.mean(x) - np.mean(y), n_resamples=np.inf)
    return [r.statistic, r.pvalue]


def signFlip(a, b, n):
    r = stats.permutation_test(
        (np.log(b) - np.log(a),), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    return [r.statistic, r.pvalue]


def hodgesLehmann(a, b, n):
    """scipy has no such interval: every shift that its exact test does not reject."""
    d = np.sort(np.subtract.outer(b, a).ravel())
    gaps = np.concatenate([[d[0] - 1], (d[:-1] + d[1:]) / 2, [d[-1] + 1]])
    kept = [stats.mannwhitneyu(b - s, a, method="exact").pvalue > 1 - n[0] + 1e-12 for s in gaps]
    first, last = kept.index(True), len(kept) - 1 - kept[::-1].index(True)
    low = d[first - 1] if first > 0 else -np.inf
    high = d[last] if last < len(d) else np.inf
    return [np.median(d), low, high]


def hodgesLehmannPaired(a, b, n):
    d = b - a
    w = np.sort([(x + y) / 2 for x, y in itertools.combinations_with_replacement(d, 2)])
    gaps = np.concatenate([[w[0] - 1], (w[:-1] + w[1:]) / 2, [w[-1] + 1]])
    kept = [stats.wilcoxon(d - s, method="exact").pvalue > 1 - n[0] + 1e-12 for s in gaps]
    first, last = kept.index(True), len(kept) - 1 - kept[::-1].index(True)
    low = w[first - 1] if first > 0 else -np.inf
    high = w[last] if last < len(w) else np.inf
    return [np.median(w), low, high]


def equivalent(a, b, n):
    limit = np.log1p(n[0])
    p, below, above = weightstats.ttost_ind(np.log(b), np.log(a), -limit, limit, usevar="unequal")
    t, _, df = below if below[1] >= above[1] else above
    return [t, df, p]


def equivalentPaired(a, b, n):
    limit = np.log1p(n[0])
    p, below, above = weightstats.ttost_paired(np.log(b), np.log(a), -limit, limit)
    t, _, df = below if below[1] >= above[1] else above
    return [t, df, p]


def nonInferior(a, b, n):
    """n[1] is 1 when lower is better."""
    limit = np.log1p(n[0])
    if n[1]:
        r = stats.ttest_ind(np.log(b) - limit, np.log(a), equal_var=False, alternative="less")
    else:
        r = stats.ttest_ind(np.log(a) - limit, np.log(b), equal_var=False, alternative="less")
    return [r.statistic, r.df, r.pvalue]


def nonInferiorPaired(a, b, n):
    limit = np.log1p(n[0])
    if n[1]:
        r = stats.ttest_rel(np.log(b) - limit, np.log(a), alternative="less")
    else:
        r = stats.ttest_rel(np.log(a) - limit, np.log(b), alternative="less")
    return [r.statistic, r.df, r.pvalue]


def fiellerRatio(a, b, n):
    """The roots of (y − r·x)² = h_y² + r²·h_x², from the definition."""
    hx, hy = (stats.t.ppf(1 - (1 - n[0]) / 2, len(s) - 1) * stats.sem(s) for s in (a, b))
    x, y = np.mean(a), np.mean(b)
    return [y / x, *np.sort(np.roots([x * x - hx * hx, -2 * x * y, y * y - hy * hy]).real)]


def holm(a, b, n):
    return multitest.multipletests(n, method="holm")[1]


def benjaminiHochberg(a, b, n):
    return multitest.multipletests(n, method="fdr_bh")[1]


def benjaminiHochbergScipy(a, b, n):
    return stats.false_discovery_control(n)


def effectSizes(a, b, n):
    u = stats.mannwhitneyu(b, a, method="asymptotic").statistic / (len(a) * len(b))
    df = len(a) + len(b) - 2
    sd = np.sqrt(((len(a) - 1) * np.var(a, ddof=1) + (len(b) - 1) * np.var(b, ddof=1)) / df)
    factor = special.gamma(df / 2) / (np.sqrt(df / 2) * special.gamma((df - 1) / 2))
    return [u, 2 * u - 1, (np.mean(b) - np.mean(a)) / sd * factor]


def distances(a, b, n):
    ks = stats.ks_2samp(a, b, method="asymp").statistic
    return [ks, stats.wasserstein_distance(a, b)]


def andersonDarling(a, b, n):
    """The statistic before scipy standardises it with its variance under no ties."""
    size = len(a) + len(b)
    h = (1 / np.arange(1, size)).sum()
    hk = 1 / len(a) + 1 / len(b)
    inner = np.cumsum(1 / np.arange(size - 1, 1, -1))
    g = (inner / np.arange(2, size)).sum()
    k = 2
    ca = (4 * g - 6) * (k - 1) + (10 - 6 * g) * hk
    cb = (2 * g - 4) * k**2 + 8 * h * k + (2 * g - 14 * h - 4) * hk - 8 * h + 4 * g - 6
    cc = (6 * h + 2 * g - 2) * k**2 + (4 * h - 4 * g + 6) * k + (2 * h - 6) * hk + 4 * h
    cd = (2 * h + 6) * k**2 - 4 * h * k
    variance = (ca * size**3 + cb * size**2 + cc * size + cd) / ((size - 1) * (size - 2) * (size - 3))
    r = stats.anderson_ksamp([a, b], variant="midrank")
    return [r.statistic * np.sqrt(variance) + k - 1]


def wilson(a, b, n):
    """statsmodels leaves a rounded zero below none."""
    low, high = proportion.proportion_confint(int(n[0]), int(n[1]), alpha=1 - n[2], method="wilson")
    return [low if n[0] else 0, high]


def wilsonScipy(a, b, n):
    ci = stats.binomtest(int(n[0]), int(n[1])).proportion_ci(n[2], method="wilson")
    return [ci.low, ci.high]


