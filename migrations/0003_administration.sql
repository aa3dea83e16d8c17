-- Since when an account may do nothing; its data stays.
ALTER TABLE users ADD COLUMN disabled_at BIGINT;

-- API keys that came with the first start or were made later. Only their hashes are kept; label tells them apart.
CREATE TABLE api_keys (
  id {{identity}},
  key_hash TEXT NOT NULL UNIQUE,
  edition TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT
);
