-- additive
-- Since when an account is deleted: its row stays, without anything personal, for what it wrote.
ALTER TABLE users ADD COLUMN deleted_at BIGINT;

-- How many days a workspace keeps chats and their files, in place of the settings; 0 for ever, null for the settings'. Since when
-- nothing of it may be deleted (legal hold).
ALTER TABLE workspaces ADD COLUMN chat_days BIGINT;
ALTER TABLE workspaces ADD COLUMN file_days BIGINT;
ALTER TABLE workspaces ADD COLUMN held_at BIGINT;

-- Chats up to this one of a room were deleted for their age.
ALTER TABLE rooms ADD COLUMN cleared_seq BIGINT NOT NULL DEFAULT 0;
DROP INDEX files_by_room;
CREATE INDEX files_by_room_and_date ON files (room_id, created_at);
-- What an account has written and uploaded, for its export and its quota.
CREATE INDEX files_by_uploader ON files (uploader_id, id);
