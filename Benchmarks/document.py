#!/usr/bin/env python3
"""Writes the tables of docs/reference/performance.md and its plots from docs/reference/performance/results.json.

    Benchmarks/document.py            from what is there
    Benchmarks/document.py --take     first takes the lines of `Benchmarks/run --json` on standard input, in place of what the same
                                      benchmarks said before; `Benchmarks/run --document` does so

Standard library only. The same results give the same bytes.
"""

import datetime
import html
import json
import math
import os
import pathlib
import platform
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs/reference"
RESULTS = DOCS / "performance" / "results.json"
SERVERS = {
    "madang": "Madang, SQLite",
    "madang-postgres": "Madang, PostgreSQL",
    "node": "Node, PostgreSQL",
    "python": "Python, SQLite",
    "xmpp": "Prosody, SQLite",
}
PEER_ROWS = {
    "post_cpu_us": "durable chat by HTTP, 64 clients: CPU µs",
    "posts_per_second": "the same: chats/s",
    "post_p99_ms": "the same: p99 ms",
    "history_cpu_us": "30 chats of history: CPU µs",
    "delivery_cpu_us": "a chat to 1,000 sockets: CPU µs for each",
    "deliveries_per_second": "the same: deliveries/s",
    "talk_per_second": "chats end to end, 64 under way: chats/s",
    "talk_cpu_us": "the same: CPU µs for each",
    "talk_p99_ms": "the same: p99 ms",
}


def take(lines):
    """Replaces the former results of the same benchmarks with the lines of a run."""
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"machine": "", "measured": {}, "results": [], "figures": []}
    rows = [json.loads(line) for line in lines if line.strip()]
    today = datetime.date.today().isoformat()
    kept["machine"] = f"{os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}, {platform.machine()}"
    fresh = {row["benchmark"] for row in rows}
    kept["measured"].update({name: today for name in fresh})
    for key, marker in (("results", "name"), ("figures", "figure")):
        new = [row for row in rows if marker in row]
        # A known benchmark keeps its position; a new one is appended.
        order = list(dict.fromkeys([row["benchmark"] for row in kept[key]] + [row["benchmark"] for row in new]))
        old = [row for row in kept[key] if row["benchmark"] not in fresh]
        kept[key] = [row for name in order for row in old + new if row["benchmark"] == name]
    RESULTS.parent.mkdir(exist_ok=True)
    lines = [json.dumps(kept["machine"]), json.dumps(dict(sorted(kept["measured"].items())))]
    lists = [",\n    ".join(json.dumps(row, ensure_ascii=False) for row in kept[key]) for key in ("results", "figures")]
    RESULTS.write_text(
        f'{{\n  "machine": {lines[0]},\n  "measured": {lines[1]},\n  "results": [\n    {lists[0]}\n  ],\n  "figures": [\n    {lists[1]}\n  ]\n}}\n'
    )
    return kept


def number(value):
    """A readable number: three significant digits, thousands separated."""
    value = float(value)
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def words(text):
    """A reference's text with readable numbers."""
    return re.sub(r"(^|(?<=: ))\d+(\.\d+)?", lambda found: number(found.group()), text)


def ratio(text):
    return text if text == "-" else f"{float(text):.4g}"


def unit(name):
    return re.sub(r"\bus\b", "µs", name)


def is_met(row):
    comparison, wanted = row["wanted"].split()
    value = float(row["value"] if row["ratio"] == "-" else row["ratio"])
    return value <= float(wanted) if comparison == "<=" else value >= float(wanted)


def goals_table(data):
    lines = ["| work | here | reference | ratio | goal | met |", "|---|---|---|---|---|---|"]
    for row in data["results"]:
        if row["wanted"] == "- -":
            continue
        sign, wanted = row["wanted"].split()
        goal = f"{'≤' if sign == '<=' else '≥'} {number(wanted) if float(wanted) > 99 else wanted}"
        goal += "" if row["ratio"] == "-" else " ×"
        cells = [unit(row["name"]), number(row["value"])]
        cells += [words(row["reference"]), ratio(row["ratio"]), goal, "yes" if is_met(row) else "**no**"]
        lines.append("| " + " | ".join("" if cell == "-" else cell for cell in cells) + " |")
    return lines


def others_table(data):
    lines = ["| work | here | reference | ratio |", "|---|---|---|---|"]
    for row in data["results"]:
        if row["wanted"] == "- -":
            cells = [unit(row["name"]), number(row["value"]), words(row["reference"]), ratio(row["ratio"])]
            lines.append("| " + " | ".join("" if cell == "-" else cell for cell in cells) + " |")
    return lines


def figures(data):
    return {row["figure"]: row["value"] for row in data["figures"]}


def peers_table(data):
    found = figures(data)
    lines = ["| | " + " | ".join(SERVERS.values()) + " |", "|---" * (len(SERVERS) + 1) + "|"]
    for measure, name in PEER_ROWS.items():
        cells = [found.get(f"peer {server} {measure}") for server in SERVERS]
        lines.append(f"| {name} | " + " | ".join("" if cell is None else number(cell) for cell in cells) + " |")
    return lines


STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-size: 14px; font-weight: 600 } .unit, .tick { fill: #57606a }
.grid { stroke: #d0d7de } .ours { fill: #2563c9 } .peer { fill: #c2701c } .reference { fill: #8c959f }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .unit, .tick { fill: #9198a1 } .grid { stroke: #3d444d }
  .ours { fill: #6ea8fe } .peer { fill: #e3a15f } .reference { fill: #7d8590 }
}
</style>"""
KINDS = {"ours": "Madang", "peer": "peers", "reference": "references"}


def ticks(largest):
    """Round steps from zero to at least the largest value."""
    step = 10 ** math.floor(math.log10(largest / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if largest / (step * factor) <= 5)
    return [step * index for index in range(math.ceil(largest / step) + 1)]


def bars(title, unit, groups):
    """Horizontal bars in named groups of (label, value, kind)."""
    groups = [(name, [bar for bar in rows if bar[1] is not None]) for name, rows in groups]
    groups = [(name, rows) for name, rows in groups if rows]
    if not groups:
        return None
    scale = ticks(max(bar[1] for _, rows in groups for bar in rows))
    left, width, right, row_height = 250, 440, 70, 20
    place = lambda value: round(left + width * value / scale[-1], 1)
    parts, y = [], 62
    for name, rows in groups:
        parts.append(f'<text x="10" y="{y + 14}">{html.escape(name)}</text>')
        y += row_height if name else 0
        for label, value, kind in rows:
            parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{html.escape(label)}</text>')
            parts.append(f'<rect class="{kind}" x="{left}" y="{y + 3}" width="{max(1, round(place(value) - left, 1))}" height="14" rx="2"/>')
            parts.append(f'<text x="{place(value) + 6}" y="{y + 14}">{number(value)}</text>')
            y += row_height
        y += 8
    axis = []
    for tick in scale:
        axis.append(f'<line class="grid" x1="{place(tick)}" y1="56" x2="{place(tick)}" y2="{y}"/>')
        axis.append(f'<text class="tick" x="{place(tick)}" y="{y + 16}" text-anchor="middle">{tick:,.0f}</text>')
    legend, x = [], left
    for kind in KINDS:
        if any(bar[2] == kind for _, rows in groups for bar in rows):
            legend.append(f'<rect class="{kind}" x="{x}" y="34" width="12" height="12" rx="2"/><text x="{x + 18}" y="44">{KINDS[kind]}</text>')
            x += 110
    height = y + 42
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + right} {height}" width="{left + width + right}" height="{height}" role="img">',
        f"<title>{html.escape(title)}, {html.escape(unit)}</title>", STYLE,
        f'<text class="title" x="10" y="20">{html.escape(title)}</text>', *legend, *axis, *parts,
        f'<text class="unit" x="{left + width / 2:.0f}" y="{y + 34}" text-anchor="middle">{html.escape(unit)}</text>', "</svg>", "",
    ])  # fmt: skip


def plots(data):
    found = figures(data)
    cost = lambda kind: found.get(f"cpu_us {kind}")
    peer = lambda server, measure: found.get(f"peer {server} {measure}")
    every_server = lambda measure, names=("madang", "madang-postgres", "node", "python"): [
        (SERVERS[name], peer(name, measure), "ours" if name.startswith("madang") else "peer") for name in names
    ]
    yield "requests", bars("CPU time of the server for one request, 64 clients", "µs of CPU time, less is better", [
        ("nothing", [("GET /livez", cost("livez"), "ours")]),
        ("one row", [("bare Hummingbird, no row", cost("bare"), "reference"), ("GET /v1/users/me", cost("me"), "ours")]),
        ("unread count", [("its SQL alone", cost("sql-unreads"), "reference"), ("Madang, SQLite", cost("unreads"), "ours")]),
        ("30 chats of history", [("its SQL alone", cost("sql-history"), "reference")] + every_server("history_cpu_us")),
        ("durable chat", every_server("post_cpu_us")),
    ])  # fmt: skip
    yield "fan-out", bars("A chat to 1,000 sockets", "µs of the server's CPU time for each socket, less is better", [
        ("floor in C", [("io_uring", found.get("cpu_us_per_delivery uring"), "reference"), ("one send() each", found.get("cpu_us_per_delivery send"), "reference")]),
        ("servers, one chat at a time", every_server("delivery_cpu_us")),
        ("eight chats under way", [(SERVERS["madang"], found.get("cpu_us_per_delivery eight"), "ours")]),
    ])  # fmt: skip
    yield "chats-per-second", bars("Durable chats per second", "chats per second, more is better", [
        ("posted by 64 clients", every_server("posts_per_second")),
        ("end to end, 64 under way", every_server("talk_per_second", tuple(SERVERS))),
    ])  # fmt: skip


def fill(page, sections):
    """Inserts lines between the marks of a page that have their names."""
    text = page.read_text()
    for name, lines in sections:
        section = f"<!-- {name} -->\n" + "\n".join(lines) + f"\n<!-- end of {name} -->"
        text, count = re.subn(rf"<!-- {name} -->\n.*?<!-- end of {name} -->", lambda _: section, text, flags=re.DOTALL)
        if count != 1:
            sys.exit(f"document.py: {page} has no place for {name}")
    page.write_text(text)


def write(data):
    measured = sorted(set(data["measured"].values()))
    about = [f"Measured on {data['machine']}, {' to '.join(dict.fromkeys((measured[0], measured[-1])))}."] if measured else []
    sections = [("about", about), ("goals", goals_table(data)), ("peers", peers_table(data)), ("others", others_table(data))]
    fill(DOCS / "performance.md", sections)
    for name, drawing in plots(data):
        if drawing:
            (DOCS / "performance" / f"{name}.svg").write_text(drawing)


if sys.argv[1:] not in ([], ["--take"]):
    sys.exit(__doc__)
write(take(sys.stdin) if sys.argv[1:] else json.loads(RESULTS.read_text()))
