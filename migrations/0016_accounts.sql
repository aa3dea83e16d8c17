-- additive
-- Since when an account waits for its owner to confirm its address; null for one that was confirmed, or of which that is not asked.
-- Since when it waits for an administrator's approval; null for one that does not.
ALTER TABLE users ADD COLUMN unconfirmed_at BIGINT;
ALTER TABLE users ADD COLUMN pending_at BIGINT;
CREATE INDEX users_by_unconfirmed ON users (unconfirmed_at) WHERE unconfirmed_at IS NOT NULL;
CREATE INDEX users_by_pending ON users (id) WHERE pending_at IS NOT NULL;

-- Whether accounts made by an application that shows this key wait for approval: `on` or `off`; null for what the settings say.
ALTER TABLE api_keys ADD COLUMN approval TEXT;

-- Links by which the owners of addresses confirm them, kept like those of password_resets.
CREATE TABLE address_confirmations (
  code_hash TEXT NOT NULL PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX address_confirmations_by_account ON address_confirmations (user_id, created_at);
CREATE INDEX address_confirmations_by_date ON address_confirmations (created_at);
