"""Take the addresses of files out of a list of packages, which is to say nothing of this machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def without_paths(packages: dict) -> dict:
    """The list, each package without references to files of this machine."""
    for package in [packages["metadata"]["component"], *packages["components"]]:
        if references := package.get("externalReferences"):
            package["externalReferences"] = [of for of in references if not of["url"].startswith("file:")]
    return packages


if __name__ == "__main__":
    path = Path(sys.argv[1])
    packages = without_paths(json.loads(path.read_text("utf-8")))
    path.write_text(json.dumps(packages, indent=2), encoding="utf-8")
