-- additive
-- Chats to be pushed are taken room by room. Programs that do not know the column leave 0 in it, which counts as one room.
ALTER TABLE push_outbox ADD COLUMN room_id BIGINT NOT NULL DEFAULT 0;
UPDATE push_outbox SET room_id = (SELECT c.room_id FROM chats c WHERE c.id = push_outbox.chat_id);
CREATE INDEX push_outbox_by_room ON push_outbox (room_id, chat_id);
-- The newest devices of a person, in order.
CREATE INDEX sessions_with_device_in_order ON sessions (user_id, id) WHERE device_token IS NOT NULL;
