-- additive
-- By which the other owners of a push token are found. Clients choose tokens of up to 4096 bytes: their beginnings may all be the same. Null
-- for a token that an earlier version stored, until its app registers it again.
ALTER TABLE sessions ADD COLUMN device_hash TEXT;

CREATE INDEX sessions_by_device ON sessions (device_hash, COALESCE(device_token_at, created_at), id)
  WHERE device_hash IS NOT NULL;
