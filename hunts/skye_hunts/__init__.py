"""The defects of bug hunts, and the applications that have them: imported on lab servers only."""
