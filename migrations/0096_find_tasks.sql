-- Finds an account's tasks of a model, a state, a key, or of all three, however rare they are among its hundreds of thousands: what is not asked
-- for is skipped, because there are few of each. The one index besides that of the account's own list, because every task pays for it.
CREATE INDEX tasks_by_kind ON tasks.tasks (account_id, model, state, key_id, task_id);
