"""Two systems on the same items, by scipy and statsmodels."""

import numpy as np
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import cochrans_q as _cochrans_q
from statsmodels.stats.contingency_tables import mcnemar as _mcnemar
from statsmodels.stats.multitest import multipletests as _multipletests
from statsmodels.stats.proportion import proportion_confint as _confint


def share(a, b, n):
    right, of, confidence = n
    methods = ("wilson", "beta", "jeffreys", "agresti_coull")
    return [_confint(int(right), int(of), 1 - confidence, method) for method in methods]


def mcnemar(a, b, n):
    lost, gained = int(n[0]), int(n[1])
    table = [[0, lost], [gained, 0]]
    exact = _mcnemar(table, exact=True).pvalue
    chi2, corrected = (_mcnemar(table, exact=False, correction=c) for c in (False, True))
    mid = 1.0
    if lost != gained:
        half = stats.binom(lost + gained, 0.5)
        mid = 2 * half.cdf(min(lost, gained)) - half.pmf(min(lost, gained))
    return [exact, mid, chi2.statistic, chi2.pvalue, corrected.statistic, corrected.pvalue]


def paired(a, b, n):
    test = stats.ttest_rel(b, a)
    low, high = test.confidence_interval(0.95)
    above = stats.ttest_1samp(b - a, -n[0], alternative="greater").pvalue
    below = stats.ttest_1samp(b - a, n[0], alternative="less").pvalue
    return [np.mean(b - a), test.pvalue, low, high, above, below, np.corrcoef(a, b)[0, 1]]


def clustered(a, b, n):
    groups = np.arange(len(a)) // int(n[0])
    fit = OLS(b - a, np.ones(len(a))).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    count = len(set(groups))
    return [fit.params[0], fit.bse[0] * np.sqrt(count / (count - 1))]


def cochran(a, b, n):
    result = _cochrans_q(np.column_stack([a, b, (a + b + n) % 2]))
    return [result.statistic, result.pvalue]


def yekutieli(a, b, n):
    return _multipletests(a, method="fdr_by")[1]


def components(a, b, n):
    k = int(n[0])
    a, b = a.reshape(-1, k), b.reshape(-1, k)
    within_a, within_b = a.var(axis=1, ddof=1).mean(), b.var(axis=1, ddof=1).mean()
    spread = (b.mean(axis=1) - a.mean(axis=1)).var(ddof=1)
    return [within_a, within_b, max(0, spread - within_a / k - within_b / k)]
