"""Agreement of two classifiers, and tests of symmetry."""

from skcompare.stats.agreement._ensemble import MOST_CALIBRATION_ERROR, ROLES
