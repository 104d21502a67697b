"""The one tolerance, for floats that have no exact value behind them; everything else is compared exactly."""

TOLERANCE = 1e-12
