-- additive
-- Certificates that the servers order by themselves (ACME), one for each authority and set of names. `chain` and `private_key` are null before the
-- first certificate. `revision` grows with each certificate, so that all servers notice a new one. A try is claimed in this row before it begins:
-- `next_at` is then in the future, also for a server that ends while it tries. `held_until`: the authority asked to wait. `asked`: an
-- administrator wants a new certificate; 'revoke': and the present one revoked.
CREATE TABLE certificates (
  directory TEXT NOT NULL,
  names TEXT NOT NULL,
  chain TEXT,
  private_key TEXT,
  revision BIGINT NOT NULL,
  renew_at BIGINT NOT NULL,
  tried_at BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  held_until BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  failing_since BIGINT,
  error TEXT NOT NULL,
  cure TEXT NOT NULL,
  asked TEXT NOT NULL,
  PRIMARY KEY (directory, names)
);

-- When certificates were issued: authorities limit how often they sign the same names.
CREATE TABLE certificate_issues (
  directory TEXT NOT NULL,
  names TEXT NOT NULL,
  issued_at BIGINT NOT NULL,
  PRIMARY KEY (directory, names, issued_at)
);

-- The account at each authority, which all servers share.
CREATE TABLE certificate_accounts (
  directory TEXT NOT NULL PRIMARY KEY,
  private_key TEXT NOT NULL,
  url TEXT NOT NULL
);

-- Proofs that an authority looks for now, at any of the servers.
CREATE TABLE certificate_proofs (
  token TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  key_authorization TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
