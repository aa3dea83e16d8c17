-- Since when a room or workspace is out of sight. Its rows are cleared up afterwards, some at a time.
ALTER TABLE rooms ADD COLUMN deleted_at BIGINT;
ALTER TABLE workspaces ADD COLUMN deleted_at BIGINT;
CREATE INDEX rooms_deleted ON rooms (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX workspaces_deleted ON workspaces (deleted_at) WHERE deleted_at IS NOT NULL;
