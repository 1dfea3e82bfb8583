"""Statistical caveats as stable codes, each with a text that explains it.

A flag is part of a result; it is never a Python warning, because it concerns the data
and not the way the library was called.
"""

from collections.abc import Iterable

FLAG_TEXTS: dict[str, str] = {
    "degenerate": (
        "no observed difference and no variation: the statistic is 0 and p is 1 by "
        "convention"
    ),
    "no-discordant-pairs": (
        "no record is predicted correctly by one classifier and wrongly by the other"
    ),
    "few-discordant-pairs": (
        "the predictions differ on few records, so an approximation for many of them is "
        'poor; on a hold-out, use method="mid-p", "exact" or "permutation"'
    ),
    "undefined-pvalue": (
        "the p-value is undefined for these data and counts as 1 in any adjustment"
    ),
    "invalid-design": (
        "the test is not valid for the way the evidence was collected; it ran because "
        "it was requested by name, and its error rate is not the stated one"
    ),
    "time-ordered": (
        "consecutive records may be correlated, which this test does not allow for; "
        "diebold_mariano does: where the disagreement drifts, tests of independent "
        "records reject equal classifiers in 8 to 43 % of series at a level of 5 %"
    ),
    "serially-correlated": (
        "the gains of neighbouring records are correlated, as of records in time, so that "
        "the variance is larger than the test assumes, and equal models are rejected too "
        "often; pass `time=`, or `groups=` where records of one user or place follow each "
        "other; independent records that were sorted may be shuffled"
    ),
    "too-few-independent-times": (
        "the differences change so slowly over time, or those that are not 0 favour one "
        "model for so long, that few of them may be independent, and the variance of their "
        "mean may be much too small; collect records over a longer time"
    ),
    "few-times": (
        "slow dependence that noise masks cannot be detected in fewer than 1000 time "
        "points; if there is any, equal models are found to differ too often; collect "
        "records over a longer time"
    ),
    "correlated-beyond-horizon": (
        "differences further apart than the horizon are correlated, which this variance "
        'leaves out, so that the test rejects equal models too often; use method="ewc"'
    ),
    "less-conservative-correlation": (
        "rho1 and rho2 leave more effective records than the recommended 1/2, which makes "
        "the test less conservative"
    ),
    "more-effective-than-records": (
        "rho1 and rho2 leave more effective records than there are records, so the error "
        "rate of the test is not controlled"
    ),
    "outlying-split": (
        "the difference of a split is far from the others, so training varied more than "
        "the test allows for; find out why before trusting the p-value"
    ),
    "small-class": (
        "a class has fewer members than there are blocks, so some training sets contain "
        "few or none of them"
    ),
    "refitted": (
        "a fitted model was passed under cross-validation: it was cloned and fitted again "
        "on every training set"
    ),
    "mixed-frozen": (
        "one model is frozen and another is refitted: the comparison mixes a trained "
        "model with a learning algorithm, and leaks if the frozen model has seen these "
        "records"
    ),
    "weighted-fit": (
        "sample weights were used to fit; the evaluation counts every record once"
    ),
    "no-truth": (
        "there are no true labels: the predictions are compared with each other, and "
        "which classifier is better cannot be known"
    ),
    "scorer-warning": (
        "scikit-learn's scorer warned about some test sets, for example of a class that "
        "they lack"
    ),
    "undefined-in-split": (
        "the score is undefined on some test sets for one classifier or both; these were "
        "left out of the means"
    ),
    "biased-measure": (
        "the measure has a bias that differs between classifiers, so that a test of "
        "its difference rejects too often; look at the notes for the measure to test"
    ),
    "merged-bins": (
        "there are fewer bins than were requested, because equal probabilities stay in "
        "one bin or records are few"
    ),
    "chosen-on-these-scores": (
        "a candidate is compared because of its scores on these very test sets, which "
        "favours it: part of its lead is luck, and p may be too small; cross-validate "
        "the whole search, or compare on other records"
    ),
    "clipped-probabilities": (
        "a true class has a probability so small, or 0, that its log loss was computed "
        "for a small probability `eps` instead; the mean depends on this choice"
    ),
    "margin-admits-no-skill": (
        "a challenger without skill (that always predicts the commonest class or one "
        "number, ranks at random, or predicts the shares of the classes for every record) "
        "would be within the margin; choose a smaller one"
    ),
    "same-predictions": (
        "champion and challenger have the same predictions for every record, so that "
        "there is nothing to decide; check that the files are not those of one model"
    ),
    "pooled-over-splits": (
        "the score is undefined on a test set, for example because a classifier never "
        "predicts a class there; scores and difference come from the counts of all "
        "test sets together"
    ),
    "few-of-a-class-in-a-half": (
        "a test set has fewer than 10 records of a class, and the score is about "
        "classes: its differences are skewed, and the interval may be too short where "
        "they are large; collect more of that class"
    ),
    "worse-than-no-skill": (
        "worse than a classifier without skill (that always predicts the commonest class, "
        "ranks at random, or predicts the shares of the classes for every record), and in "
        "less agreement with the truth than by chance: columns, classes or the direction "
        "of scores may be reversed; check `pos_label`, and that labels and predictions "
        "are of the same records"
    ),
    "class-may-be-missing": (
        "a class has so few members that some training sets may contain none of them"
    ),
    "splits-not-checked": (
        "nothing shows that both models were fitted on the same splits, and the "
        "comparison is meaningless if they were not; return_indices=True makes "
        "cross_validate return the splits"
    ),
    "not-reproducible": (
        "a model that was fitted twice on the same records with the same seed predicted "
        "differently, so that the comparison cannot be repeated, and equal models would "
        "differ; fix the source of its randomness"
    ),
    "one-record-of-a-class": (
        "a class has one record, which contains no information on the variance of the "
        'AUC; method="newcombe" gives an interval even then'
    ),
    "unknown-variance": (
        "the variance of the difference within a test set is unknown, so p is undefined; "
        "use a hold-out set"
    ),
    "unstable-training": (
        "randomness in training changes the difference considerably, which more records "
        "do not cure; make the training more stable (scale the features, train until it "
        "converges), or compare more trainings of each, by n_trainings or compare_seeds"
    ),
    "few-trainings": (
        "a model was trained only twice, so that the randomness in its training is almost "
        "unknown: with two trainings up to 10 % of equal recipes are rejected at a level "
        "of 5 %; train at least 5 times"
    ),
    "few-trainings-of-several": (
        "three or more recipes were trained fewer than 5 times, so that p-values that are "
        "adjusted for the number of pairs are too small: at a level of 1 %, 2.6 % of "
        "equal recipes are rejected with 3 trainings, and 1.6 % with 4; train at least 5 "
        "times"
    ),
    "deterministic-training": (
        "all trainings of a model predict the same, so that none of the variance is due "
        "to randomness in its training: it needs no seed, or all trainings had the same "
        "one"
    ),
    "one-training": (
        "one model was trained once and is treated as fixed: the conclusion is about this "
        "trained model and the other's recipe"
    ),
    "training-unseen": (
        "the counts of the splits do not show what all trainings have in common: equal "
        "learners that select features inside the fit, or whose training is very random, "
        "are rejected too often; bcv_jackknife_t, which uses the records, is valid for "
        "them"
    ),
    "too-few-resamples": (
        "the score is undefined on at least half of the resamples, so that the rest is "
        "not informative; collect more records of the rare class"
    ),
    "few-of-a-class": (
        "one of the two classes has fewer than 15 records or groups, of which a "
        "resample has even fewer different ones; interval and p-value are rough: "
        "prefer the p-value of a permutation test"
    ),
    "few-different-resampled": (
        "the predictions differ on few records, and resampling only these is rough: prefer "
        "a permutation test, or an exact one"
    ),
    "resamples-left-out": (
        "the score is undefined on some resamples, for example of one class only; "
        "these were left out, so that the result is about test sets on which it is "
        "defined"
    ),
    "shifted-resamples": (
        "more than three quarters of the resampled differences are on one side of the "
        "observed one, as of a score that is biased in small samples; interval and "
        "p-value are rough"
    ),
    "zero-variance": (
        "the difference is not 0 but its estimated variance is, so p is undefined; use "
        "an exact or permutation test"
    ),
    "few-groups": (
        "the records come in fewer than 10 groups: the test counts whole groups, so an "
        "exact test has little power and an approximate one may be invalid"
    ),
    "decided-by-few-records": (
        "a few records with large losses decide: the result is significant at 0.05 only "
        "without an allowance for other records that have such losses too; look for "
        "errors in these records, collect more, or choose a loss with lighter tails "
        "before you see new ones"
    ),
    "calibration-of-few-records": (
        "a few records contribute much of the difference of the calibration errors or of "
        "its variance, so that p-value and interval are rough, and a test may reject "
        "equal models too often; more records help, and so do fewer bins"
    ),
    "impossible-outcome": (
        "a record of probability 0 or 1 had the other outcome, which cannot happen if the "
        "probabilities are correct: p is 0, given as the smallest double; to test the "
        "other probabilities, clip them"
    ),
    "few-informative-clusters": (
        "fewer than 40 clusters (records, or groups of them) have a prediction that "
        "counts towards the score, so the approximation is poor"
    ),
    "no-predictions": (
        "a classifier has no prediction that counts towards the score, for example "
        "because it never predicts the class, so that its score is undefined and so is p"
    ),
    "one-group-of-a-class": (
        "all records of a class are in one group, or in too few groups to estimate the "
        "variance: p is undefined; collect more groups"
    ),
    "few-groups-for-normal": (
        "the records come in fewer than 30 groups, or one class does: the normal "
        'approximation rejects too often; method="t" less so'
    ),
    "not-exchangeable": (
        "some classifiers agree with each other more than with the rest, so that Cochran's "
        "Q rejects equally accurate ones too often; the tests of pairs are not "
        "affected"
    ),
    "few-informative-records": (
        "records that some classifiers predict correctly and others wrongly are few, so "
        'the chi-squared approximation is poor; use method="exact" or "permutation"'
    ),
    "few-bisections": (
        "the standard error comes from fewer than the usual 10 bisections, and the normal "
        "distribution treats it as known: equal models are rejected too often; bisect 10 "
        "times"
    ),
    "binned-scores": (
        "records were counted by bins of their scores: AUCs and tests are those of the "
        "bins, and the bounds state how far the AUCs of the scores may be from them"
    ),
    "variance-of-few-records": (
        "the standard error rests on few records, or groups: on those of the rarer "
        "class, or on those that the rankings differ on by much, so that equal AUCs "
        "may be rejected in 6 to 12 of 100 samples at a level of 5 %; collect "
        "more of the rarer class"
    ),
    "few-distinct-scores": (
        "a classifier has fewer than 3 different scores, probably predicted labels: their "
        "AUC is the balanced accuracy"
    ),
    "few-records-of-a-class": (
        "a class has fewer than 10 records: the normal approximation is poor, "
        "equal models are rejected too often and intervals are too short; collect more of "
        "that class"
    ),
    "descriptive": ("a description: no hypothesis is tested"),
    "too-few-records": (
        "fewer than 3 records always have a correlation of -1 or 1, or none"
    ),
    "perfect-correlation": (
        "the losses are on a straight line, or their ranks are the same or reversed; p is "
        "that of all orders of the records, or undefined without the losses themselves"
    ),
    "constant-losses": (
        "all losses of one classifier are equal, so that the correlation is undefined"
    ),
    "small-expected-counts": (
        "the normal approximation of the p-value is poor, because an expected count is "
        "below 5: few records would be in a cell of the table if the two were "
        "independent"
    ),
    "empty-interval": (
        "the test rejects every difference, not only 0, so that its 95 % interval is "
        "empty: differences vary much more between repetitions than within them"
    ),
    "depends-on-fold-order": (
        "the test uses the difference of the first half only, and at the level 0.05 "
        "the ten halves disagree: some would reject as the first one and others would "
        "not"
    ),
    "one-cluster": (
        "all predictions of a classifier that count are in one cluster, so that the "
        "variance between clusters is unknown, and p is undefined"
    ),
    "share-of-0-or-1": (
        "none or all predictions of a classifier are correct, so that logarithms of its "
        "score or of its odds are infinite and their variance is unknown; use a score "
        "test"
    ),
    "undefined-left-out": (
        "the score is undefined without some record or group, for example the only one of "
        "a class, so that its variance is unknown and p is undefined; collect more of the "
        "rare class"
    ),
    "undefined-kappa": (
        "kappa is undefined: both classifiers predict one and the same class for every "
        "record, so that agreement by chance is complete"
    ),
    "few-disagreements": (
        "records with different labels are few for the number of classes, or pairs of "
        "classes, so the chi-squared approximation is poor; use symmetry_permutation"
    ),
    "max-t-normal": (
        "the classifiers predict in too many different patterns to resample each, so "
        "max-t drew from the normal distribution with the covariances of the resamples"
    ),
    "unknown-groups": (
        "the records come in groups, but the evidence does not contain them, so that the "
        "records were treated as independent and p may be too small"
    ),
    "classes-left-out": (
        "classes with fewer than two records, or of grouped records with records in "
        "one group only, are left out"
    ),
    "naive": (
        "the statistics of the folds are added as if independent, but the folds share "
        "training records; the source of the test does not recommend it"
    ),
    "exchanges-undefined": (
        "the score is undefined for at least half of the exchanges, for example because "
        "one classifier predicts probabilities and the other decision scores, so that p "
        "is undefined; use bootstrap_difference"
    ),
    "few-predictions-of-a-class": (
        "a class has fewer than 40 records with a prediction that counts towards its "
        "score, so that its part is approximate"
    ),
    "unpredicted-classes": (
        "a classifier has no prediction that counts towards the score of some classes, "
        "for example because it never predicts them; these classes are left out"
    ),
    "undefined-odds": (
        "the score of a classifier is 0 or 1 for some classes, so that their log odds "
        "are undefined; these classes are left out"
    ),
    "ignores-pairing": (
        "the test treats the errors of the two classifiers as if they were made on "
        "different records; mcnemar uses that the records are the same"
    ),
    "assumes-normality": (
        "the test is valid only if target and predictions have a joint normal "
        "distribution; influence_difference does not need that"
    ),
    "constant-mean": (
        "the mean of both predictions is the same for all records, so that it has no slope"
    ),
    "experimental": (
        "the test is a reconstruction from its name and may differ from what its "
        "authors define; it should decide nothing"
    ),
    "approximate-ratio": (
        "discordant pairs are few, so the normal approximation to the ratio of the "
        "accuracies is poor; use mcnemar or discordant_odds_ratio"
    ),
    "zero-loss": (
        "a mean loss is 0, so the ratio is 0, infinite or undefined; compare the difference"
    ),
    "negative-loss": (
        "a loss is below 0, so that a ratio of means has no meaning; compare the difference"
    ),
    "no-correct-predictions": (
        "a classifier predicts no record correctly, so the ratio of the accuracies is 0, "
        "infinite or undefined; compare their difference"
    ),
    "selection-unseen": (
        "folds and hold-outs do not show what all trainings have in common: equal "
        "learners that select a feature or a model inside the fit, such as stumps, are "
        "rejected with 10 folds in up to 12 % of data sets by accuracy and 30 % by "
        "recall, at a level of 5 %; the default splits (cv=None) have a test that is "
        "valid for them"
    ),
    "splits-too-alike": (
        "the splits differ less than the records of one test set explain, as happens "
        "with few different predictions, so the p-value may be far too small; collect more "
        "records"
    ),
    "equal-rankings": (
        "both classifiers rank all records identically, so that their ROC curves coincide "
        "and the band of their difference has no width"
    ),
    "sign-only-interval": (
        "the estimated variance of the difference is 0, so its interval shows at most on "
        "which side of 0 it is"
    ),
    "few-different-predictions": (
        "the predictions differ on few records: the p-value is valid, and the interval is "
        "rough"
    ),
    "undefined-resamples": (
        "the score is not finite for some exchanges of predictions; these count as "
        "extreme, so that p is not too small"
    ),
    "undefined-score": (
        "the score of a classifier has 0 in a denominator, for example because it never "
        "predicts a class; that part counts as 0, as in scikit-learn, and as if it had no "
        "variance"
    ),
    "liberal": (
        "the test is known to reject too often when learning algorithms are compared; "
        "it is provided to reproduce published results and should decide nothing"
    ),
    "empty-intersection": (
        "the intervals of the looks have no value in common: the difference has changed "
        "with time, or one of them misses it, which happens at most with the probability "
        "of the level"
    ),
    "undefined-ratios": (
        "on some resamples the ratio is undefined, for example because a classifier then "
        "never predicts the class; they count against any difference, so that p is large "
        "and the interval wide"
    ),
    "no-rates": (
        "all records are of the class or none is, so that sensitivity or specificity is "
        "unknown and the precision at another prevalence is undefined"
    ),
    "extreme-precision": (
        "the precision of a classifier is 0 or 1, and so it is in every resample, "
        "which hides how uncertain it is: test with precision_both_scores"
    ),
    "few-differences": (
        "fewer than 6 differences are nonzero (5 for a one-sided test), so that "
        "no exact p-value can be below 0.05"
    ),
    "zero-cell": (
        "a count of the table is 0, so that Q is -1 or 1 whatever the other counts; p is "
        "that of Fisher's exact test (twice the tail), and the interval its inversion"
    ),
    "undefined-q": (
        "one of the two is always correct or always incorrect, so that Yule's Q is "
        "undefined"
    ),
}
"""Text of each flag code."""


def register_flag(code: str, text: str) -> str:
    """Register the text of a flag for a custom test, and return its code."""
    registered = FLAG_TEXTS.setdefault(code, text)
    if registered != text:
        raise ValueError(
            f"Flag {code!r} exists and means: {registered}. Choose another code."
        )
    return code


def explain(codes: Iterable[str]) -> list[str]:
    """Format flag codes with their texts, in order and without duplicates."""
    return [
        f"{code}: {FLAG_TEXTS.get(code, 'no text known')}" for code in dict.fromkeys(codes)
    ]
