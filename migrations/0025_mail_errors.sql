-- additive
-- Why the last attempt to send a mail failed, for administrators; null if none failed.
ALTER TABLE mails ADD COLUMN error TEXT;
