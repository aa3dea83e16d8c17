-- additive
-- Places from which accounts have signed in, as keyed hashes: nobody finds out a network by trying without the key. The newest row of an
-- account stays, so that it is known that its places are looked at.
CREATE TABLE sign_in_places (
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  place_hash TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, place_hash)
);
CREATE INDEX sign_in_places_by_date ON sign_in_places (seen_at, user_id, place_hash);

-- How many mails were queued since a whole hour or day (UTC, in milliseconds since 1970): of all accounts together where user_id is 0, of
-- all kinds where kind is empty.
CREATE TABLE mail_counts (
  user_id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  began_at BIGINT NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (user_id, kind, began_at)
);
CREATE INDEX mail_counts_by_date ON mail_counts (began_at);

-- Alarms that are not over: since when, and when administrators were told last. `place` is the server's name where each has its own.
CREATE TABLE alarms (
  kind TEXT NOT NULL,
  place TEXT NOT NULL,
  began_at BIGINT NOT NULL,
  told_at BIGINT NOT NULL,
  PRIMARY KEY (kind, place)
);
