"""The bill of materials of a release, as CycloneDX 1.6: what is in the wheel, and what it needs.

`python tools/bom.py dist` reads the wheel of `make release` in that folder and writes
`spark_match_recognize-VERSION.cdx.json` beside it. The component is the wheel; it contains the
jars, each with its checksum. Spark and Scala, which the jars are compiled against, are on the
cluster and never shipped: they have the scope `excluded`, and the extras of the Python package,
which pip installs only on request, `optional`. Nothing in the file depends on the time or the
machine, so that two builds of one commit have equal bytes.
"""

from __future__ import annotations

import email
import hashlib
import json
import sys
import uuid
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.contact import OrganizationalEntity
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.spdx import is_supported_id
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

NAME = "spark-match-recognize"
GROUP = "io.matchrecognize"
# The ids of SPDX of what the cluster provides, by the groups of Maven.
_LICENCES = {"org.apache.spark": "Apache-2.0", "org.scala-lang": "Apache-2.0"}
# Where the numbers of releases are derived from: version 5 of a UUID, of a name.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, GROUP)


def bill(dist: Path, version: str) -> str:
    """Return the bill of materials of a release.

    Args:
        dist: The folder with the wheel, and the Maven repository `maven`.
        version: The version of the release.

    Returns:
        A JSON document, valid by the schema of CycloneDX 1.6.

    Raises:
        SystemExit: If the document would not be valid, a jar has not exactly one POM, or a licence
            is not known.
    """
    (wheel,) = dist.glob(f"spark_match_recognize-{version}-*.whl")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    with zipfile.ZipFile(wheel) as archive:
        jars = [
            (Path(name).name, hashlib.sha256(archive.read(name)).hexdigest())
            for name in sorted(archive.namelist())
            if name.endswith(".jar")
        ]
        (metadata,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        described = email.message_from_bytes(archive.read(metadata))
    licence = str(described["License-Expression"])
    package = _ours("pypi", None, NAME, version, digest, licence)
    bom = Bom(serial_number=uuid.uuid5(_NAMESPACE, digest))
    bom.metadata.component = package
    extras = list(_extras(described.get_all("Requires-Dist", [])))
    for extra in extras:
        bom.components.add(extra)
    needed: dict[str, Component] = {}
    contained = []
    for jar, checksum in jars:
        artifact = jar.removesuffix(f"-{version}.jar")
        component = _ours("maven", GROUP, artifact, version, checksum, licence)
        poms = list(dist.glob(f"maven/**/{jar.removesuffix('.jar')}.pom"))
        if len(poms) != 1:
            sys.exit(f"{jar} has {len(poms)} POMs in {dist}/maven, and needs one")
        provided = [needed.setdefault(str(part.purl), part) for part in _provided(poms[0])]
        package.components.add(component)
        contained.append(component)
        bom.register_dependency(component, provided)
    for part in needed.values():
        bom.components.add(part)
    bom.register_dependency(package, [*contained, *extras])
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    del document["metadata"]["timestamp"]  # the library writes when it ran
    text = json.dumps(document, indent=2) + "\n"
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"The bill of materials is not valid: {problem}")
    return text


def _ours(  # noqa: PLR0913, PLR0917 - all that is said of it
    kind: str, group: str | None, name: str, version: str, digest: str, licence: str
) -> Component:
    """Return a component that is shipped, with its checksum and licence."""
    purl = PackageURL(kind, group, name, version)
    return Component(
        type=ComponentType.LIBRARY,
        group=group,
        name=name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        supplier=OrganizationalEntity(name=f"the {NAME} maintainers"),
        licenses=[_licence(name, licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )


def _provided(pom: Path) -> Iterator[Component]:
    """Read from a POM what the jar needs and the cluster provides."""
    for dependency in ET.parse(pom).iterfind(".//{*}dependency"):  # noqa: S314 - our own file
        group, name, version = (
            dependency.findtext("{*}" + tag) for tag in ("groupId", "artifactId", "version")
        )
        purl = PackageURL("maven", group, str(name), version)
        yield Component(
            type=ComponentType.LIBRARY,
            group=group,
            name=str(name),
            version=version,
            purl=purl,
            bom_ref=str(purl),
            scope=ComponentScope.EXCLUDED,
            licenses=[_licence(f"{group}:{name}", _LICENCES.get(str(group)))],
        )


def _extras(lines: list[str]) -> Iterator[Component]:
    """Read from the metadata of a wheel what its extras install: any version in a range."""
    ranges: dict[str, SpecifierSet] = {}
    for requirement in map(Requirement, lines):
        package = canonicalize_name(requirement.name)
        # several extras may install it, each from a range of its own
        ranges[package] = ranges.get(package, SpecifierSet()) & requirement.specifier
    for name, specifier in ranges.items():
        purl = PackageURL("pypi", None, name)
        yield Component(
            type=ComponentType.LIBRARY,
            name=name,
            description=f"installed by an extra: {name}{specifier}",
            purl=purl,
            bom_ref=str(purl),
            scope=ComponentScope.OPTIONAL,
        )


def _licence(name: str, identifier: str | None) -> DisjunctiveLicense:
    if identifier is None or not is_supported_id(identifier):
        sys.exit(f"{name} has the licence {identifier}, which is not an id of SPDX")
    url = {"Apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0"}.get(identifier)
    return DisjunctiveLicense(id=identifier, url=XsUri(url) if url else None)


def main(folder: str) -> None:
    """Write the bill of materials of the release in a folder."""
    dist = Path(folder)
    version = (Path(__file__).resolve().parent.parent / "VERSION").read_text("utf-8").strip()
    file = dist / f"spark_match_recognize-{version}.cdx.json"
    file.write_text(bill(dist, version), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
