"""Leads schemathesis past the front door of a running server: good keys and tokens, ids that exist, and real files.

Scripts/schemathesis loads this with MADANG_URL and MADANG_EDITION set. One case in eight keeps what schemathesis
made up, so that the front door is tried too. What is chosen depends on the case alone: a run can be repeated.
"""

import base64
import hashlib
import itertools
import os

import requests
import schemathesis
from hypothesis import strategies

URL = os.environ["MADANG_URL"]
EDITION = os.environ["MADANG_EDITION"]
KEY = f"dev-key-{EDITION}"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

schemathesis.openapi.format("binary", strategies.sampled_from([PNG, b"GIF89a picture", b"%PDF-1.7", b"words", b""]))

# What ends a session or a membership, or a channel's name, gets a village of its own, so that the others keep theirs.
BY_OWNER = {"signOut", "deleteWorkspace", "handOverWorkspace", "editChannel", "deleteChannel", "handOverChannel"}
BY_MEMBER = {"leaveWorkspace", "leaveChannel"}
numbers = itertools.count()


class Village:
    """Two people in a workspace with a channel, a room of direct messages, and files."""

    def __init__(self):
        number = f"{EDITION}-{next(numbers)}"
        self.owner = self.sign_up(f"mina{number}@example.com")
        self.member = self.sign_up(f"joon{number}@example.com")
        self.token = self.owner["token"]["accessToken"]
        self.member_token = self.member["token"]["accessToken"]
        user = self.member["user_id"]
        workspace = self.call("POST", "workspaces", {"name": f"Village {number}"})["workspace_id"]
        place = f"workspaces/{workspace}"
        self.call("POST", f"{place}/members", {"email": self.member["email"]})
        channel = self.call("POST", f"{place}/channels", {"name": "garden"})
        if EDITION == "2024-10":
            garden = channel["channel_id"]
            room = self.call("POST", f"{place}/dms", {"opponent_id": user})["room_id"]
        else:
            garden = channel["name"]
            room = self.call("GET", f"{place}/dms/{user}/chats")["room_id"]
        chat = self.call("POST", f"{place}/channels/{garden}/chats", files={"files": ("a.png", PNG)})
        self.call("GET", f"{place}/channels/{garden}/chats", token=self.member_token)
        folder, name = chat["files"][0].split("/")[2:]
        self.parameters = {
            "workspace": workspace, "channel": garden, "room": room, "user": user, "folder": folder, "name": name,
        }

    def call(self, method, path, json=None, files=None, token=None):
        headers = {"SesacKey": KEY, "Authorization": self.token if token is None else token}
        answer = requests.request(method, f"{URL}/v1/{path}", headers=headers, json=json, files=files, timeout=60)
        assert answer.status_code == 200, (method, path, answer.text)
        return answer.json()

    def sign_up(self, email):
        person = {"email": email, "password": "Passw0rd!", "nickname": "Mina"}
        return self.call("POST", "users/join", person, token="")

    def arguments(self, operation):
        # One path of 2024-01 has two meanings: GET takes a person, POST a room.
        meaning = "user" if operation == "directMessageHistory" else "room"
        return self.parameters | {"id": self.parameters[meaning]}


def develop(path, **body):
    answer = requests.post(f"{URL}/_dev/{path}", json=body, timeout=60)
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()


village = Village()


def good_fields(operation, here, digest):
    """Values that a body's fields may have, as far as they matter to reach what lies behind the checks."""
    user = here.member["user_id"]
    fresh = f"{digest.hex()[:16]}@example.com"
    good = {"owner_id": user, "opponent_id": user, "email": fresh, "password": "Passw0rd!"}
    match operation:
        case "signIn" | "signInNested":
            good["email"] = here.member["email"]
        case "invite":
            good["email"] = here.sign_up(f"guest{EDITION}-{next(numbers)}@example.com")["email"]
        case "createWorkspace" | "createChannel":
            good["name"] = f"Place {digest.hex()[:16]}"
        case "validatePayment":
            status = ["paid", "paid", "cancelled"][digest[30] % 3]
            good["merchant_uid"] = digest.hex()
            good |= develop("payments", merchant_uid=digest.hex(), amount=100, status=status)
        case "signInWithApple" | "signInWithKakao":
            provider = operation.removeprefix("signInWith").lower()
            person = {"provider": provider, "subject": digest.hex(), "email": fresh, "nickname": "Sora"}
            token = develop("social-tokens", **person)["token"]
            good |= {"idToken": token, "oauthToken": token, "nickname": "Sora"}
    return good


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw["operationId"]
    made_up = f"{EDITION} {operation} {case.path_parameters} {case.query} {case.headers} {case.body!r}"
    digest = hashlib.sha256(made_up.encode("utf-8", "surrogatepass")).digest()
    dice = iter(digest)

    def replace(members, good):
        """Puts in the values of `good` whose keys are there already, seven times of eight."""
        for key in list(members or {}):
            if key in good and next(dice) % 8:
                members[key] = good[key]

    here = Village() if operation in BY_OWNER | BY_MEMBER else village
    case.headers = dict(case.headers or {})
    for name, value in {
        "SesacKey": KEY, "Authorization": here.member_token if operation in BY_MEMBER else here.token,
        "RefreshToken": here.owner["token"]["refreshToken"],
    }.items():
        if next(dice) % 8:
            case.headers[name] = value
    if operation == "refresh" and next(dice) % 2:
        case.headers.pop("Authorization", None)
    replace(case.path_parameters, here.arguments(operation))
    date = ["2024-12-13T07:05:30.874Z", "2024-12-13 16:05:30", "2099-01-01T00:00:00+09:00", ""][digest[31] % 4]
    replace(case.query, {"after": date, "cursor_date": date})
    if isinstance(case.body, dict):
        replace(case.body, good_fields(operation, here, digest))
