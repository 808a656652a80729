"""Bug hunts: a plug-in of lab servers. Each hunt is the API with known defects, on a store of its own."""
