#!/usr/bin/env python3
"""Prints what madang is made of as a CycloneDX 1.5 document: the Swift packages that are linked in, the Swift runtime, and
the Debian libraries it is linked to. The same input gives the same bytes.
Usage: sbom.py VERSION SWIFT_VERSION DEBIAN_PACKAGE...     in the package's directory, after it was built
Settings: SOURCE_DATE_EPOCH, the time that the document names."""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

LICENCES = [
    (r"Apache License\s+Version 2\.0", "Apache-2.0"),
    (r"Permission is hereby granted, free of charge", "MIT"),
]


def licence(checkout: pathlib.Path) -> list:
    for file in sorted(checkout.glob("LICEN[SC]E*")):
        text = file.read_text(errors="replace")
        for pattern, name in LICENCES:
            if re.search(pattern, text):
                return [{"license": {"id": name}}]
    return []


def component(kind: str, name: str, version: str, purl: str, **more) -> dict:
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, **more}


def pins() -> list:
    return json.loads(pathlib.Path("packaging/versions.json").read_text())["pins"]


def location_of(pin: dict) -> str:
    return pin["location"].removesuffix(".git")


def checkout_of(pin: dict) -> pathlib.Path:
    return pathlib.Path(".build/checkouts") / location_of(pin).rsplit("/", 1)[-1]


def swift_packages() -> list:
    components = []
    for pin in pins():
        location = location_of(pin)
        revision = pin["state"]["revision"]
        version = pin["state"].get("version", revision)
        path = location.removeprefix("https://")
        components.append(
            component(
                "library",
                pin["identity"],
                version,
                f"pkg:swift/{path}@{version}",
                licenses=licence(checkout_of(pin)),
                externalReferences=[{"type": "vcs", "url": location, "comment": f"commit {revision}"}],
            )
        )
    return components


def debian_package(name: str) -> dict:
    form = "${Version} ${Architecture}"
    version, architecture = subprocess.check_output(["dpkg-query", "-W", "-f", form, name], text=True).split()
    purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}&distro=bookworm"
    return component("library", name, version, purl)


def main(version: str, swift: str, *debian: str) -> None:
    program = component("application", "madang", version, f"pkg:generic/madang@{version}", licenses=[{"license": {"id": "MIT"}}])
    runtime = component(
        "library",
        "swift-runtime",
        swift,
        f"pkg:swift/github.com/swiftlang/swift@{swift}",
        licenses=[{"expression": "Apache-2.0 WITH Swift-exception"}],
        description="Standard library, concurrency, Dispatch and Foundation with ICU, linked in",
    )
    components = sorted([*swift_packages(), runtime, *map(debian_package, debian)], key=lambda part: part["purl"])
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": program},
        "components": components,
        "dependencies": [{"ref": program["bom-ref"], "dependsOn": [part["bom-ref"] for part in components]}],
    }
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"
    print(json.dumps(document, indent=2, sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
