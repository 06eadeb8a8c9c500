-- The operator's bot, and alerts by Telegram (docs/decisions/0043-telegram.md).
-- Oldest version that may run beside it: 0.1.0

-- The operator's bot, chats that members linked to it, and what waits to be sent to them.
CREATE SCHEMA telegram;

-- By the number that a bot's token begins with: another token of the same bot goes on where it was. One process at a time reads its updates.
CREATE TABLE telegram.bots (
  bot_id bigint PRIMARY KEY,
  username text CHECK (length(username) BETWEEN 1 AND 64),   -- null: nobody asked yet
  next_update bigint NOT NULL DEFAULT 0,                     -- the first one that was not taken
  polled_by uuid,
  polled_until timestamptz NOT NULL DEFAULT '-infinity'
);

-- One for each member who is about to link a chat; used once.
CREATE TABLE telegram.codes (
  member_id uuid PRIMARY KEY,
  code_hash bytea NOT NULL UNIQUE CHECK (length(code_hash) = 32),
  expires_at timestamptz NOT NULL
);

-- A member has one chat; a chat may be that of several members. Who removes a member removes its row.
CREATE TABLE telegram.chats (
  member_id uuid PRIMARY KEY,
  chat_id bigint NOT NULL,
  title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
  linked_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX chats_by_id ON telegram.chats (chat_id);

CREATE TABLE telegram.messages (
  message_id uuid PRIMARY KEY,
  member_id uuid,                                            -- null: the bot's answer in a chat
  chat_id bigint NOT NULL,
  sealed bytea,                                              -- the text; null once it is sent or given up
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),     -- moves on while a process sends it
  sent_at timestamptz,
  failed_at timestamptz,
  last_error text,
  CHECK ((sealed IS NULL) = (sent_at IS NOT NULL OR failed_at IS NOT NULL))
);
CREATE INDEX messages_by_due ON telegram.messages (due_at) WHERE sealed IS NOT NULL;
CREATE INDEX messages_of_chat ON telegram.messages (chat_id, created_at);
CREATE INDEX messages_by_age ON telegram.messages (created_at) WHERE sealed IS NULL;

-- A delivery by Telegram lies with the messages, as one by mail lies in the outbox of mail: what claims webhooks never sees it.
ALTER TYPE alerts.channel ADD VALUE 'telegram';
ALTER TABLE alerts.deliveries ADD COLUMN message_id uuid,
  ADD CONSTRAINT deliveries_check2 CHECK ((channel NOT IN ('mail', 'webhook')) = (message_id IS NOT NULL));
