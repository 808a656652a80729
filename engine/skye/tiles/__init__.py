"""The tiles: their data, and the geometry of the hexes they lie on."""
