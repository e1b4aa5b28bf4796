"""Look for known faults of the installed packages, with pip-audit; test_dependencies.py tests what is said.

Where pip-audit gets no data it ends as if all were well. Here that is said: an audit that did not happen.
"""

from __future__ import annotations

import json
import subprocess
import sys

COMMAND = ("-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--skip-editable")


def report(printed: str, complaints: str) -> tuple[str, int]:
    """What to say of an audit, and the exit code: 1 if there is a known fault."""
    try:
        packages = json.loads(printed)["dependencies"]
    except (ValueError, LookupError, TypeError):
        last = (complaints.strip().splitlines() or ["pip-audit printed nothing"])[-1]
        return f"The audit was SKIPPED: {last}", 0
    audited = [package for package in packages if "vulns" in package]
    skipped = [package["skip_reason"] for package in packages if "skip_reason" in package]
    if not audited:
        return f"The audit was SKIPPED, for all {len(skipped)} packages. {skipped[0] if skipped else ''}", 0
    faults = [
        f"{package['name']} {package['version']}: {fault['id']}, mended in {fault['fix_versions'] or 'none'}"
        for package in audited
        for fault in package["vulns"]
    ]
    end = f"{len(audited)} packages audited, {len(skipped)} skipped, {len(faults)} known faults"
    return "\n".join([*faults, *skipped, end]), int(bool(faults))


if __name__ == "__main__":
    done = subprocess.run([sys.executable, *COMMAND], capture_output=True, text=True)
    said, code = report(done.stdout, done.stderr)
    print(said)
    sys.exit(code)
