/**
 * Guarantee: every field of the table is priced or refused where it reaches an upstream, and lost
 * or refused where it is translated; the documents say the same.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
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
  type Translated,
} from "../../src/protocol/raises/raising-fields.ts";
import { VENDOR_TOOLS } from "../../src/protocol/raises/vendor-tools.ts";
import { priceRaisingTables } from "../support/price-raising-tables.ts";
import { FIELD_VALUES, PART_VALUES } from "../support/price-raising-values.ts";

const DIALECTS: Readonly<Record<string, ChatDialect>> = {
  chat: openAiDialect,
  messages: anthropicDialect,
};
const UPSTREAMS: Readonly<Record<string, UpstreamDialect>> = {
  chat: openAiUpstream,
  messages: anthropicUpstream,
};
const TARGET = { model: "upstream-model", stream: false, maxOutputTokens: 1000, reasoning: null };

/** A request that holds the field, and what of its bytes shows it. */
interface Case {
  readonly name: string;
  readonly body: Record<string, unknown>;
  readonly shownBy: string;
  readonly translated: {
    readonly toMessages: readonly Translated[];
    readonly toChat: readonly Translated[];
  };
}

const CASES: readonly Case[] = [
  ...[...RAISING_FIELDS].map(([name, { translated }]) => {
    const value = FIELD_VALUES[name];
    assert.ok(value !== undefined, `the test has no value of ${name}`);
    return {
      name,
      body: { [name]: value },
      shownBy: JSON.stringify(name),
      translated: listed(translated),
    };
  }),
  ...[...RAISING_PARTS].map(([name, { translated }]) => {
    const part = PART_VALUES[name];
    assert.ok(part !== undefined, `the test has no part with ${name}`);
    const messages = [{ role: "user", content: [{ type: "text", text: "b" }, part] }];
    // What no upstream of the other protocol could read may be dropped or refused.
    const toChat: Translated[] =
      translated.toChat === "dropped" ? ["dropped", "refused"] : [translated.toChat];
    return {
      name,
      body: { messages },
      shownBy: JSON.stringify(name),
      translated: { toMessages: [translated.toMessages], toChat },
    };
  }),
  ...[...VENDOR_TOOLS].flatMap(([type, { kind }]): Case[] => {
    if (kind === "client" || kind === "free") return [];
    return [
      {
        name: type,
        body: { tools: [{ type, name: "t" }] },
        shownBy: JSON.stringify(type),
        translated: { toMessages: ["refused"], toChat: ["refused"] },
      },
    ];
  }),
];

function listed({
  toMessages,
  toChat,
}: {
  readonly toMessages: Translated;
  readonly toChat: Translated;
}): Case["translated"] {
  return { toMessages: [toMessages], toChat: [toChat] };
}

function read(dialect: ChatDialect, body: Record<string, unknown>): ChatRequest {
  const whole = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "a" }], ...body };
  const reading = dialect.readRequest(Buffer.from(JSON.stringify(whole)));
  assert.ok(reading.ok, JSON.stringify(body));
  return reading.request;
}

for (const [caller, dialect] of Object.entries(DIALECTS)) {
  for (const [upstream, spoken] of Object.entries(UPSTREAMS)) {
    test(`${caller} over ${upstream}: each field of the table is known before it is sent, and sent as the table says`, () => {
      for (const { name, body, shownBy, translated } of CASES) {
        const request = read(dialect, body);
        assert.ok(request.raises.length > 0, `${name} asks for nothing`);
        const writing = answerPath(dialect, spoken).writeRequest(request, TARGET);
        if (caller === upstream) {
          assert.ok(writing.ok && writing.body.includes(shownBy), `${name} does not pass`);
          continue;
        }
        const may = caller === "chat" ? translated.toMessages : translated.toChat;
        const done: Translated = writing.ok
          ? writing.body.includes(shownBy)
            ? "kept"
            : "dropped"
          : "refused";
        assert.ok(may.includes(done), `${name} is ${done}, and not ${may.join(" or ")}`);
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
