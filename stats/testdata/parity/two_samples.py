"""Tests, intervals and distances of two samples."""

import itertools

import numpy as np
from scipy import special, stats
from statsmodels.stats import multitest, weightstats


def welch(a, b, n):
    r = stats.ttest_ind(b, a, equal_var=False)
    return [r.statistic, r.df, r.pvalue]


def welchLog(a, b, n):
    return welch(np.log(a), np.log(b), n)


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
