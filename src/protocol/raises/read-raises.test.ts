/**
 * Guarantee: what makes an upstream dearer is known before it is asked, and what makes nothing
 * dearer is not taken for it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_RAISES, VARIANT_FIELDS, type PriceRaise } from "../../kernel/price-raises.ts";
import { readMessagesRequest } from "../anthropic/read-messages-request.ts";
import type { ChatRequestReading } from "../chat-request.ts";
import { readChatRequest } from "../openai/read-chat-request.ts";
import { FREE_FIELDS, RAISING_FIELDS } from "./raising-fields.ts";
import { readRaises } from "./read-raises.ts";
import { VENDOR_TOOLS } from "./vendor-tools.ts";

const tool = (type: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  tools: [{ type, name: "t", ...more }],
});
const parts = (...content: object[]): Record<string, unknown> => ({
  messages: [{ role: "user", content }],
});

const PROTOCOLS: Readonly<Record<string, (body: Uint8Array) => ChatRequestReading>> = {
  "Chat Completions": readChatRequest,
  Messages: readMessagesRequest,
};

/** As a request of the protocol has it. */
function raisesOf(
  read: (body: Uint8Array) => ChatRequestReading,
  body: Record<string, unknown>,
): readonly PriceRaise[] {
  const whole = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "a" }], ...body };
  const reading = read(Buffer.from(JSON.stringify(whole)));
  assert.ok(reading.ok, JSON.stringify(body));
  return reading.request.raises;
}

const variant = (
  param: string,
  field: (typeof VARIANT_FIELDS)[number],
  value: string,
): PriceRaise => ({
  kind: "variant",
  param,
  field,
  value,
});
const unpriced = (param: string, name: string): PriceRaise => ({ kind: "unpriced", param, name });
const called = (param: string, name: string, maxUses: number | null = null): PriceRaise => ({
  kind: "tool",
  param,
  tool: name,
  maxUses,
});

const RAISING: readonly [Record<string, unknown>, PriceRaise[]][] = [
  [{ service_tier: "priority" }, [variant("service_tier", "serviceTier", "priority")]],
  [{ service_tier: "fast" }, [variant("service_tier", "serviceTier", "priority")]],
  [{ service_tier: "PRIORITY" }, [variant("service_tier", "serviceTier", "PRIORITY")]],
  [{ service_tier: ["auto"] }, [variant("service_tier", "serviceTier", '["auto"]')]],
  [{ serviceTier: "flex" }, [variant("serviceTier", "serviceTier", "flex")]],
  [{ speed: "fast" }, [variant("speed", "speed", "fast")]],
  [{ inference_geo: "us" }, [variant("inference_geo", "inferenceGeo", "us")]],
  [
    { extra_body: { service_tier: "priority" } },
    [variant("extra_body.service_tier", "serviceTier", "priority")],
  ],
  [
    { extra_body: { extra_body: { speed: "fast" } } },
    [variant("extra_body.extra_body.speed", "speed", "fast")],
  ],
  [{ web_search_options: {} }, [called("web_search_options", "web_search")]],
  [tool("web_search_20250305", { max_uses: 10 }), [called("tools[0]", "web_search", 10)]],
  [tool("web_search_20260318", { max_uses: -1 }), [called("tools[0]", "web_search")]],
  [tool("web_search_preview_2025_03_11"), [called("tools[0]", "web_search")]],
  [tool("openrouter:web_search"), [called("tools[0]", "web_search")]],
  [tool("code_execution_20250825"), [called("tools[0]", "code_execution")]],
  [{ tools: [{ googleSearch: {} }] }, [called("tools[0]", "google_search")]],
  [
    tool("function", { function: { name: "f" }, google_search: {} }),
    [called("tools[0]", "google_search")],
  ],
  [tool("advisor_20260301", { model: "claude-opus-4-8" }), [unpriced("tools[0]", "advisor")]],
  [tool("teleport_20990101"), [unpriced("tools[0]", "teleport")]],
  [tool("builtin_function"), [unpriced("tools[0]", "builtin_function")]],
  [{ tools: [{ type: 7 }] }, [unpriced("tools[0]", "7")]],
  [
    { modalities: ["text", "audio"] },
    [{ kind: "media", param: "modalities", media: "audioOutput" }],
  ],
  [
    { modalities: ["image", "text"] },
    [{ kind: "media", param: "modalities", media: "imageOutput" }],
  ],
  [{ modalities: ["smell"] }, [unpriced("modalities", "modalities")]],
  [
    { audio: { voice: "alloy", format: "wav" } },
    [{ kind: "media", param: "audio", media: "audioOutput" }],
  ],
  [
    parts(
      { type: "text", text: "a" },
      { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
    ),
    [{ kind: "media", param: "messages[0].content[1]", media: "audioInput" }],
  ],
  [
    parts({ type: "file", file: { file_data: "data:audio/wav;base64,AAAA" } }),
    [{ kind: "media", param: "messages[0].content[0]", media: "audioInput" }],
  ],
  [
    { cache_control: { type: "ephemeral" } },
    [{ kind: "cacheWrite", param: "cache_control", life: "5m" }],
  ],
  [
    parts({ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }),
    [{ kind: "cacheWrite", param: "messages[0].content[0].cache_control", life: "1h" }],
  ],
  [
    parts({ type: "text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } }),
    [{ kind: "cacheWrite", param: "messages[0].content[0].prompt_cache_breakpoint", life: "5m" }],
  ],
  [{ models: ["a", "b"] }, [unpriced("models", "models")]],
  [{ plugins: [{ id: "web" }] }, [unpriced("plugins", "plugins")]],
  [{ provider: { order: ["x"] } }, [unpriced("provider", "provider")]],
  [{ fallbacks: [{ model: "claude-opus-4-8" }] }, [unpriced("fallbacks", "fallbacks")]],
  [{ fallbacks: "default" }, [unpriced("fallbacks", "fallbacks")]],
  [{ search_parameters: { mode: "auto" } }, [unpriced("search_parameters", "search_parameters")]],
  [{ enable_search: true }, [unpriced("enable_search", "enable_search")]],
  [
    { extra_body: { enable_search: true } },
    [unpriced("extra_body.enable_search", "enable_search")],
  ],
  [
    { extra_body: { google: { tools: [{ google_search: {} }] } } },
    [unpriced("extra_body.google", "google")],
  ],
  [{ extra_body: "x" }, [unpriced("extra_body", "extra_body")]],
  [{ prediction: { type: "content", content: "a" } }, [unpriced("prediction", "prediction")]],
  [{ deferred: true }, [unpriced("deferred", "deferred")]],
  [{ web_search: { enable: true } }, [called("web_search", "web_search")]],
  [
    { prompt_cache_options: { mode: "explicit", ttl: "12h" } },
    [{ kind: "cacheWrite", param: "prompt_cache_options.ttl", life: "1h" }],
  ],
  [tool("shell", { environment: { type: "container_auto" } }), [called("tools[0]", "shell")]],
  [tool("mcp", { server_url: "https://example.com" }), [unpriced("tools[0]", "mcp")]],
  [
    tool("code_interpreter", { container: { type: "auto", memory_limit: "64g" } }),
    [
      called("tools[0]", "code_interpreter"),
      unpriced("tools[0].container.memory_limit", "code_interpreter.memory_limit"),
    ],
  ],
  [
    tool("image_generation", { model: "gpt-image-9", quality: "max" }),
    [
      called("tools[0]", "image_generation"),
      unpriced("tools[0].model", "image_generation.model"),
      unpriced("tools[0].quality", "image_generation.quality"),
    ],
  ],
  [
    tool("image_generation", { quality: "high", size: "1024x1024", partial_images: 0 }),
    [called("tools[0]", "image_generation")],
  ],
];

const ORDINARY: readonly Record<string, unknown>[] = [
  {},
  ...["auto", "default", "standard", "standard_only", null].map((tier) => ({ service_tier: tier })),
  ...[...RAISING_FIELDS.keys()].map((name) => ({ [name]: null })),
  { speed: "standard", inference_geo: "global", modalities: ["text"] },
  {
    future_field: "priority",
    thinking: { type: "adaptive" },
    reasoning_effort: "high",
    store: true,
    verbosity: "low",
  },
  ...[...VENDOR_TOOLS].flatMap(([type, { kind }]) =>
    kind === "client" || kind === "free" ? [tool(`${type}_20250124`), tool(type)] : [],
  ),
  {
    tools: [
      { name: "t", input_schema: { properties: { cache_control: { ttl: "1h" }, file_id: "x" } } },
    ],
  },
  {
    messages: [
      {
        role: "assistant",
        content: [
          {
            type: "tool_use",
            id: "c",
            name: "t",
            input: { cache_control: { ttl: "1h" }, file_id: "f" },
          },
        ],
      },
    ],
  },
  {
    models: [],
    plugins: [],
    provider: {},
    search_parameters: { mode: "off" },
    enable_search: false,
    web_search: { enable: false },
  },
  { extra_body: { google: { thinking_config: { thinking_budget: 0 } } } },
  { prompt_cache_options: { mode: "implicit" } },
  { prompt_cache_options: { ttl: "30m" } },
  tool("shell", { environment: { type: "local" } }),
];

for (const [protocol, read] of Object.entries(PROTOCOLS)) {
  test(`${protocol}: what makes a request dearer is read by the path of its field`, () => {
    for (const [body, expected] of RAISING)
      assert.deepEqual(raisesOf(read, body), expected, JSON.stringify(body));
  });

  test(`${protocol}: what asks for nothing dearer makes no list`, () => {
    for (const body of ORDINARY)
      assert.equal(raisesOf(read, body), NO_RAISES, JSON.stringify(body));
  });

  test(`${protocol}: a field that decides the price comes once and by its exact name`, () => {
    for (const twice of [
      '"service_tier":"auto","service_tier":"priority"',
      '"Service_Tier":"priority"',
      '"speed":"fast","speed":null',
    ]) {
      const reading = read(
        Buffer.from(
          `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"}],${twice}}`,
        ),
      );
      assert.equal(reading.ok, false, twice);
    }
  });

  test(`${protocol}: the longest life of what is marked is the life of the cache`, () => {
    const marks = parts(
      { type: "text", text: "a", cache_control: { type: "ephemeral" } },
      { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } },
    );
    const reading = read(Buffer.from(JSON.stringify({ model: "m", max_tokens: 9, ...marks })));
    assert.ok(
      reading.ok && reading.request.cacheTtl === "1h" && reading.request.raises.length === 2,
    );
  });
}

test("each kind of variant has a field that asks for it, and nothing is both dear and free", () => {
  const asked = [...RAISING_FIELDS.values()].flatMap(({ meaning }) =>
    meaning.kind === "variant" ? [meaning.field] : [],
  );
  assert.deepEqual(asked.toSorted(), [...VARIANT_FIELDS].toSorted());
  for (const name of FREE_FIELDS.keys()) assert.ok(!RAISING_FIELDS.has(name), name);
  // The catalogue's `free` names fields and tools alike: a field that it allows must not allow a
  // paid tool.
  const paid = new Set(
    [...VENDOR_TOOLS].flatMap(([type, { kind, name }]) =>
      kind === "paid" ? [type, name ?? type] : [],
    ),
  );
  for (const [name, { meaning }] of RAISING_FIELDS)
    assert.ok(meaning.kind !== "unpriced" || !paid.has(name), name);
});

/** Objects in the operator's account at a vendor, by the path under which each is refused. */
const FOREIGN: readonly [string, Record<string, unknown>][] = [
  ["previous_response_id", { previous_response_id: "resp_1" }],
  ["conversation", { conversation: { id: "conv_1" } }],
  ["container", { container: "container_1" }],
  ["container", { container: { id: "container_1" } }],
  ["container", { container: { skills: [{ type: "custom", skill_id: "skill_1" }] } }],
  ["prompt", { prompt: { id: "pmpt_1" } }],
  ["cached_content", { cached_content: "cachedContents/1" }],
  [
    "extra_body.google.cached_content",
    { extra_body: { google: { cached_content: "cachedContents/1" } } },
  ],
  [
    "prompt_cache_options",
    { prompt_cache_options: { comparison_response_id: "resp_1", ttl: "30m" } },
  ],
  [
    "tools[0].environment.container_id",
    tool("shell", { environment: { type: "container_reference", container_id: "cntr_1" } }),
  ],
  ["tools[0].tunnel_id", tool("mcp", { tunnel_id: "tunnel_1" })],
  ["tools[0].vector_store_ids", tool("file_search", { vector_store_ids: ["vs_1"] })],
  ["tools[0].container", tool("code_interpreter", { container: "cntr_1" })],
  [
    "tools[0].container.file_ids",
    tool("code_interpreter", { container: { type: "auto", file_ids: ["file_1"] } }),
  ],
  ["messages[0].content[0].file.file_id", parts({ type: "file", file: { file_id: "file_1" } })],
  [
    "messages[0].content[0].source.file_id",
    parts({ type: "image", source: { type: "file", file_id: "file_1" } }),
  ],
  ["messages[0].content[0].file_id", parts({ type: "container_upload", file_id: "file_1" })],
  [
    "messages[0].audio.id",
    { messages: [{ role: "assistant", content: "a", audio: { id: "audio_1" } }] },
  ],
];

test("an object of the operator's account at a vendor is refused by the path of its id, in each protocol", () => {
  for (const [protocol, read] of Object.entries(PROTOCOLS)) {
    for (const [param, body] of FOREIGN) {
      const whole = {
        model: "m",
        max_tokens: 9,
        messages: [{ role: "user", content: "a" }],
        ...body,
      };
      const reading = read(Buffer.from(JSON.stringify(whole)));
      assert.ok(!reading.ok && reading.fault.status === 400, `${protocol} ${param}`);
      assert.equal(reading.fault.details.param, param, protocol);
      assert.match(reading.fault.message, /provider's account/);
    }
  }
});

test("what only looks like an id of such an object passes", () => {
  const table: Record<string, unknown>[] = [
    { prompt: "a text", container: null, previous_response_id: null, vector_store_ids: [] },
    { container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } },
    {
      messages: [
        {
          role: "assistant",
          content: [
            {
              type: "bash_code_execution_tool_result",
              content: {
                type: "bash_code_execution_result",
                content: [{ type: "bash_code_execution_output", file_id: "f" }],
              },
            },
            { type: "text", text: "a", citations: [{ type: "char_location", file_id: "f" }] },
          ],
        },
      ],
    },
  ];
  for (const body of table) assert.ok(readRaises(body).ok, JSON.stringify(body));
});
