-- What tidying up looks for: sessions nobody can refresh any more.
CREATE INDEX sessions_by_expiry ON sessions (refresh_expires_at);
