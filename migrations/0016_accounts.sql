-- additive
-- Since when an account waits for its owner to confirm its address; null for one that was confirmed, or of which that is not asked.
-- Since when it waits for an administrator's approval; null for one that does not.
ALTER TABLE users ADD COLUMN unconfirmed_at BIGINT;
ALTER TABLE users ADD COLUMN pending_at BIGINT;
CREATE INDEX users_by_unconfirmed ON users (unconfirmed_at) WHERE unconfirmed_at IS NOT NULL;
CREATE INDEX users_by_pending ON users (id) WHERE pending_at IS NOT NULL;
CREATE INDEX users_by_pending_date ON users (pending_at) WHERE pending_at IS NOT NULL;

-- Some kinds of mails are sent before others.
CREATE INDEX mails_by_kind ON mails (kind, next_at, id);

-- Whether accounts made by an application that shows this key wait for approval: `on` or `off`; null for what the settings say.
ALTER TABLE api_keys ADD COLUMN approval TEXT;

-- Links by which the owners of addresses confirm them, kept like those of password_resets. `mailbox` is the same for addresses that differ
-- only in what is behind a `+`.
CREATE TABLE address_confirmations (
  code_hash TEXT NOT NULL PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  mailbox TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX address_confirmations_by_account ON address_confirmations (user_id);
CREATE INDEX address_confirmations_by_mailbox ON address_confirmations (mailbox, created_at);
CREATE INDEX address_confirmations_by_date ON address_confirmations (created_at);

-- Who has paid is not deleted for waiting too long.
CREATE INDEX payments_by_user ON payments (user_id);
