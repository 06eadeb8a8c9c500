/**
 * Guards that customers can trust our webhooks: the scheme's own library accepts what we sign, and
 * nothing else.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { newUuid } from "../../kernel/ids.ts";
import { newWebhookSecret, signWebhook, webhookMessageId } from "./sign-webhook.ts";

const BODY = JSON.stringify({ type: "task.completed", data: { prompt: "Лиса 🦊" } });

test("the library of Standard Webhooks verifies a message by its secret, and refuses another text, time, id or secret", () => {
  const secret = newWebhookSecret();
  const headers = signWebhook([secret], {
    id: webhookMessageId(newUuid()),
    at: new Date(),
    body: BODY,
  });
  const receiver = new Webhook(secret);
  assert.deepEqual(receiver.verify(BODY, headers), JSON.parse(BODY));
  const refused = (body: string, changed: Record<string, string>, by = receiver): void =>
    assert.throws(() => by.verify(body, { ...headers, ...changed }), WebhookVerificationError);
  refused(BODY.replace("completed", "failed"), {});
  refused(BODY, { "webhook-id": webhookMessageId(newUuid()) });
  refused(BODY, { "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1) });
  refused(BODY, {}, new Webhook(newWebhookSecret()));
});

test("what was signed long ago is not accepted again", () => {
  const secret = newWebhookSecret();
  const headers = signWebhook([secret], {
    id: webhookMessageId(newUuid()),
    at: new Date(Date.now() - 10 * 60_000),
    body: BODY,
  });
  assert.throws(() => new Webhook(secret).verify(BODY, headers), WebhookVerificationError);
});

test("while a secret is changed, receivers of the old and of the new one accept the same message", () => {
  const [old, fresh] = [newWebhookSecret(), newWebhookSecret()];
  const headers = signWebhook([fresh, old], {
    id: webhookMessageId(newUuid()),
    at: new Date(),
    body: BODY,
  });
  for (const secret of [old, fresh])
    assert.deepEqual(new Webhook(secret).verify(BODY, headers), JSON.parse(BODY));
});
