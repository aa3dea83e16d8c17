-- additive
-- The order of a certificate that may have been issued and is not stored yet, so that the next try fetches it instead of ordering another one:
-- its address, the key of its certificate, and when it was begun.
ALTER TABLE certificates ADD COLUMN order_url TEXT;
ALTER TABLE certificates ADD COLUMN order_key TEXT;
ALTER TABLE certificates ADD COLUMN ordered_at BIGINT;
