"""`skye-bench`: one benchmark of bots on committed seeds. BENCH.md describes it for users."""
