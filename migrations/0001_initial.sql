-- Times are integer milliseconds since 1970 UTC. Every object has an integer id (edition 2024-01) and a UUID
-- (edition 2024-10); integer ids join the tables. {{identity}} is the engine's never-reused integer key.

CREATE TABLE users (
  id {{identity}},
  uuid TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  nickname TEXT NOT NULL,
  phone TEXT NOT NULL,
  profile_image TEXT,
  sign_in_method TEXT,
  sign_in_subject TEXT,
  coins BIGINT NOT NULL CHECK (coins >= 0),
  created_at BIGINT NOT NULL,
  UNIQUE (sign_in_method, sign_in_subject)
);

-- No foreign key on users: a session outlives its account, to tell "account gone" from "unknown token".
CREATE TABLE sessions (
  id {{identity}},
  user_id BIGINT NOT NULL,
  edition TEXT NOT NULL,
  refresh_hash TEXT NOT NULL UNIQUE,
  refresh_expires_at BIGINT NOT NULL,
  device_token TEXT,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE workspaces (
  id {{identity}},
  uuid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  cover_image TEXT,
  owner_id BIGINT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL
);

CREATE TABLE workspace_members (
  workspace_id BIGINT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  joined_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX workspace_members_by_user ON workspace_members (user_id);

-- The sequencer of channels and direct messages: last_seq and last_chat_at advance with every chat.
CREATE TABLE rooms (
  id {{identity}},
  uuid TEXT NOT NULL UNIQUE,
  workspace_id BIGINT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('channel', 'dm')),
  last_seq BIGINT NOT NULL DEFAULT 0,
  last_chat_at BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);
CREATE INDEX rooms_by_workspace ON rooms (workspace_id);

CREATE TABLE channels (
  room_id BIGINT PRIMARY KEY REFERENCES rooms (id) ON DELETE CASCADE,
  workspace_id BIGINT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  cover_image TEXT,
  owner_id BIGINT NOT NULL REFERENCES users (id),
  is_default BIGINT NOT NULL,
  UNIQUE (workspace_id, name)
);

CREATE TABLE channel_members (
  room_id BIGINT NOT NULL REFERENCES channels (room_id) ON DELETE CASCADE,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  joined_at BIGINT NOT NULL,
  PRIMARY KEY (room_id, user_id)
);
CREATE INDEX channel_members_by_user ON channel_members (user_id);

CREATE TABLE direct_messages (
  room_id BIGINT PRIMARY KEY REFERENCES rooms (id) ON DELETE CASCADE,
  workspace_id BIGINT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  low_user_id BIGINT NOT NULL REFERENCES users (id),
  high_user_id BIGINT NOT NULL REFERENCES users (id),
  UNIQUE (workspace_id, low_user_id, high_user_id),
  CHECK (low_user_id < high_user_id)
);
CREATE INDEX direct_messages_by_low ON direct_messages (low_user_id);
CREATE INDEX direct_messages_by_high ON direct_messages (high_user_id);

-- seq counts the room's chats, author_ordinal the author's chats in it: an unread count is the difference of two probes.
CREATE TABLE chats (
  id {{identity}},
  uuid TEXT NOT NULL,
  room_id BIGINT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  author_id BIGINT NOT NULL REFERENCES users (id),
  author_ordinal BIGINT NOT NULL,
  content TEXT NOT NULL,
  file_count BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (room_id, seq),
  UNIQUE (room_id, created_at)
);
CREATE INDEX chats_by_author ON chats (room_id, author_id, created_at);

-- room_id is set for files of chats, which only the room's readers may fetch.
CREATE TABLE files (
  id {{identity}},
  path TEXT NOT NULL UNIQUE,
  media_type TEXT NOT NULL,
  size BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  room_id BIGINT REFERENCES rooms (id) ON DELETE CASCADE,
  uploader_id BIGINT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL
);
CREATE INDEX files_by_room ON files (room_id);

CREATE TABLE chat_files (
  chat_id BIGINT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  file_id BIGINT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  PRIMARY KEY (chat_id, position)
);

CREATE TABLE payments (
  id {{identity}},
  uuid TEXT NOT NULL UNIQUE,
  user_id BIGINT NOT NULL REFERENCES users (id),
  imp_uid TEXT NOT NULL UNIQUE,
  merchant_uid TEXT NOT NULL UNIQUE,
  item TEXT NOT NULL,
  amount BIGINT NOT NULL,
  coins BIGINT NOT NULL,
  paid_at BIGINT NOT NULL
);

-- Append-only. users.coins is the sum of a person's entries; both change in one transaction.
CREATE TABLE coin_entries (
  id {{identity}},
  user_id BIGINT NOT NULL REFERENCES users (id),
  amount BIGINT NOT NULL,
  reason TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX coin_entries_by_user ON coin_entries (user_id);

-- From where an account was last seen: what lets a socket without credentials in (socketAccess "recent").
CREATE TABLE recent_addresses (
  address TEXT NOT NULL,
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (address, user_id)
);
