-- additive
-- Whose account was deleted, who had signed in with Apple or Kakao: a token that was issued until `revoked_at` makes them no new one. Rows
-- are kept for a day, which is longer than such tokens are good. Only the hash of provider and subject is there.
CREATE TABLE deleted_sign_ins (
  subject_hash TEXT NOT NULL PRIMARY KEY,
  revoked_at BIGINT NOT NULL,
  deleted_at BIGINT NOT NULL
);
CREATE INDEX deleted_sign_ins_by_date ON deleted_sign_ins (deleted_at);

-- How often a mail was sent as a whole and not answered: whoever is its recipient may have it that often.
ALTER TABLE mails ADD COLUMN unanswered BIGINT NOT NULL DEFAULT 0;
