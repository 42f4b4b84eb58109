"""What `make release` builds: equal bytes, complete metadata, and packages that install and load.

The packages are built here anew, from a copy of the tree that `make wheel` packed. The Maven
artifacts need sbt, so their tests are slow.
"""

from __future__ import annotations

import email
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
URL = "https://forge.example/project"
WHEEL = ROOT / f"dist/spark_match_recognize-{VERSION}-py3-none-any.whl"


def built(tree: Path, target: str, into: Path, url: str = "") -> Path:
    """Build one package from a tree, and return the file."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    subprocess.run(
        [*command, "--directory", str(into)],
        cwd=tree,
        env={**os.environ, "PROJECT_URL": url},
        check=True,
        capture_output=True,
    )
    (package,) = into.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return package


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return two copies of the packed tree, one with other times and rights."""
    copies = [tmp_path_factory.mktemp("tree") / name for name in ("one", "another")]
    for copy in copies:
        shutil.copytree(ROOT / "out/package", copy)
    for path in copies[1].rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (10**9, 10**9))
    return copies


def metadata_of(path: Path) -> Message:
    """Return the metadata of a wheel."""
    with zipfile.ZipFile(path) as wheel:
        text = wheel.read(f"spark_match_recognize-{VERSION}.dist-info/METADATA")
    return email.message_from_bytes(text)


@pytest.fixture(scope="module")
def metadata(trees: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Message:
    """Return the metadata of a wheel whose project has an address."""
    return metadata_of(built(trees[0], "wheel", tmp_path_factory.mktemp("published"), URL))


@pytest.fixture(scope="module")
def release(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """Return tools/release.py."""
    return load_tool("release")


def test_two_builds_have_equal_bytes(trees: list[Path], tmp_path: Path) -> None:
    for target in ("wheel", "sdist"):
        first, second = (built(tree, target, tmp_path / tree.name / target) for tree in trees)
        assert first.read_bytes() == second.read_bytes(), target
        assert target == "sdist" or first.read_bytes() == WHEEL.read_bytes()


def test_a_wheel_built_from_the_sdist_is_the_wheel(trees: list[Path], tmp_path: Path) -> None:
    with tarfile.open(built(trees[0], "sdist", tmp_path / "sdist")) as archive:
        assert all(member.isfile() for member in archive.getmembers()), "a link out of the archive"
        archive.extractall(tmp_path / "unpacked", filter="data")
    (tree,) = (tmp_path / "unpacked").iterdir()
    assert built(tree, "wheel", tmp_path / "wheel").read_bytes() == WHEEL.read_bytes()


def test_metadata_for_a_package_index(metadata: Message) -> None:
    assert metadata["Summary"]
    assert metadata["Author"]
    assert metadata["Requires-Python"] == ">=3.10"
    extras = {"spark", "connect", "diagram", "plot"}
    assert set(metadata.get_all("Provides-Extra", [])) == extras
    assert "Topic :: Database" in metadata.get_all("Classifier", [])
    urls = dict(entry.split(", ", 1) for entry in metadata.get_all("Project-URL", []))
    assert {"Homepage", "Source", "Documentation", "Changelog", "Issues"} == urls.keys()
    assert all(url.startswith(URL) for url in urls.values())


def test_links_of_the_long_description_leave_the_index(metadata: Message) -> None:
    assert metadata["Description-Content-Type"] == "text/markdown"
    links = re.findall(r"\]\(([^)\s]+)\)", str(metadata.get_payload()))
    files = f"{URL}/blob/v{VERSION}/"
    ours = [link.removeprefix(files) for link in links if link.startswith(files)]
    assert len(ours) > 10
    assert not [path for path in ours if not (ROOT / path.partition("#")[0]).exists()]
    assert not [link for link in links if not link.startswith("https://")]
    pictures = re.findall(r'\bsrc(?:set)?="([^"]+)"', str(metadata.get_payload()))
    assert pictures
    assert not [path for path in pictures if not path.startswith(f"{URL}/raw/v{VERSION}/")]


def test_pages_name_this_version() -> None:
    jar = r"spark-match-recognize-spark-\S+_2\.13[-:]"
    name = re.compile(rf"(?:spark_match_recognize-|{jar})(\d+\.\d+\.\d+)")
    pages = [ROOT / "README.md", ROOT / "spark-defaults.conf.example", *ROOT.glob("docs/**/*.md")]
    named = {(page, v) for page in pages for v in name.findall(page.read_text(encoding="utf-8"))}
    assert (ROOT / "README.md", VERSION) in named
    assert {version for _, version in named} == {VERSION}, named


def test_a_wheel_without_an_address_names_none() -> None:
    metadata = metadata_of(WHEEL)
    assert metadata.get_all("Project-URL") is None
    links = re.findall(r"\]\((docs/[^)#\s]+)", str(metadata.get_payload()))
    assert len(links) > 10
    assert not [path for path in links if not (ROOT / path).exists()]


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """Return the folder of a release that is complete but for its contents."""
    with zipfile.ZipFile(WHEEL) as wheel:
        jars = {Path(name).name: wheel.read(name) for name in wheel.namelist() if ".jar" in name}
    shutil.copy(WHEEL, tmp_path)
    (tmp_path / f"spark_match_recognize-{VERSION}.tar.gz").write_text("sdist")
    (tmp_path / f"spark_match_recognize-{VERSION}.cdx.json").write_text("{}")
    for jar, content in jars.items():
        folder = tmp_path / "maven/io/matchrecognize" / jar.rpartition("-")[0] / VERSION
        folder.mkdir(parents=True)
        for suffix in ("-sources.jar", "-javadoc.jar", ".pom", ".jar"):
            path = folder / (jar.removesuffix(".jar") + suffix)
            path.write_bytes(content if suffix == ".jar" else b"")
            for name, sum_ in (("md5", hashlib.md5), ("sha1", hashlib.sha1)):
                Path(f"{path}.{name}").write_text(sum_(path.read_bytes()).hexdigest())
    return tmp_path


def test_a_complete_release_has_no_problems(release: ModuleType, dist: Path) -> None:
    assert release.problems(dist, VERSION) == []
    assert len(release.files(dist)) == 3 + 4 * len(
        list((dist / "maven/io/matchrecognize").iterdir())
    )


def test_problems_of_a_release(release: ModuleType, dist: Path) -> None:
    jar = next(dist.glob("maven/**/*-sources.jar"))
    main = jar.with_name(jar.name.replace("-sources", ""))
    jar.unlink()
    main.write_bytes(b"another")
    (dist / f"spark_match_recognize-{VERSION}.tar.gz").unlink()
    (dist / f"spark_match_recognize-{VERSION}.cdx.json").unlink()
    found = release.problems(dist, VERSION)
    assert f"The Maven repository has no {jar.name}." in found
    assert f"{main.name} in the wheel is not the one in the Maven repository." in found
    assert f"{dist} has no sdist of version {VERSION}." in found
    assert f"{dist} has no bill of materials of version {VERSION}." in found
    assert len(found) == 4
    next(dist.glob("*.whl")).unlink()
    assert release.problems(dist, VERSION) == [
        f"{dist} has 0 wheels of version {VERSION}, not one."
    ]


@pytest.mark.skipif(shutil.which("gpg") is None, reason="needs gpg")
def test_signs_if_there_is_a_key(
    release: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(home))
    monkeypatch.delenv("GPG_KEY", raising=False)
    file = tmp_path / "file"
    file.write_text("content")
    assert not release.sign([file])
    make = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "test@localhost"]
    subprocess.run(make, check=True, capture_output=True)
    try:
        assert release.sign([file])
        verify = ["gpg", "--batch", "--verify", f"{file}.asc", str(file)]
        assert subprocess.run(verify, check=False, capture_output=True).returncode == 0
        file.write_text("changed")
        assert subprocess.run(verify, check=False, capture_output=True).returncode != 0
        monkeypatch.setenv("GPG_KEY", "nobody@localhost")
        with pytest.raises(SystemExit, match="GPG_KEY is nobody@localhost"):
            release.sign([file])
    finally:
        end = ["gpgconf", "--kill", "all"]  # the agent of this home
        subprocess.run(end, check=False, capture_output=True)
