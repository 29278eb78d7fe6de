"""Compare exactree with other solvers in one run: `python -m benchmarks`, see README.md."""
