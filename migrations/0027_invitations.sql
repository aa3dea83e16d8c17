-- additive
-- The workspace that people join who make an account by an invitation; null for none. Without a foreign key: an invitation to a workspace
-- that is gone still admits an account. `inviter` is the name of the person who invites, as the invited read it.
ALTER TABLE invitations ADD COLUMN workspace_id BIGINT;
ALTER TABLE invitations ADD COLUMN inviter TEXT;

-- The hash of the code in the link of an address's invitation, which invites no other address. An invitation by code has a `code_hash`
-- instead.
ALTER TABLE invitations ADD COLUMN link_hash TEXT;
CREATE UNIQUE INDEX invitations_by_link ON invitations (link_hash) WHERE link_hash IS NOT NULL;

-- The new account that joins the workspace as soon as it is confirmed and approved; null otherwise.
ALTER TABLE invitations ADD COLUMN joiner_id BIGINT;
CREATE INDEX invitations_by_joiner ON invitations (joiner_id) WHERE joiner_id IS NOT NULL;
