"""Compile the checker of certificates to WebAssembly, for the pages of `exactree.export.report`.

``python packaging/wasm.py`` writes the file that wheels contain and reports embed. It calls a
compiler without cargo, so that one of a Linux distribution is new enough: that on PATH, or
/usr/bin/rustc with Debian's libstd-rust-dev-wasm32 and lld; if neither has the target, rustup adds
it. ``--if-possible`` accepts that none has it.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ROOT / "src" / "exactree" / "export" / "page" / "checker.wasm"
TARGET = "wasm32-unknown-unknown"
# The edition is that of both crates. Sums that overflow end the check instead of a wrong answer.
OPTIONS = (
    "--edition=2021",
    f"--target={TARGET}",
    "-Copt-level=3",
    "-Ccodegen-units=1",
    "-Cpanic=abort",
    "-Coverflow-checks=on",
)
ADVICE = (
    f"No Rust compiler for {TARGET} was found. `rustup target add {TARGET}` adds it to rustup's "
    "compiler; Debian has it in the packages rustc, libstd-rust-dev-wasm32 and lld."
)


def compilers() -> Iterator[str]:
    """List the compilers that can be called."""
    found = [shutil.which("rustc"), shutil.which("rustc", path="/usr/bin")]
    yield from dict.fromkeys(name for name in found if name)


def has_target(compiler: str) -> bool:
    """Return whether a compiler has the standard library for WebAssembly."""
    command = [compiler, "--print=target-libdir", f"--target={TARGET}"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.returncode == 0 and any(Path(answer.stdout.strip()).glob("libstd-*.rlib"))


def compiler_for_pages() -> str | None:
    """Return a compiler for WebAssembly, which rustup may have made it; None without any."""
    if not any(map(has_target, compilers())) and (rustup := shutil.which("rustup")):
        subprocess.run([rustup, "target", "add", TARGET], cwd=ROOT, check=False)
    return next(filter(has_target, compilers()), None)


def compile_checker(compiler: str, written: Path) -> None:
    """Compile both crates into one file."""
    with tempfile.TemporaryDirectory(prefix="exactree-") as name:
        library, made = Path(name, "libexactree_check.rlib"), Path(name, written.name)
        crate = ("--crate-type=rlib", "--crate-name=exactree_check", "-o", str(library))
        page = (
            "--crate-type=cdylib",
            "--crate-name=exactree_check_wasm",
            "-Clto=fat",
            "-Cstrip=symbols",
            f"--extern=exactree_check={library}",
            "-o",
            str(made),
        )
        for options, source in (
            (crate, "crates/check/src/lib.rs"),
            (page, "crates/check-wasm/src/lib.rs"),
        ):
            subprocess.run([compiler, *OPTIONS, *options, source], cwd=ROOT, check=True)
        shutil.copyfile(made, written)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--if-possible", action="store_true", help="do not fail without a compiler")
    options = parser.parse_args()
    if (found := compiler_for_pages()) is None:
        print(ADVICE, file=sys.stderr)
        raise SystemExit(0 if options.if_possible else 1)
    try:
        compile_checker(found, WRITTEN)
    except subprocess.CalledProcessError:
        raise SystemExit(f"{found} failed.") from None
    size = WRITTEN.stat().st_size / 1000
    print(f"{WRITTEN.relative_to(ROOT)}: {size:.0f} kB, compiled by {found}", file=sys.stderr)
