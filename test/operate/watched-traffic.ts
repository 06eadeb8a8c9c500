/** Traffic of all kinds before a gateway over the sandbox, so that its figures have something to tell. */
import assert from "node:assert/strict";
import { insertRule } from "../../src/business/alerts/rules.store.ts";
import type { Db } from "../../src/db/database.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { nano } from "../../src/kernel/money.ts";
import { newAccount, newKey } from "../support/new-customer.ts";

export interface WatchedTraffic {
  /** What happens once: orders, a batch, an upload, a rule of spend. */
  begin(): Promise<void>;
  /** What happens again and again. */
  goOn(): Promise<void>;
  /** A model whose upstream does not listen. */
  chatWithDoomed(): Promise<unknown>;
}

const MESSAGES = [{ role: "user", content: "hi" }];

/** `webhookUrl` takes webhooks of tasks and alerts. */
export async function openWatchedTraffic(
  db: Db,
  gatewayUrl: string,
  webhookUrl: string,
): Promise<WatchedTraffic> {
  const accountId = await newAccount(db, "1000");
  const { secret } = await newKey(db, accountId);
  const slow = await newKey(db, accountId, { requestsPerMinute: 1 });

  const send = (
    path: string,
    body: FormData | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(gatewayUrl + path, {
      method: "POST",
      headers: { "x-api-key": secret, authorization: `Bearer ${secret}`, ...headers },
      body,
    });

  async function post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await send(path, JSON.stringify(body), {
      "content-type": "application/json",
      ...headers,
    });
    return { status: answer.status, text: await answer.text() };
  }

  const chat = async (
    model: string,
    more: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> =>
    (await post("/v1/chat/completions", { model, messages: MESSAGES, ...more }, headers)).status;

  /** Ends in `state`; null: it is not waited for. */
  async function order(prompt: string, state: string | null): Promise<void> {
    const { status, text } = await post(
      "/v1/tasks/nano-banana-2",
      { prompt, aspectRatio: "16:9" },
      { "x-callback-url": webhookUrl },
    );
    assert.equal(status, 200, text);
    const { data } = JSON.parse(text) as { data: { taskId: string } };
    if (state === null) return;
    const ended = await fetch(`${gatewayUrl}/v1/tasks/${data.taskId}?wait=30`, {
      headers: { "x-api-key": secret },
    });
    assert.match(await ended.text(), new RegExp(`"state":"${state}"`));
  }

  const upload = async (path: string, name: string, text: string, purpose?: string) => {
    const form = new FormData();
    if (purpose !== undefined) form.set("purpose", purpose);
    form.set("file", new File([text], name));
    const answer = await send(path, form);
    const body = await answer.text();
    assert.equal(answer.status, 200, body);
    return body;
  };

  async function batch(model: string): Promise<void> {
    const body = { model, max_tokens: 100, messages: MESSAGES };
    const line = { custom_id: "1", method: "POST", url: "/v1/chat/completions", body };
    const file = await upload("/v1/files", "lines.jsonl", JSON.stringify(line), "batch");
    const { id } = JSON.parse(file) as { id: string };
    const endpoint = "/v1/chat/completions";
    const wish = { input_file_id: id, endpoint, completion_window: "24h" };
    const { status, text } = await post("/v1/batches", wish);
    assert.equal(status, 200, text);
  }

  return {
    async begin() {
      await insertRule(db, {
        ruleId: newUuid(),
        accountId,
        kind: "spend_day",
        thresholdNano: nano(1n),
        percent: null,
        factor: null,
        subjectId: accountId,
        keyHash: null,
        groupId: null,
        enabled: true,
        mailTo: "owners",
        telegramTo: "owners",
        memberIds: [],
        webhookUrl,
      });
      await order("A red fox in the snow", "completed");
      await order("[[sandbox: fail=blocked]] A red fox", "failed");
      await order("[[sandbox: run=600000]] A red fox", null);
      await batch("sandbox-large");
      await batch("passed");
    },
    async goOn() {
      assert.equal(await chat("sandbox-large"), 200);
      assert.equal(await chat("sandbox-large", { stream: true }), 200);
      assert.equal(await chat("no-such-model"), 404);
      const limited = { authorization: `Bearer ${slow.secret}`, "x-api-key": slow.secret };
      await chat("sandbox-large", {}, limited);
      assert.equal(await chat("sandbox-large", {}, limited), 429);
      const kept = await post("/v1/responses", { model: "sandbox-large", input: "hi" });
      assert.equal(kept.status, 200, kept.text);
      await upload("/v1/storage/upload", "a.txt", "some text");
      await post(`/v1/callbacks/sandbox-media/${newUuid()}`, {});
      await post("/payments/notify/yookassa", { event: "payment.succeeded", object: { id: "x" } });
    },
    chatWithDoomed: () => chat("doomed"),
  };
}
