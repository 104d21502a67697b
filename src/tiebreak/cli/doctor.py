"""``tiebreak doctor``: what is installed, and whether the compiled core is used."""

from __future__ import annotations

import os
import platform

import click

PACKAGES = ("numpy", "scipy", "narwhals", "click", "rich", "polars", "pandas", "pyarrow", "backports.zstd")


@click.command("doctor")
def command() -> None:
    """Show versions, and whether the compiled core is used."""
    from tiebreak import __version__
    from tiebreak._kernels import load_core

    core, why_not = load_core()
    click.echo(f"tiebreak {__version__}, Python {platform.python_version()}, {os.cpu_count()} processors")
    click.echo(f"core: {'compiled' if core else f'Python twin, slower; the compiled core cannot be used: {why_not}'}")
    if choice := os.environ.get("TIEBREAK_CORE"):
        click.echo(f"TIEBREAK_CORE={choice}")
    for package in PACKAGES:
        click.echo(f"{package}: {package_version(package)}")


def package_version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
