"""A territory: placed tiles, the areas and roads that they form, and the places for further tiles."""
