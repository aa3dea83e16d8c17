-- The tables of the peers' servers, on SQLite and PostgreSQL alike: the chat's tables as far as posting and reading need them.
CREATE TABLE users (
  id BIGINT PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE, nickname TEXT NOT NULL, profile_image TEXT
);
CREATE TABLE tokens (token TEXT PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id));
CREATE TABLE rooms (
  id BIGINT PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, last_chat_at BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE members (
  room_id BIGINT NOT NULL REFERENCES rooms (id), user_id BIGINT NOT NULL REFERENCES users (id), PRIMARY KEY (room_id, user_id)
);
CREATE TABLE chats (
  uuid TEXT PRIMARY KEY, room_id BIGINT NOT NULL REFERENCES rooms (id), author_id BIGINT NOT NULL REFERENCES users (id),
  content TEXT NOT NULL, created_at BIGINT NOT NULL, UNIQUE (room_id, created_at)
);
