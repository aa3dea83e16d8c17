-- additive
-- Who did what, written by the transaction that does it. Rows are never changed, and go only when they are too old or too
-- many. E-mails and names are those of that moment, and account_id is no foreign key: a row outlives what it tells of.
CREATE TABLE audit (
  id {{identity}},
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  account_id BIGINT,
  subject TEXT NOT NULL,
  address TEXT NOT NULL,
  edition TEXT NOT NULL,
  node TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX audit_by_date ON audit (at, id);
CREATE INDEX audit_by_kind ON audit (kind, at, id);
CREATE INDEX audit_by_account ON audit (account_id, at, id);
CREATE INDEX audit_by_subject ON audit (subject, at, id);
