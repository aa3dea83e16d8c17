"""Foreign clients against a real server: python-socketio in three transport modes and a raw WebSocket hear a chat
that curl posted.

    Scripts/foreign-clients    # installs what this needs
    python Tests/Foreign/madang_check.py .build/debug/madang

Exits 0 when every check held.
"""

import json
import queue
import subprocess
import sys
import tempfile
import urllib.request

import socketio
import websocket

KEY = "dev-key-2024-10"
WAIT = 60


def call(url, token=None, body=None):
    headers = {"SesacKey": KEY, "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = token
    data = json.dumps(body).encode() if body is not None else None
    with urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers), timeout=WAIT) as answer:
        return json.load(answer)


def post_with_curl(url, token, content):
    result = subprocess.run(
        ["curl", "-sS", "--fail-with-body", "-H", f"SesacKey: {KEY}", "-H", f"Authorization: {token}",
         "-H", "Content-Type: application/json", "-d", json.dumps({"content": content}), url],
        capture_output=True, check=True, timeout=WAIT)
    return json.loads(result.stdout)


def check_python_socketio(server, namespace, post, transports, upgrade):
    client = socketio.Client(reconnection=False, request_timeout=WAIT)
    heard = queue.Queue()
    client.on("channel", heard.put, namespace=namespace)
    client.connect(server, transports=transports, namespaces=[namespace], wait_timeout=WAIT)
    if upgrade:
        assert client.transport() == "websocket", client.transport()
    elif transports == ["polling"]:
        assert client.transport() == "polling", client.transport()
    for index in range(3):
        chat = post(f"{transports} {index} 각😀")
        assert heard.get(timeout=WAIT) == chat
    assert heard.empty()
    client.disconnect()


def check_raw_websocket(server, namespace, post):
    socket = websocket.create_connection(
        server.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket", timeout=WAIT)
    handshake = json.loads(socket.recv()[1:])
    assert set(handshake) == {"sid", "upgrades", "pingInterval", "pingTimeout", "maxPayload"}, handshake
    socket.send(f"40{namespace},")
    answer = socket.recv()
    assert answer.startswith(f'40{namespace},{{"sid":'), answer
    chat = post("raw")
    frame = socket.recv()
    prefix = f"42{namespace},"
    assert frame.startswith(prefix), frame
    assert json.loads(frame[len(prefix):]) == ["channel", chat], frame
    socket.send(f"41{namespace},")
    socket.close()


def main():
    with tempfile.TemporaryDirectory() as data:
        process = subprocess.Popen(
            [sys.argv[1], "serve", "--dev", "--port", "0", "--data", data], stdout=subprocess.PIPE, text=True)
        try:
            server = process.stdout.readline().split()[-1]
            login = call(f"{server}/v1/users/join", body={
                "email": "mina@example.com", "password": "Passw0rd!", "nickname": "Mina"})
            token = login["token"]["accessToken"]
            workspace = call(f"{server}/v1/workspaces", token, {"name": "Weekend"})["workspace_id"]
            path = f"{server}/v1/workspaces/{workspace}/channels"
            channel = call(path, token, {"name": "ios"})["channel_id"]

            def post(content):
                return post_with_curl(f"{path}/{channel}/chats", token, content)

            namespace = f"/ws-channel-{channel}"
            for transports, upgrade in [(["polling"], False), (["websocket"], False), (["polling", "websocket"], True)]:
                check_python_socketio(server, namespace, post, transports, upgrade)
                print("ok", "+".join(transports))
            check_raw_websocket(server, namespace, post)
            print("ok raw WebSocket")
        finally:
            process.terminate()
            status = process.wait(60)
    assert status == 0, status


main()
