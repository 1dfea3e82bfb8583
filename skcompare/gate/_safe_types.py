"""Types in saved estimators that scikit-learn needs and that run no code of a file.

skops trusts types of its own list, mainly scikit-learn's public estimators, NumPy's arrays
and numbers, and the losses of boosted trees and linear models. What follows is what usual
fitted classifiers have besides. Each name was read in scikit-learn's source for what it
does when it is made and when it predicts, with arguments and attributes that a file
chooses: none calls anything but what is in the file as a type that is trusted too, none
opens files, and none evaluates text.

Not here, although classifiers have them: `functools.partial`, which calls what a file says,
and all functions and types of other packages.
"""

# Arrays of nodes that compiled code follows without looking whether they exist;
# `check_contents` looks.
TREES = (
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
)

# Distances without parameters, in nearest neighbours. The weighted ones hold arrays whose
# length nothing checks.
DISTANCES = (
    "sklearn.metrics._dist_metrics.ChebyshevDistance64",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.metrics._dist_metrics.ManhattanDistance64",
)

# Numbers of a calibration, and the classifier that they are of.
CALIBRATION = (
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
)

# How far training came; prediction uses none of them.
TRAINING = (
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
)

# Dictionaries with names, and the answer to a class that training did not have.
VALUES = (
    "sklearn.multiclass._ConstantPredictor",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
)

# A binary Gaussian process, and functions of numbers as objects.
GAUSSIAN_PROCESSES = (
    "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
    "sklearn.gaussian_process.kernels.ConstantKernel",
    "sklearn.gaussian_process.kernels.DotProduct",
    "sklearn.gaussian_process.kernels.Matern",
    "sklearn.gaussian_process.kernels.Product",
    "sklearn.gaussian_process.kernels.RBF",
    "sklearn.gaussian_process.kernels.RationalQuadratic",
    "sklearn.gaussian_process.kernels.Sum",
    "sklearn.gaussian_process.kernels.WhiteKernel",
)

# What searches and thresholds were chosen by: functions of arrays, and what holds one.
SCORES = (
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.metrics._classification.accuracy_score",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._classification.f1_score",
    "sklearn.metrics._classification.log_loss",
    "sklearn.metrics._ranking.average_precision_score",
    "sklearn.metrics._ranking.roc_auc_score",
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
)

# Types of columns: a choice of columns by type, with the two types that it has.
COLUMNS = (
    "builtins.object",
    "numpy.dtype",
    "sklearn.compose._column_transformer.make_column_selector",
)

SAFE_TYPES = frozenset(
    TREES
    + DISTANCES
    + CALIBRATION
    + TRAINING
    + VALUES
    + GAUSSIAN_PROCESSES
    + SCORES
    + COLUMNS
)
"""Exact names; a type that is not here needs the trust of whoever loads the file."""
