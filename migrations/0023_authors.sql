-- additive
-- In which rooms an account has written, without looking at all chats: its first chat in each, and those whose first chat was deleted for its age.
CREATE INDEX chats_first_of_author ON chats (author_id, room_id) WHERE author_ordinal = 1;
CREATE TABLE former_authors (
  user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  room_id BIGINT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, room_id)
);
CREATE INDEX former_authors_by_room ON former_authors (room_id);
INSERT INTO former_authors (user_id, room_id)
  SELECT DISTINCT c.author_id, c.room_id FROM rooms r JOIN chats c ON c.room_id = r.id WHERE r.cleared_seq > 0;
