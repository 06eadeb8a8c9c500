/**
 * Protects: a JSON schema goes out in the words of each protocol, and one that cannot be read is
 * never left out silently.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMPLE_SCHEMA, FIRST_SETTINGS, isSendable, readSchema } from "./chat-settings.ts";
import type { ChatSettings } from "./chat-settings.ts";
import { DIALECTS, SPOKEN_PROTOCOLS } from "./chat-dialect.ts";

const schema = JSON.parse(EXAMPLE_SCHEMA) as object;
const asking: ChatSettings = { ...FIRST_SETTINGS, format: "schema", schema: EXAMPLE_SCHEMA };

test("each protocol is told the schema as its own clients would", () => {
  const sent = SPOKEN_PROTOCOLS.map((protocol) => DIALECTS[protocol].writeRequest("m", asking, []));
  const [openai, anthropic, responses] = sent;
  assert.deepEqual(openai?.["response_format"], {
    type: "json_schema",
    json_schema: { name: "answer", schema, strict: true },
  });
  assert.deepEqual(anthropic?.["output_config"], { format: { type: "json_schema", schema } });
  assert.deepEqual(responses?.["text"], {
    format: { type: "json_schema", name: "answer", schema, strict: true },
  });
});

test("any JSON is asked for where the protocol has a word for it, and text without a word", () => {
  const [openai, anthropic, responses] = SPOKEN_PROTOCOLS.map((protocol) =>
    DIALECTS[protocol].writeRequest("m", { ...asking, format: "json" }, []),
  );
  assert.deepEqual(openai?.["response_format"], { type: "json_object" });
  assert.deepEqual(responses?.["text"], { format: { type: "json_object" } });
  assert.equal(anthropic?.["output_config"], undefined);
  for (const protocol of SPOKEN_PROTOCOLS) {
    const plain = DIALECTS[protocol].writeRequest("m", FIRST_SETTINGS, []);
    assert.deepEqual(
      ["response_format", "output_config", "text"].filter((name) => name in plain),
      [],
    );
  }
});

test("what cannot be read is told and not sent, and only where it would be sent", () => {
  for (const text of ["", "{", "[]", "null", '"object"']) {
    const broken = { ...asking, schema: text };
    assert.notEqual(readSchema(broken).mistake, null, text);
    assert.equal(isSendable(broken), false, text);
    assert.equal(isSendable({ ...broken, format: "text" }), true, text);
  }
  assert.equal(isSendable(asking), true);
  assert.equal(isSendable({ ...FIRST_SETTINGS, tools: "{}" }), false);
  assert.equal(isSendable({ ...FIRST_SETTINGS, temperature: Number.NaN }), false);
});
