import pytest
from chat import Chat


@pytest.fixture
def sign_in(world):
    """Signs in clients under test: the only lines that know the client."""
    clients = []

    def sign_in(name="mina", **more):
        client = Chat(world.url, world.key())
        clients.append(client)
        client.sign_in(f"{name}@example.com", "Passw0rd!", **more)
        return client

    yield sign_in
    for client in clients:
        client.close()


@pytest.fixture
def app(sign_in):
    """Mina's client."""
    return sign_in()
