-- How many tokens an upstream told of an answer, and how many our tokenizer counts of it: a few of the settled requests of each route, so that
-- a factor for the counts of other tokenizers can be proposed. Figures alone, and nothing of what was said.

CREATE TABLE usage.count_samples (
  request_id     uuid        PRIMARY KEY,
  sampled_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  upstream       text        NOT NULL,
  -- The upstream's name of it.
  model          text        NOT NULL,
  counted_input  bigint      NOT NULL CHECK (counted_input > 0),
  told_input     bigint      NOT NULL CHECK (told_input > 0),
  counted_output bigint      NOT NULL CHECK (counted_output > 0),
  told_output    bigint      NOT NULL CHECK (told_output > 0)
);

CREATE INDEX count_samples_of_a_route ON usage.count_samples (upstream, model, sampled_at DESC);
