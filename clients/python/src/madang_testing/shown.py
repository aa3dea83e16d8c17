"""Texts of clients and servers in reports."""

from __future__ import annotations

import re

# Control characters, separators of lines, signs that change the direction of text, and halves of pairs of UTF-16.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def shown(text: str) -> str:
    """A text in one line of a report, which a client cannot forge: its control characters are written as `\\u001b`."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
