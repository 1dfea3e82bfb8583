"""What a comparison ran with."""

import platform
from functools import cache
from importlib.metadata import version


@cache
def installed_versions() -> dict[str, str]:
    """Versions of what a comparison runs with."""
    from skcompare._version import __version__

    packages = ("scikit-learn", "numpy", "scipy", "joblib")
    found = {package: version(package) for package in packages}
    return {"skcompare": __version__, "python": platform.python_version(), **found}
