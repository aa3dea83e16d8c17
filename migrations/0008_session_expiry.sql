-- What tidying up looks for: sessions that nobody can refresh any more.
CREATE INDEX sessions_by_expiry ON sessions (refresh_expires_at);
