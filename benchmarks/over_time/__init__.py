"""Benchmarks for asv, which runs them for one commit after another: see `asv.conf.json`."""
