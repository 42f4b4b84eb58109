"""The last step of `make release`: checks what was built into a folder, signs it, sums it up.

`python tools/release.py dist` expects the wheel, the sdist, the bill of materials and the Maven
repository `maven` there.
It ends with an error if a file is missing, or if the wheel has another jar than the repository.
Every file is signed with gpg if there is a secret key: the one that GPG_KEY names, or the default
key of GNUPGHOME. `SHA256SUMS` lists everything; two builds of one commit have the same sums, but
for the signatures, which are not listed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".jar", "-sources.jar", "-javadoc.jar", ".pom")
SUMS = "SHA256SUMS"


def problems(dist: Path, version: str) -> list[str]:
    """Say what is missing in a release, or differs between its parts.

    Args:
        dist: The folder of the release.
        version: Its version.

    Returns:
        One sentence for each problem.
    """
    found = []
    packages = list(dist.glob(f"spark_match_recognize-{version}-*.whl"))
    if len(packages) != 1:
        return [f"{dist} has {len(packages)} wheels of version {version}, not one."]
    if not (dist / f"spark_match_recognize-{version}.tar.gz").is_file():
        found.append(f"{dist} has no sdist of version {version}.")
    if not (dist / f"spark_match_recognize-{version}.cdx.json").is_file():
        found.append(f"{dist} has no bill of materials of version {version}.")
    artifacts = {path.name: path for path in (dist / "maven").rglob("*") if path.is_file()}
    with zipfile.ZipFile(packages[0]) as wheel:
        jars = {Path(name).name: name for name in wheel.namelist() if name.endswith(".jar")}
        for jar, name in jars.items():
            names = [jar.removesuffix(".jar") + suffix for suffix in SUFFIXES]
            found += [
                f"The Maven repository has no {name + sum_}."
                for name in names
                for sum_ in ("", ".md5", ".sha1")
                if name + sum_ not in artifacts
            ]
            if jar in artifacts and artifacts[jar].read_bytes() != wheel.read(name):
                found.append(f"{jar} in the wheel is not the one in the Maven repository.")
    published = {name for name in artifacts if re.fullmatch(r".+_2\.13-[\d.]+\.jar", name)}
    found += [f"The wheel has no {jar}." for jar in sorted(published - jars.keys())]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"\n## {version}" not in changes:
        found.append(f"CHANGELOG.md has no section {version}.")
    return found


def files(dist: Path) -> list[Path]:
    """Return what is published: packages, their bill, and artifacts without their checksums."""
    packages = [*dist.glob("*.whl"), *dist.glob("*.tar.gz"), *dist.glob("*.cdx.json")]
    artifacts = [path for path in dist.glob("maven/**/*") if path.suffix in (".jar", ".pom")]
    return sorted(packages) + sorted(artifacts)


def sign(paths: list[Path]) -> bool:
    """Write a detached signature `.asc` beside each file.

    Args:
        paths: The files.

    Returns:
        False if there is no gpg or no secret key; then nothing is signed.
    """
    gpg = shutil.which("gpg")
    key = os.environ.get("GPG_KEY")
    if gpg is None:
        return False
    listing = [gpg, "--batch", "--with-colons", "--list-secret-keys", *([key] if key else [])]
    keys = subprocess.run(listing, capture_output=True, text=True, check=False)  # noqa: S603 - gpg
    if "sec:" not in keys.stdout:
        if key:
            sys.exit(f"GPG_KEY is {key}, and gpg has no such secret key.")
        return False
    user = ["--local-user", key] if key else []
    for path in paths:
        command = [gpg, "--batch", "--yes", "--armor", *user, "--detach-sign", str(path)]
        subprocess.run(command, check=True)  # noqa: S603 - gpg, found above
    return True


def main(folder: str) -> int:
    """Check, sign and list the release in a folder.

    Args:
        folder: What `make release` built.

    Returns:
        The exit code.
    """
    dist = Path(folder)
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    if found := problems(dist, version):
        print(*found, sep="\n", file=sys.stderr)
        return 1
    released = files(dist)
    lines = []
    for path in released:
        name = path.relative_to(dist).as_posix()
        lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n")
        print(f"{path.stat().st_size:>10,}  {name}")
    (dist / SUMS).write_text("".join(lines), encoding="utf-8")
    if sign([*released, dist / SUMS]):
        print("Signed with gpg.")
    else:
        print("Not signed: gpg has no secret key. GPG_KEY names one.")
    if not os.environ.get("PROJECT_URL"):
        print("The packages name no address: PROJECT_URL, the project's, was not set.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
