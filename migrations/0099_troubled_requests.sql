-- Finds the requests that did not complete, of all accounts, in order: few among millions, and what an operator looks for. The others pay for it with
-- one comparison.
CREATE INDEX requests_not_completed ON usage.requests (request_id) WHERE state <> 'completed';
