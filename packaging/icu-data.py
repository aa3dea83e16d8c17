#!/usr/bin/env python3
"""Takes out of ICU's data what the program does not use: 34 MB of languages, currencies, units and old encodings.
What stays: time zones, properties of characters, normal forms, and the words of English and Korean.
Usage: icu-data.py ARCHIVE_MEMBER OUTPUT, where ARCHIVE_MEMBER is the bytes of symbol icudtNN_dat."""

import re
import struct
import sys

FOLDERS = rb"(?:brkitr/|coll/|curr/|lang/|rbnf/|region/|translit/|unit/|zone/)?"
KEPT = [
    re.compile(rb"[^/]+/[a-z0-9_]+\.(icu|nrm|spp|cfu)"),
    re.compile(rb"[^/]+/" + FOLDERS + rb"(?:root|pool|res_index|en|en_001|en_US|en_US_POSIX|ko)\.res"),
    # What holds for all languages has no name of a language.
    re.compile(rb"[^/]+/(?:[a-z]*[A-Z][A-Za-z]*|zoneinfo64|plurals|metadata|icuver|icustd|units|supplementalData)\.res"),
]
# Names of characters and of other encodings.
DROPPED = re.compile(rb"[^/]+/(?:unames|cnvalias)\.icu")


def main(source: str, target: str) -> None:
    with open(source, "rb") as file:
        data = file.read()
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        sys.exit(f"icu-data.py: {source} is no package of ICU data; look at how this toolchain's Foundation holds it")
    start = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, start)[0]
    table = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in table[1:]] + [len(data) - start]
    items = []
    for (name_offset, offset), end in zip(table, ends):
        name = data[start + name_offset : data.index(b"\0", start + name_offset)]
        if any(pattern.fullmatch(name) for pattern in KEPT) and not DROPPED.fullmatch(name):
            items.append((name, data[start + offset : start + end]))

    names = b"".join(name + b"\0" for name, _ in items)
    name_offset = 4 + 8 * len(items)
    offset = (name_offset + len(names) + 15) // 16 * 16
    entries, bodies = struct.pack("<I", len(items)), bytearray()
    padding = offset - name_offset - len(names)
    for name, body in items:
        entries += struct.pack("<II", name_offset, offset + len(bodies))
        name_offset += len(name) + 1
        bodies += body + bytes(-len(body) % 16)
    with open(target, "wb") as file:
        file.write(data[:start] + entries + names + bytes(padding) + bodies)


main(*sys.argv[1:])
