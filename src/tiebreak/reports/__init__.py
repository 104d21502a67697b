"""Results, studies and text as one HTML page that needs nothing beside it."""
