-- additive
-- Has one row while the database is in read-only mode: `since` in milliseconds since 1970, and why. Programs that do not know the
-- table go on writing.
CREATE TABLE read_only_mode (
  id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
  since BIGINT NOT NULL,
  reason TEXT NOT NULL
);

-- How many channels and members a workspace may have, and how many bytes of files in its chats, in place of the settings; 0 for any
-- number, null for the settings'.
ALTER TABLE workspaces ADD COLUMN channel_limit BIGINT;
ALTER TABLE workspaces ADD COLUMN member_limit BIGINT;
ALTER TABLE workspaces ADD COLUMN file_limit BIGINT;
-- How many an account owns.
CREATE INDEX workspaces_by_owner ON workspaces (owner_id);

-- Bytes of the files that an account, or a workspace, has in chats, where that is limited. What has no row is added up when it is needed.
CREATE TABLE file_usage (
  scope TEXT NOT NULL CHECK (scope IN ('account', 'workspace')),
  owner_id BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (scope, owner_id)
);
