-- Chats whose devices are still to be told. Whoever tells a chat's devices claims it until then; if that time passes, the
-- process has died and another one tells them.
CREATE TABLE push_outbox (
  chat_id BIGINT NOT NULL PRIMARY KEY REFERENCES chats (id) ON DELETE CASCADE,
  claimed_until BIGINT NOT NULL
);
-- Whether anybody has a device at all, and the devices of a room's people.
CREATE INDEX sessions_with_device ON sessions (user_id) WHERE device_token IS NOT NULL;
