-- additive
-- Where a session was begun, for administrators: the network address and the kind of device; null if not known.
ALTER TABLE sessions ADD COLUMN address TEXT;
ALTER TABLE sessions ADD COLUMN device TEXT;
