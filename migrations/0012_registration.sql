-- additive
-- Who may make an account by an application that shows this key, in place of the setting; null for the setting's.
ALTER TABLE api_keys ADD COLUMN registration TEXT;

-- Of an e-mail address, which makes one account; or of a code, which invites so many addresses. Only a code's hash is kept.
CREATE TABLE invitations (
  id {{identity}},
  email TEXT,
  email_key TEXT,
  code_hash TEXT UNIQUE,
  code_id BIGINT,
  uses_left BIGINT NOT NULL CHECK (uses_left >= 0),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT
);
CREATE INDEX invitations_by_email ON invitations (email_key);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
