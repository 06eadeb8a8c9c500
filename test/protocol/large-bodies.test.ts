/**
 * Guarantee: a large body is measured and refused as a small one, while other work of the process
 * goes on (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicDialect } from "../../src/protocol/anthropic/dialect.ts";
import type { ChatDialect } from "../../src/protocol/chat-dialect.ts";
import type { ChatRequest } from "../../src/protocol/chat-request.ts";
import { upperEstimate } from "../../src/protocol/estimate-tokens.ts";
import { openAiDialect } from "../../src/protocol/openai/dialect.ts";

const LINE = 'Она сказала: "the quick brown fox" — и ушла.\n';
const text = (bytes: number): string =>
  LINE.repeat(Math.ceil(bytes / Buffer.byteLength(JSON.stringify(LINE))));
const DIALECTS: readonly ChatDialect[] = [openAiDialect, anthropicDialect];

function chat(content: unknown, more: object = {}): Buffer {
  return Buffer.from(
    JSON.stringify({ model: "m", max_tokens: 10, messages: [{ role: "user", content }], ...more }),
  );
}

function read(dialect: ChatDialect, body: Buffer): ChatRequest {
  const reading = dialect.readRequest(body);
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  return reading.request;
}

for (const dialect of DIALECTS) {
  test(`${dialect.endpoint}: nothing of a large prompt goes unmeasured: texts, tools, calls, media`, async () => {
    const small = {
      type: "function",
      name: "t",
      input_schema: {},
      function: { name: "t" },
      description: "d",
    };
    const own = text(600_000);
    const media =
      dialect.endpoint === "messages"
        ? {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "A".repeat(800_000) },
          }
        : { type: "file", file: { file_data: "A".repeat(800_000) } };
    const measured = (content: unknown, tool: object): ChatRequest =>
      read(dialect, chat(content, { tools: [tool] }));
    const base = measured([{ type: "text", text: "" }], small);
    const all = measured([{ type: "text", text: own }, media], { ...small, description: own });
    const inSlices = await dialect.readRequestInSlices(
      chat([{ type: "text", text: own }, media], { tools: [{ ...small, description: own }] }),
    );
    const least = base.inputTokens + 2 * upperEstimate(own) + 600_000 / 4;
    assert.ok(
      all.inputTokens >= least && all.inputTokens < 1.2 * least,
      `${all.inputTokens} for ${least}`,
    );
    assert.ok(inSlices.ok);
    assert.equal(inSlices.request.inputTokens, all.inputTokens);
    const parts = all.promptText().split(own);
    assert.ok(parts.length >= 2 && all.promptText().includes(JSON.stringify(own).slice(1, -1)));
  });

  test(`${dialect.endpoint}: others have their turns while a text of 31 MB is read`, async () => {
    const body = chat(text(31_000_000));
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const reading = await dialect.readRequestInSlices(body);
    over = true;
    assert.ok(reading.ok && reading.request.inputTokens > 7_000_000);
    assert.ok(turns > 300, `${turns} turns`);
  });

  test(`${dialect.endpoint}: a long text that is no valid JSON is refused with a 400, read in slices or whole`, async () => {
    const body = Buffer.from(chat(text(1_100_000)).toString().replace("fox", "\\x"));
    for (const reading of [dialect.readRequest(body), await dialect.readRequestInSlices(body)]) {
      assert.ok(
        !reading.ok && reading.fault.status === 400 && reading.fault.code === "invalid_request",
      );
    }
  });
}
