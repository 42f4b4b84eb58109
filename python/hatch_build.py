"""The part of the package's metadata that depends on where the project is published.

The environment variable PROJECT_URL is the one setting for it; sbt reads it for the POMs, too. A
page of a package index has no files next to it, so the relative links of README.md become links
into the tree of this version, and its pictures the files themselves. A build without the variable
names no address, and keeps the links as they are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE_LINK = re.compile(r"(?<=\]\()(?!https?:|#)(?=[^)\s]+\))")
_RELATIVE_PICTURE = re.compile(r'\b(src|srcset)="(?!https?:)')


class PublishedMetadata(MetadataHookInterface):
    """Fills in the project's URLs and the long description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `urls` and `readme`.

        Args:
            metadata: The `project` table of pyproject.toml, with the version resolved.
        """
        root = Path(self.root)
        readme = (root / "README.md").read_text(encoding="utf-8")
        page = os.environ.get("PROJECT_URL", "").rstrip("/")
        if not page:
            metadata["urls"] = {}
            metadata["readme"] = {"content-type": "text/markdown", "text": readme}
            return
        files = f"{page}/blob/v{metadata['version']}/"
        metadata["urls"] = {
            "Homepage": page,
            "Source": page,
            "Documentation": f"{files}docs/index.md",
            "Changelog": f"{files}CHANGELOG.md",
            "Issues": f"{page}/issues",
        }
        pictures = f"{page}/raw/v{metadata['version']}/"
        readme = _RELATIVE_PICTURE.sub(rf'\1="{pictures}', readme)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": _RELATIVE_LINK.sub(files, readme),
        }
