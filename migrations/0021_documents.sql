-- additive
-- The name that a file which is no image keeps, percent-encoded as in its path; null for images, and for documents of earlier versions.
ALTER TABLE files ADD COLUMN name TEXT;

-- Pictures of people, workspaces and channels count for the account that sent them from now on: what was added up without them is
-- added up anew when it is needed next.
DELETE FROM file_usage WHERE scope = 'account';
