-- An XMPP server on loopback that keeps every message in an archive on disk. The benchmark sets DATA and PORT.
local data, port = os.getenv("DATA"), tonumber(os.getenv("PORT"))
data_path = data
certificates = data
pidfile = data .. "/prosody.pid"
log = { warn = data .. "/prosody.log" }
run_as_root = true

interfaces = { "127.0.0.1" }
c2s_ports = { port }
c2s_direct_tls_ports = {}
modules_enabled = { "saslauth", "disco", "roster", "mam" }
modules_disabled = { "tls", "s2s", "offline" }
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
authentication = "internal_plain"

storage = { archive = "sql" }
-- The file is in WAL mode already; SQLite flushes every commit there unless told otherwise.
sql = { driver = "SQLite3", database = data .. "/archive.sqlite" }
default_archive_policy = true
archive_expires_after = "never"

VirtualHost "localhost"
