"""Workflows call commands of the Makefile only, with pinned actions and few permissions."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="a source distribution has no workflows")
each = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)


def test_there_is_a_workflow_for_each_purpose() -> None:
    wanted = {"docs", "lint", "nightly", "release", "test", "wheels"}
    assert {path.stem for path in WORKFLOWS} == wanted


@each
def test_every_command_is_a_target_of_make(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    commands = re.findall(r"^ +(?:- )?run: (.*)$", text, re.MULTILINE)
    listed = re.findall(r"target: ([a-z-]+)[,\s]", text)
    for names in re.findall(r"target: \[(.*)\]", text):
        listed += names.split(", ")
    named = [re.fullmatch(r"make (\S+)(?: \w+=\S+)*", command) for command in commands]
    assert all(named), commands
    names = {found[1] for found in named if found} - {"${MAKE_TARGET}"} | set(listed)
    assert names <= TARGETS
    assert names or workflow.stem == "release"


@each
def test_actions_are_pinned_with_their_versions(workflow: Path) -> None:
    used = re.findall(r"uses: (.*)$", workflow.read_text("utf-8"), re.MULTILINE)
    pinned = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")
    assert used
    assert all(name.startswith("./.github/") or pinned.fullmatch(name) for name in used), used


@each
def test_a_workflow_can_only_read_unless_a_job_says_why(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    assert "\npermissions:\n  contents: read\n\n" in text
    for line in text.splitlines():
        if re.match(r" +[\w-]+: write", line):
            assert "# " in line, line


@each
def test_a_workflow_fits_on_a_screen(workflow: Path) -> None:
    assert len(workflow.read_text("utf-8").splitlines()) <= 60
