/**
 * Guarantee: usage is believed exactly as far as its own arithmetic goes; totals overwrite, zero is
 * zero, absent is absent (hazards §4, §17, §21).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { mergeUsage, readMessagesUsage, renderMessagesUsage } from "./read-usage.ts";

const valid = (usage: object, samplings = 1) => ({
  kind: "valid",
  usage: { ...NO_USAGE, ...usage },
  samplings,
});
const partial = (known: string, usage: object) => ({
  kind: "partial",
  known,
  usage: { ...NO_USAGE, ...usage },
  samplings: 1,
});

test("each form of a believable usage: cached tokens come on top of the input, thinking is in the output", () => {
  const table: [unknown, object][] = [
    [
      { input_tokens: 10, output_tokens: 5 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [
      {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      {},
    ],
    [
      {
        input_tokens: 10,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 30,
        output_tokens: 5,
      },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 5 },
    ],
    [
      {
        input_tokens: 1,
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        output_tokens: 5,
      },
      { inputTokens: 1, cacheWrite5mTokens: 10, cacheWrite1hTokens: 20, outputTokens: 5 },
    ],
    // The split without the total is the total.
    [
      {
        input_tokens: 1,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        output_tokens: 5,
      },
      { inputTokens: 1, cacheWrite5mTokens: 10, cacheWrite1hTokens: 20, outputTokens: 5 },
    ],
    // The total has grown since the split was told.
    [
      {
        input_tokens: 1,
        cache_creation_input_tokens: 50,
        cache_creation: { ephemeral_1h_input_tokens: 20 },
        output_tokens: 5,
      },
      { inputTokens: 1, cacheWrite5mTokens: 30, cacheWrite1hTokens: 20, outputTokens: 5 },
    ],
    [
      {
        input_tokens: 1,
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 5 },
        cache_creation: null,
        server_tool_use: null,
      },
      { inputTokens: 1, outputTokens: 5, reasoningTokens: 5 },
    ],
    // A compaction on the way is billed too, and is not in the totals; the other iterations are.
    [
      {
        input_tokens: 100,
        output_tokens: 10,
        iterations: [
          {
            type: "compaction",
            input_tokens: 1000,
            cache_read_input_tokens: 7,
            cache_creation_input_tokens: 3,
            output_tokens: 40,
          },
          { type: "message", input_tokens: 100, output_tokens: 10 },
        ],
      },
      { inputTokens: 1100, cachedInputTokens: 7, cacheWrite5mTokens: 3, outputTokens: 50 },
    ],
  ];
  for (const [raw, usage] of table) {
    const { iterations = [] } = raw as { iterations?: unknown[] };
    assert.deepEqual(
      readMessagesUsage(raw),
      valid(usage, Math.max(1, iterations.length)),
      JSON.stringify(raw),
    );
  }
});

test("how often the model ran: for every iteration, and again after every tool that the upstream itself used, within reason", () => {
  const runs = (raw: object): number => {
    const reading = readMessagesUsage({ input_tokens: 1, output_tokens: 1, ...raw });
    assert.ok(reading.kind === "valid");
    return reading.samplings;
  };
  assert.equal(runs({ server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } }), 5);
  assert.equal(runs({ server_tool_use: { web_search_requests: -3 }, iterations: "many" }), 1);
  assert.equal(
    runs({
      iterations: Array.from({ length: 3 }, () => ({ type: "message" })),
      server_tool_use: { web_search_requests: 1 },
    }),
    3,
  );
  assert.equal(runs({ server_tool_use: { web_search_requests: 5_000_000_000 } }), 100);
});

test("nothing said is absent, not zero; one side said is partial", () => {
  for (const raw of [undefined, null, {}, { output_tokens: null }, { service_tier: "standard" }]) {
    assert.deepEqual(readMessagesUsage(raw), { kind: "absent" });
  }
  assert.deepEqual(
    readMessagesUsage({ input_tokens: 7, cache_read_input_tokens: 3 }),
    partial("input", { inputTokens: 7, cachedInputTokens: 3 }),
  );
  assert.deepEqual(readMessagesUsage({ input_tokens: 0 }), partial("input", {}));
  assert.deepEqual(readMessagesUsage({ output_tokens: 7 }), partial("output", { outputTokens: 7 }));
});

test("digits in a text are a count, as protobuf writes one", () => {
  const usage = {
    input_tokens: "10",
    cache_read_input_tokens: "4",
    output_tokens: "5",
    server_tool_use: { web_search_requests: "2" },
  };
  const counts = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5 };
  assert.deepEqual(
    readMessagesUsage(usage),
    valid(counts, 3),
    "each search runs the model once more",
  );
  const kept = mergeUsage({ input_tokens: "10" }, { input_tokens: "0", output_tokens: "5" });
  assert.deepEqual(
    readMessagesUsage(kept),
    valid({ inputTokens: 10, outputTokens: 5 }),
    "zeros at the end take nothing away",
  );
});

test("what cannot be a count of tokens is not believed", () => {
  const counts = [
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    "",
    " 5",
    "05",
    "5.0",
    "1e3",
    "-5",
    "9007199254740992",
    "many",
    true,
    {},
  ];
  const fields = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
  ];
  const good = { input_tokens: 1, output_tokens: 1 };
  for (const count of counts) {
    const bad = fields.map((field) => ({ ...good, [field]: count }));
    for (const raw of bad)
      assert.equal(readMessagesUsage(raw).kind, "unbelievable", JSON.stringify(raw));
    const odd = [
      { cache_creation: { ephemeral_5m_input_tokens: count } },
      { cache_creation: { ephemeral_1h_input_tokens: count } },
      { output_tokens_details: { thinking_tokens: count } },
      { iterations: [{ type: "compaction", input_tokens: count }] },
    ];
    for (const detail of odd) {
      const reading = readMessagesUsage({ ...good, ...detail });
      assert.ok(reading.kind === "valid" && reading.note !== undefined, JSON.stringify(detail));
      assert.deepEqual(
        reading.usage,
        { ...NO_USAGE, inputTokens: 1, outputTokens: 1 },
        "what is no detail leaves the totals",
      );
    }
  }
  const most = Number.MAX_SAFE_INTEGER;
  for (const raw of [
    "many",
    [],
    7,
    {
      input_tokens: most,
      output_tokens: 1,
      iterations: [{ type: "compaction", input_tokens: most }],
    },
  ]) {
    assert.equal(readMessagesUsage(raw).kind, "unbelievable", JSON.stringify(raw));
  }
});

test("one odd detail is cut to fit and noted, and the totals stand", () => {
  const table: [object, object][] = [
    [
      { input_tokens: 1, output_tokens: 10, output_tokens_details: { thinking_tokens: 11 } },
      { inputTokens: 1, outputTokens: 10, reasoningTokens: 10 },
    ],
    [
      {
        input_tokens: 1,
        cache_creation_input_tokens: 5,
        cache_creation: { ephemeral_1h_input_tokens: 20 },
        output_tokens: 5,
      },
      { inputTokens: 1, cacheWrite1hTokens: 5, outputTokens: 5 },
    ],
  ];
  for (const [raw, usage] of table) {
    const reading = readMessagesUsage(raw);
    assert.ok(reading.kind === "valid", JSON.stringify(raw));
    assert.deepEqual(reading.usage, { ...NO_USAGE, ...usage });
    assert.match(reading.note ?? "", /do not fit/);
  }
});

test("a later zero takes no stated figure of the output away", () => {
  const before = {
    input_tokens: 1000,
    output_tokens: 200,
    output_tokens_details: { thinking_tokens: 50 },
  };
  const zeros = {
    input_tokens: 0,
    output_tokens: 0,
    output_tokens_details: { thinking_tokens: 0 },
  };
  assert.deepEqual(mergeUsage(before, zeros), before);
  assert.deepEqual(mergeUsage({ output_tokens: 0 }, { output_tokens: 3 }), { output_tokens: 3 });
});

test("a later total takes the place of the one before, a null says nothing", () => {
  const before = { input_tokens: 5, cache_read_input_tokens: 9, output_tokens: null };
  assert.deepEqual(
    mergeUsage(before, {
      input_tokens: null,
      cache_read_input_tokens: 0,
      output_tokens: 3,
      server_tool_use: null,
    }),
    {
      input_tokens: 5,
      cache_read_input_tokens: 0,
      output_tokens: 3,
      server_tool_use: null,
    },
  );
  assert.deepEqual(before, { input_tokens: 5, cache_read_input_tokens: 9, output_tokens: null });
  for (const nothing of [undefined, null, 5, "x", []])
    assert.deepEqual(mergeUsage(before, nothing), before);
  assert.equal(
    Object.getPrototypeOf(mergeUsage({}, JSON.parse('{"__proto__":{"p":1}}'))),
    Object.prototype,
  );
});

test("zeros alone do not take away what is known of a prompt, as no prompt is empty", () => {
  const before = { input_tokens: 5, cache_read_input_tokens: 9, output_tokens: null };
  const zeros = {
    input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: null,
    output_tokens: 3,
  };
  assert.deepEqual(mergeUsage(before, zeros), {
    ...before,
    cache_creation_input_tokens: null,
    output_tokens: 3,
  });
  const cached = { input_tokens: 0, cache_read_input_tokens: 14 };
  assert.deepEqual(
    mergeUsage(before, cached),
    { ...before, ...cached },
    "all of it came from the cache",
  );
  assert.deepEqual(mergeUsage({ input_tokens: 0 }, { input_tokens: 0, output_tokens: 0 }), {
    input_tokens: 0,
    output_tokens: 0,
  });
});

test("what the gateway renders it reads back", () => {
  for (const usage of [
    NO_USAGE,
    {
      ...NO_USAGE,
      inputTokens: 7,
      cachedInputTokens: 3,
      cacheWrite5mTokens: 4,
      cacheWrite1hTokens: 5,
      outputTokens: 9,
      reasoningTokens: 2,
    },
  ]) {
    assert.deepEqual(readMessagesUsage(renderMessagesUsage(usage)), valid(usage));
  }
});
