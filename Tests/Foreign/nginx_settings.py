"""What proxies/nginx-single.conf says, for a nginx on other ports."""

import pathlib
import re

FILE = pathlib.Path(__file__).parents[2] / "proxies" / "nginx-single.conf"


def read_settings():
    """The `map` for `http { }`, and the location that passes calls on to madang at 127.0.0.1:8080."""
    text = FILE.read_text()
    mapping = re.search(r"^map .*\}$", text, re.MULTILINE)[0]
    location = re.search(r"^  location / \{\n    proxy_pass .*?^  \}", text, re.MULTILINE | re.DOTALL)[0]
    return mapping, location
