-- What was earned by day, model and upstream, of days that are over: their entries do not change any more, so each day is summed once.
CREATE TABLE operate.margin_days (
  day date PRIMARY KEY                                 -- of Moscow; its sums are all there
);
CREATE TABLE operate.margin (
  day date NOT NULL REFERENCES operate.margin_days,
  model text NOT NULL,                                 -- empty: the receipt is lost or parked
  upstream text NOT NULL,                              -- empty: none served it
  requests bigint NOT NULL,                            -- requests and tasks that ended
  charged_nano bigint NOT NULL,
  cost_nano bigint,                                    -- of those whose cost is known; null: of none
  unknown_requests bigint NOT NULL,                    -- served, and nobody told at what cost
  unknown_charged_nano bigint NOT NULL,
  loss_nano bigint NOT NULL,
  PRIMARY KEY (day, model, upstream)
);

-- A day over all accounts.
CREATE INDEX daily_spend_by_day ON usage.daily_spend (day);
