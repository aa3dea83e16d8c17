-- additive
-- The orders in which lists are read, page by page.
CREATE INDEX rooms_of_channels_in_order ON rooms (workspace_id, created_at, id)
  WHERE kind = 'channel' AND deleted_at IS NULL;
CREATE INDEX workspace_members_in_order ON workspace_members (workspace_id, joined_at, user_id);
CREATE INDEX channel_members_in_order ON channel_members (room_id, joined_at, user_id);

-- Addresses that are old, and those of an account whose last session ends.
CREATE INDEX recent_addresses_by_date ON recent_addresses (seen_at);
CREATE INDEX recent_addresses_by_account ON recent_addresses (user_id);

-- What deleting an account looks at, and tidying up.
CREATE INDEX workspaces_held ON workspaces (held_at) WHERE held_at IS NOT NULL;
CREATE INDEX workspaces_with_retention ON workspaces (id) WHERE chat_days > 0 OR file_days > 0;

-- The costs at which passwords are stored, without looking at every account: salt and hash are the last 70 characters at most.
CREATE INDEX users_by_password_cost ON users (substr(password_hash, 1, length(password_hash) - 70))
  WHERE length(password_hash) > 70;
