"""A pytest fixture: each test has a server of its own. Copy it into a conftest.py."""

import os

import pytest
import requests

SERVER = os.environ.get("MADANG", "http://127.0.0.1:8080")


@pytest.fixture
def world(request):
    """The URL of a world that begins as the courtyard, and is gone after the test.

    Another one: @pytest.mark.parametrize("world", [{"seed": "edge", "number": 7}], indirect=True)
    """
    plan = getattr(request, "param", {"seed": "courtyard"})
    try:
        answer = requests.post(f"{SERVER}/_dev/worlds", json=plan, timeout=10)
    except requests.ConnectionError:
        pytest.fail(f"nothing answers: is 'madang serve --dev' at {SERVER}?", pytrace=False)
    assert answer.ok, f"{answer.status_code}: is 'madang serve --dev' at {SERVER}?"
    made = answer.json()
    yield made["url"]
    requests.delete(f"{SERVER}/_dev/worlds/{made['id']}", timeout=10)
