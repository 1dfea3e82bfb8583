"""Classifiers that take no time, for tests of what is done with predictions."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Centroids(ClassifierMixin, BaseEstimator):
    """The class whose mean is nearest, by the first features or all of them."""

    def __init__(self, n_features=None):
        self.n_features = n_features

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == one].mean(axis=0) for one in self.classes_])
        return self

    def predict_proba(self, X):
        kept = slice(self.n_features)
        distances = X[:, np.newaxis, kept] - self.means_[:, kept]
        nearness = -(distances**2).sum(axis=2) / 2
        shares = np.exp(nearness - nearness.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
