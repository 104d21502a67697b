"""What a comparison rests on: recall levels, worst-off users and providers, orientation, tie probabilities."""
