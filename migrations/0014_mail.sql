-- additive
-- Mails that wait to be sent; a row goes when its mail was taken or given up. `next_at` is when it is tried next, by the
-- database's clock: whoever tries it sets it to when its claim ends, and counts the attempt.
CREATE TABLE mails (
  id {{identity}},
  kind TEXT NOT NULL,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT NOT NULL
);
CREATE INDEX mails_by_next ON mails (next_at, id);
CREATE INDEX mails_by_expiry ON mails (expires_at);

-- Links by which accounts get another password. Only a code's hash is kept. A row that opens nothing any more still counts among
-- those that its account was sent within an hour.
CREATE TABLE password_resets (
  code_hash TEXT NOT NULL PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX password_resets_by_account ON password_resets (user_id, created_at);
CREATE INDEX password_resets_by_date ON password_resets (created_at);

