-- additive
-- When Apple or Kakao last said that the person takes back the app's access, in milliseconds since 1970: a token that was issued before
-- signs nobody in any more.
ALTER TABLE users ADD COLUMN sign_in_revoked_at BIGINT;
