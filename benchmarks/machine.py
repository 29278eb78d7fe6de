"""Facts about the machine of a measurement, without paths and names."""

import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["fact_lines", "facts", "installed", "load"]

ROOT = Path(__file__).resolve().parents[1]


def facts(distributions: Iterable[str]) -> dict[str, Any]:
    """Return processor, cores, load, system, Python, versions of packages, and commit."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_before": load(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: installed(name) for name in sorted({"numpy", *distributions})},
        "commit": _commit(),
    }


def fact_lines(machine: Mapping[str, Any]) -> list[str]:
    """Return facts as the lines of a list in Markdown."""
    packages = ", ".join(f"{name} {found or '-'}" for name, found in machine["packages"].items())
    others = [f"- {name}: {fact}" for name, fact in machine.items() if name != "packages"]
    return [*others, f"- packages: {packages}"]


def load() -> float | None:
    """Return the load of the machine over the last minute, if the system reports it."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def installed(distribution: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the model of the processor as reported by the system."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"^model name\s*: (.+)$", info.read_text("utf-8"), re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or "unknown"


def _commit() -> str:
    """Return the measured commit, and whether files differ from it."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    if not commit:
        return "unknown"
    changed = _git("status", "--porcelain", "--", ".", ":!benchmarks/records")
    return f"{commit} with changes" if changed else commit


def _git(*arguments: str) -> str:
    """Return the output of git for this repository; empty if there is none."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return process.stdout.strip()
