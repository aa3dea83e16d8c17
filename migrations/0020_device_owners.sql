-- additive
-- Who else has registered a push token, and when. Tokens have up to 4096 bytes, more than an index of PostgreSQL takes.
CREATE INDEX sessions_by_device ON sessions (substr(device_token, 1, 64), COALESCE(device_token_at, created_at), id)
  WHERE device_token IS NOT NULL;
