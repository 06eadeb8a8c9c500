/**
 * Guarantee: every field of the table is priced or refused where it reaches an upstream, and lost
 * or refused where it is translated; the documents say the same.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { CHAT_ENDPOINTS, type ChatEndpoint } from "../../src/contract/enums/chat-endpoint.ts";
import { anthropicDialect } from "../../src/protocol/anthropic/dialect.ts";
import { anthropicUpstream } from "../../src/protocol/anthropic/upstream.ts";
import { answerPath } from "../../src/protocol/answer-path.ts";
import type { ChatDialect, UpstreamDialect } from "../../src/protocol/chat-dialect.ts";
import type { ChatRequest } from "../../src/protocol/chat-request.ts";
import { openAiDialect } from "../../src/protocol/openai/dialect.ts";
import { openAiUpstream } from "../../src/protocol/openai/upstream.ts";
import {
  RAISING_FIELDS,
  RAISING_PARTS,
  translatedTo,
  type Translated,
  type Translations,
} from "../../src/protocol/raises/raising-fields.ts";
import { responsesDialect } from "../../src/protocol/responses/dialect.ts";
import { responsesUpstream } from "../../src/protocol/responses/upstream.ts";
import { priceRaisingTables } from "../support/price-raising-tables.ts";
import { FIELD_VALUES, inParts, RAISING_TOOLS } from "../support/price-raising-values.ts";
import type { Caller } from "../support/protocol-pairs.ts";

const DIALECTS: Readonly<Record<ChatEndpoint, ChatDialect>> = {
  "chat.completions": openAiDialect,
  messages: anthropicDialect,
  responses: responsesDialect,
};
const UPSTREAMS: Readonly<Record<ChatEndpoint, UpstreamDialect>> = {
  "chat.completions": openAiUpstream,
  messages: anthropicUpstream,
  responses: responsesUpstream,
};
const CALLERS: Readonly<Record<ChatEndpoint, Caller>> = {
  "chat.completions": "openai",
  messages: "anthropic",
  responses: "responses",
};
const TARGET = { model: "upstream-model", stream: false, maxOutputTokens: 1000, reasoning: null };

/** A request that holds the field, and what of its bytes shows it. */
interface Case {
  readonly name: string;
  body(caller: Caller): Record<string, unknown>;
  readonly shownBy: string;
  /** What may become of it. */
  may(from: ChatEndpoint, to: ChatEndpoint): readonly Translated[];
}

const byTable =
  (translated: Translations) =>
  (from: ChatEndpoint, to: ChatEndpoint): readonly Translated[] => [
    translatedTo(translated, from, to),
  ];

const CASES: readonly Case[] = [
  ...[...RAISING_FIELDS].map(([name, { translated }]) => {
    const value = FIELD_VALUES[name];
    assert.ok(value !== undefined, `the test has no value of ${name}`);
    const body = () => ({ [name]: value });
    return { name, body, shownBy: JSON.stringify(name), may: byTable(translated) };
  }),
  ...[...RAISING_PARTS].map(([name, { translated }]): Case => {
    const may = byTable(translated);
    return {
      name,
      body: (caller) => inParts(caller, name),
      shownBy: JSON.stringify(name),
      // What no upstream of the other protocol could read may be dropped or refused.
      may: (from, to) =>
        from === "messages" && may(from, to).includes("dropped")
          ? ["dropped", "refused"]
          : may(from, to),
    };
  }),
  ...RAISING_TOOLS.map(({ shown, member, tool }): Case => ({
    name: member ?? shown,
    body: () => ({ tools: [tool] }),
    shownBy: JSON.stringify(shown),
    may: (from) => (from === "responses" ? ["dropped"] : ["refused"]),
  })),
];

function read(endpoint: ChatEndpoint, body: Record<string, unknown>): ChatRequest {
  const question = [{ role: "user", content: "a" }];
  const plain =
    endpoint === "responses"
      ? { max_output_tokens: 20, input: question }
      : { max_tokens: 9, messages: question };
  const whole = { model: "m", ...plain, ...body };
  const reading = DIALECTS[endpoint].readRequest(Buffer.from(JSON.stringify(whole)));
  assert.ok(reading.ok, JSON.stringify(body));
  return reading.request;
}

for (const from of CHAT_ENDPOINTS) {
  for (const to of CHAT_ENDPOINTS) {
    test(`${from} over ${to}: each field of the table is known before it is sent, and sent as the table says`, () => {
      for (const { name, body, shownBy, may } of CASES) {
        const request = read(from, body(CALLERS[from]));
        assert.ok(request.raises.length > 0, `${name} asks for nothing`);
        const writing = answerPath(DIALECTS[from], UPSTREAMS[to]).writeRequest(request, TARGET);
        if (from === to) {
          assert.ok(writing.ok && writing.body.includes(shownBy), `${name} does not pass`);
          continue;
        }
        const done: Translated = writing.ok
          ? writing.body.includes(shownBy)
            ? "kept"
            : "dropped"
          : "refused";
        const allowed = may(from, to);
        assert.ok(allowed.includes(done), `${name} is ${done}, and not ${allowed.join(" or ")}`);
        if (!writing.ok) assert.equal(writing.fault.status, 400, name);
      }
    });
  }
}

for (const [language, file] of [
  ["en", "price-raising-fields.md"],
  ["ru", "price-raising-fields.ru.md"],
] as const) {
  test(`docs/${file} has the tables as the gateway reads them`, async () => {
    const text = await readFile(new URL(`../../docs/${file}`, import.meta.url), "utf8");
    for (const table of priceRaisingTables(language))
      assert.ok(text.includes(`\n${table}\n`), `docs/${file} lacks this table:\n${table}`);
  });
}
