-- additive
-- When administrators asked for a new certificate: they may do so some times a day, because authorities limit tries.
CREATE TABLE certificate_wishes (
  directory TEXT NOT NULL,
  names TEXT NOT NULL,
  asked_at BIGINT NOT NULL,
  PRIMARY KEY (directory, names, asked_at)
);
