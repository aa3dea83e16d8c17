#!/usr/bin/env python3
"""Prints the licence of Madang, then the licences and notices of the Swift packages in it, each text once, then notices.txt.
Usage: licences.py     in the package's directory, after it was built"""

import pathlib
import sys

import sbom

RULE = "=" * 72


def texts_of(checkout: pathlib.Path) -> list:
    files = sorted([*checkout.glob("LICEN[SC]E*"), *checkout.glob("Sources/*/LICEN[SC]E*"), *checkout.glob("NOTICE*")])
    if not any(file.name.startswith("LICEN") for file in files):
        sys.exit(f"licences.py: {checkout} holds no licence")
    return [file.read_text(errors="replace").strip() for file in files]


packages_of = {}  # A text, and the names of the packages that bring it.
for pin in sorted(sbom.pins(), key=lambda pin: pin["identity"]):
    for text in texts_of(sbom.checkout_of(pin)):
        packages_of.setdefault(text, []).append(pin["identity"])

print(pathlib.Path("LICENSE").read_text().strip())
for text, packages in packages_of.items():
    print(f"\n{RULE}\n{', '.join(packages)}\n{RULE}\n\n{text}")
print(f"\n{RULE}\n{(pathlib.Path(__file__).parent / 'notices.txt').read_text().strip()}")
