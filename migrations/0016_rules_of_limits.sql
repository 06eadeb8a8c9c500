-- Rules of alerts say who hears by Telegram, and may watch how much of a limit is used (docs/decisions/0043-telegram.md).
-- Oldest version that may run beside it: 0.1.0

-- The same people as by mail: nothing is sent before one of them links a chat.
ALTER TABLE alerts.rules ADD COLUMN telegram_to text NOT NULL DEFAULT 'owners' CHECK (telegram_to IN ('owners', 'members', 'nobody'));
UPDATE alerts.rules SET telegram_to = mail_to;

-- How much of a limit is used, in percent, of a group or of a key. The new kind is named nowhere here: a value of an enum can be used by the
-- transactions after its own.
ALTER TYPE alerts.kind ADD VALUE 'limit_used';
ALTER TABLE alerts.rules ALTER COLUMN threshold_nano DROP NOT NULL,
  ADD COLUMN percent integer CHECK (percent BETWEEN 1 AND 100),
  ADD COLUMN group_id uuid,
  DROP CONSTRAINT rules_check2,
  ADD CONSTRAINT rules_check2 CHECK ((subject_id = account_id) = (key_hash IS NULL AND group_id IS NULL)),
  ADD CONSTRAINT rules_check3 CHECK (key_hash IS NULL OR group_id IS NULL),
  ADD CONSTRAINT rules_check4 CHECK (group_id IS NULL OR group_id = subject_id AND percent IS NOT NULL),
  ADD CONSTRAINT rules_check5 CHECK ((percent IS NULL) = (threshold_nano IS NOT NULL)),
  ADD CONSTRAINT rules_check6 CHECK ((percent IS NULL) = (kind IN ('balance_below', 'spend_day', 'spend_month', 'spend_spike'))),
  ADD CONSTRAINT rules_check7 CHECK (percent IS NULL OR subject_id <> account_id);
