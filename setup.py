"""The compiled core: optional, so that the package installs where there is no Rust compiler.

Everything else is said in pyproject.toml. `TIEBREAK_REQUIRE_CORE=1` makes a build without the core fail.
"""

import os

from setuptools import setup
from setuptools_rust import Binding, RustExtension

core = RustExtension(
    "tiebreak._core",
    path="core/python/Cargo.toml",
    binding=Binding.PyO3,
    cargo_manifest_args=["--locked"],
    debug=False,
    optional=os.environ.get("TIEBREAK_REQUIRE_CORE") != "1",
    py_limited_api=True,
)

setup(rust_extensions=[core], options={"bdist_wheel": {"py_limited_api": "cp311"}})
