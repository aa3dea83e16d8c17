-- Who first showed a payment that a provider knows: nobody else can use it, not even before it is credited.
CREATE TABLE payment_claims (
  imp_uid TEXT PRIMARY KEY,
  user_id BIGINT NOT NULL,
  claimed_at BIGINT NOT NULL
);
