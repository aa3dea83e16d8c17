-- additive
-- Administrators who sign in at the console in a browser. `name_key` is the name as names are compared. `second_step` is the secret of the
-- authenticator app, sealed if the installation's secret is outside the database; codes of `last_step` and of earlier steps no longer count.
CREATE TABLE administrators (
  id {{identity}},
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  password_at BIGINT NOT NULL,
  second_step TEXT NOT NULL,
  last_step BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  address TEXT NOT NULL
);

-- Recovery codes that were not used yet, as hashes like those of passwords; those of one administrator share a salt.
CREATE TABLE administrator_codes (
  administrator_id BIGINT NOT NULL REFERENCES administrators (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (administrator_id, code_hash)
);

-- Sessions, of which only the token's hash is stored. `pending_step` is a new secret that waits for its first code.
CREATE TABLE administrator_sessions (
  id {{identity}},
  token_hash TEXT NOT NULL UNIQUE,
  administrator_id BIGINT NOT NULL REFERENCES administrators (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  pending_step TEXT,
  pending_until BIGINT NOT NULL
);
CREATE INDEX administrator_sessions_by_administrator ON administrator_sessions (administrator_id, used_at);

-- Links by which an administrator is added. The new secret follows from the token and the salt, and the row goes with its use: so neither
-- the link nor the database alone gives it away. Without `administrator_id` the link was made by `madang admin web`.
CREATE TABLE administrator_links (
  id {{identity}},
  token_hash TEXT NOT NULL UNIQUE,
  salt TEXT NOT NULL,
  administrator_id BIGINT REFERENCES administrators (id) ON DELETE CASCADE,
  made_by TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX administrator_links_by_administrator ON administrator_links (administrator_id);

-- Attempts at names and from addresses, counted from the first one of a minute.
CREATE TABLE administrator_tries (
  key_hash TEXT NOT NULL PRIMARY KEY,
  began_at BIGINT NOT NULL,
  tries BIGINT NOT NULL
);
CREATE INDEX administrator_tries_by_date ON administrator_tries (began_at);
