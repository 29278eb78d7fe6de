"""Print the oldest supported versions of pyproject.toml, one requirement per line."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Packages needed by the tests of estimators in addition to the dependencies.
TOOLS = tuple("hypothesis matplotlib pandas polars pyarrow pytest pytest-xdist scipy".split())


def oldest(requirement: str) -> str:
    """Return a requirement with its lower bound as the only version.

    Parameters
    ----------
    requirement : str
        Such as "numpy>=1.26".
    """
    found = re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\w.]+).*", requirement, re.ASCII)
    if found is None:
        raise ValueError(f"{requirement!r} states no lower bound.")
    name, bound = found.groups()
    return f"{name}=={bound}"


def main() -> None:
    """Write the list to standard output."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = table["project"]
    lists = [*project["optional-dependencies"].values(), table["dependency-groups"]["test"]]
    tools = [one for some in lists for one in some if re.split(r"[\[>]", one)[0] in TOOLS]
    sys.stdout.writelines(
        f"{line}\n" for line in sorted({oldest(one) for one in (*project["dependencies"], *tools)})
    )


if __name__ == "__main__":
    main()
