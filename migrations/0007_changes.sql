-- What was taken from or given to people, told to the sockets of every server on this database. Rows are kept for
-- a day. Ids rise, but rows of transactions that ran side by side may appear in another order.
CREATE TABLE changes (
  id {{identity}},
  kind TEXT NOT NULL,
  room_id BIGINT,
  workspace_id BIGINT,
  user_id BIGINT,
  session_id BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX changes_by_date ON changes (created_at);
