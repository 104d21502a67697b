"""Where the work runs: blocks of whole requests, whose results are joined. Knows no metric and no preference."""

from __future__ import annotations

from tiebreak.engines.plan import Plan, Task, partial
from tiebreak.engines.tasks import MetricTable, MetricValues, Preferences, UtilityValues

__all__ = ["MetricTable", "MetricValues", "Plan", "Preferences", "Task", "UtilityValues", "partial"]
