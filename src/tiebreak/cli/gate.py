"""``--fail-if-worse``: whether runs pass, and where that is reported."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.cli.output import say

if TYPE_CHECKING:
    from tiebreak.experiment import Experiment
    from tiebreak.gate_report import Gate
    from tiebreak.utilities import Utilities

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The environment variable that names the summary of a step of GitHub Actions."""


class GateOptions(NamedTuple):
    """What a command was asked to fail for."""

    specs: tuple[str, ...] = ()
    margin: float | None = None
    allow: float | None = None
    junit: str | None = None
    summary: str | None = None

    def run(
        self,
        source: Experiment | Utilities,
        baselines: tuple[str, ...],
        how: dict[str, Any],
        over: dict[str, Any],
        *,
        is_table: bool,
    ) -> Gate:
        """Test, and report to standard error and to files; notes also, unless a table with them is printed."""
        from tiebreak.cli.progress import progress
        from tiebreak.gates import gate

        with progress("testing", "draws") as tick:
            result = gate(
                source, list(dict.fromkeys(self.specs)), baselines or None, **self._how(how), **over, tick=tick
            )
        for sentence in (*result.sentences(), *(() if is_table else result.notes)):
            say(f"--fail-if-worse: {sentence}")
        self.write(result)
        return result

    def check(self, how: dict[str, Any]) -> None:
        """Options that do not go together are an error before anything is read."""
        if self.specs:
            from tiebreak.gates import Rule, check_rule

            check_rule(Rule(**self._how(how), tick=None))

    def _how(self, how: dict[str, Any]) -> dict[str, Any]:
        return {**how, "correction": how["correction"] or "holm", "margin": self.margin, "allow": self.allow}

    def write(self, result: Gate) -> None:
        """Write the files that were asked for, and the summary of a step."""
        from tiebreak.results.files import text_output

        for path, text in ((self.junit, result.to_junit()), (self.summary, result.to_summary())):
            if path is not None:
                with text_output(path) as file:
                    file.write(text)
        if step := os.environ.get(STEP_SUMMARY):
            try:
                with open(step, "a", encoding="utf-8") as file:
                    file.write(result.to_summary() + "\n")
            except OSError as error:  # nobody asked for it by an option, and the verdict does not depend on it
                say(f"--fail-if-worse: ${STEP_SUMMARY} cannot be written: {error.strerror}: {step}")
