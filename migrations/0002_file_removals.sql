-- Files that nothing names any more and when they may go from disk, so that removing many takes no memory and survives
-- a crash.
CREATE TABLE file_removals (
  path TEXT NOT NULL PRIMARY KEY,
  due_at BIGINT NOT NULL
);
CREATE INDEX file_removals_by_due ON file_removals (due_at);

-- What deleting a room's files looks up for each of them.
CREATE INDEX chat_files_by_file ON chat_files (file_id);
