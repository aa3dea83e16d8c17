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

-- What administrators tell everybody: a chat of an account in the default channels of workspaces. A row of announcement_rooms waits to be
-- posted, and goes in the transaction that posts it; `rooms` is how many there were.
CREATE TABLE announcements (
  id {{identity}},
  content TEXT NOT NULL,
  author_id BIGINT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  rooms BIGINT NOT NULL,
  cancelled_at BIGINT
);
CREATE TABLE announcement_rooms (
  announcement_id BIGINT NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
  room_id BIGINT NOT NULL,
  PRIMARY KEY (announcement_id, room_id)
);

-- When the session's device was registered last, in milliseconds since 1970; null for what was registered before there was this column.
ALTER TABLE sessions ADD COLUMN device_token_at BIGINT;
