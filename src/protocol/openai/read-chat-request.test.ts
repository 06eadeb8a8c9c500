/**
 * Guarantee: a request is refused only for what is wrong, measured for its hold, and sent on with
 * only the named values changed (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ChatRequest } from "../chat-request.ts";
import { readChatRequest } from "./read-chat-request.ts";

const USER = { role: "user", content: "Привет!" };

function read(body: unknown): ChatRequest {
  const reading = readChatRequest(
    Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  );
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  return reading.request;
}

function refusal(body: unknown): { message: string; param: string | undefined } {
  const reading = readChatRequest(
    Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  );
  assert.ok(!reading.ok);
  assert.equal(reading.fault.code, "invalid_request");
  return { message: reading.fault.message, param: reading.fault.details.param };
}

test("what the gateway reads", () => {
  const plain = read({ model: "m", messages: [USER] });
  assert.deepEqual(
    [plain.model, plain.stream, plain.includeUsage, plain.maxTokens, plain.n, plain.images],
    ["m", false, false, null, 1, 0],
  );
  const full = read({
    model: "m",
    messages: [USER],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 5,
    max_completion_tokens: 7,
    n: 3,
  });
  assert.deepEqual([full.stream, full.includeUsage, full.maxTokens, full.n], [true, true, 7, 3]);
  const nulls = read({
    model: "m",
    messages: [USER],
    stream: null,
    stream_options: null,
    max_tokens: 5,
    max_completion_tokens: null,
    n: null,
  });
  assert.deepEqual(
    [nulls.stream, nulls.includeUsage, nulls.maxTokens, nulls.n],
    [false, false, 5, 1],
  );
});

test("the first mistake is told with its field, the others are counted", () => {
  assert.deepEqual(refusal({ model: "m", messages: [{ role: "user", content: 1 }] }), {
    message: "'messages[0].content' must be a string, an array or null.",
    param: "messages[0].content",
  });
  assert.deepEqual(
    refusal({ model: "m", messages: [{ role: "user", content: 1 }], temperature: 3 }),
    {
      message:
        "'messages[0].content' must be a string, an array or null. There is 1 more mistake in the body.",
      param: "messages[0].content",
    },
  );
  assert.match(refusal({}).message, /^'model' is required\. There is 1 more mistake/);
});

test("nothing that sets the price may be ambiguous", () => {
  const ask = (rest: string) => `{"messages":[{"role":"user","content":"x"}],${rest}}`;
  assert.equal(refusal(ask('"model":"a","model":"b"')).param, "model");
  assert.equal(refusal(ask('"model":"a","Model":"b"')).param, "Model");
  assert.equal(refusal(ask('"model":"a","stream":false,"stream":true')).param, "stream");
  assert.equal(refusal(ask('"model":"a","max_tokens":1,"MAX_TOKENS":100000')).param, "MAX_TOKENS");
  assert.equal(refusal(ask('"model":"a","n":1,"N":9')).param, "N");
  assert.equal(
    refusal(ask('"model":"a","stream_options":{"include_usage":true,"Include_Usage":false}')).param,
    "stream_options.Include_Usage",
  );
  assert.equal(
    refusal('{"__proto__":{"model":"a","messages":[{"role":"user","content":"x"}]}}').param,
    "model",
  );
});

test("the estimate counts everything that is prompt", () => {
  const base = read({ model: "m", messages: [USER] }).inputTokens;
  const grows: [string, object, number][] = [
    ["text", { messages: [{ role: "user", content: "слово ".repeat(100) }] }, 100],
    [
      "text part",
      { messages: [{ role: "user", content: [{ type: "text", text: "слово ".repeat(100) }] }] },
      100,
    ],
    [
      "unknown part",
      {
        messages: [
          { role: "user", content: [{ type: "document", body: { text: "слово ".repeat(100) } }] },
        ],
      },
      100,
    ],
    [
      "tool arguments",
      {
        messages: [
          USER,
          {
            role: "assistant",
            tool_calls: [
              {
                id: "c",
                type: "function",
                function: { name: "f", arguments: "слово ".repeat(100) },
              },
            ],
          },
        ],
      },
      100,
    ],
    [
      "reasoning",
      {
        messages: [
          USER,
          { role: "assistant", content: "", reasoning_content: "слово ".repeat(100) },
        ],
      },
      100,
    ],
    [
      "sealed reasoning",
      {
        messages: [
          USER,
          {
            role: "assistant",
            reasoning_details: [{ type: "reasoning.text", text: "слово ".repeat(100) }],
          },
        ],
      },
      100,
    ],
    [
      "hidden reasoning",
      {
        messages: [
          USER,
          {
            role: "assistant",
            reasoning_details: [{ type: "reasoning.encrypted", data: "aB3 ".repeat(100) }],
          },
        ],
      },
      100,
    ],
    [
      "many messages",
      { messages: Array.from({ length: 100 }, () => ({ role: "user", content: "" })) },
      300,
    ],
    [
      "tools",
      {
        messages: [USER],
        tools: [{ type: "function", function: { name: "f", description: "слово ".repeat(100) } }],
      },
      100,
    ],
    [
      "functions",
      { messages: [USER], functions: [{ name: "f", description: "слово ".repeat(100) }] },
      100,
    ],
    [
      "schema",
      {
        messages: [USER],
        response_format: {
          type: "json_schema",
          json_schema: { name: "s", schema: { description: "слово ".repeat(100) } },
        },
      },
      100,
    ],
    [
      "image",
      {
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: "https://x/y.png" } }] },
        ],
      },
      1000,
    ],
    [
      "audio",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "input_audio", input_audio: { data: "A".repeat(100_000), format: "mp3" } },
            ],
          },
        ],
      },
      500,
    ],
    [
      "file",
      {
        messages: [
          { role: "user", content: [{ type: "file", file: { file_data: "A".repeat(100_000) } }] },
        ],
      },
      10_000,
    ],
    [
      "video",
      {
        messages: [
          { role: "user", content: [{ type: "video_url", video_url: { url: "https://x" } }] },
        ],
      },
      10_000,
    ],
  ];
  for (const [name, rest, least] of grows) {
    const { inputTokens } = read({ model: "m", ...rest });
    assert.ok(inputTokens >= base + least - 20, `${name}: ${inputTokens}`);
  }
});

test("image data is an image, not text, however large", () => {
  const image = (url: string, detail?: string) => ({
    type: "image_url",
    image_url: { url, ...(detail === undefined ? {} : { detail }) },
  });
  const url = `data:image/png;base64,${"iVBORw0KGgo".repeat(100_000)}`;
  const request = read({
    model: "m",
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: "Что это?" }, image(url), image("https://x/y.png", "low")],
      },
    ],
  });
  assert.equal(request.images, 2);
  assert.ok(request.inputTokens < 4000);
  assert.ok(request.overheadTokens < request.inputTokens);
  assert.equal(request.promptText(), "Что это?");
  const [message] = request.body["messages"] as { content: { image_url?: { url: string } }[] }[];
  assert.equal(message?.content[1]?.image_url?.url, url);
});

test("a text that begins as media does is counted as the text that it is", () => {
  const words = "слово ".repeat(5000);
  const ask = (text: string, content: unknown = text) =>
    read({ model: "m", messages: [{ role: "user", content }] });
  const least = ask(words).inputTokens;
  for (const start of ["data:image/png,", "data:image/png;base64,", "data:", "data:text/plain,"]) {
    const text = start + words;
    for (const request of [ask(text), ask(text, [{ type: "text", text }])]) {
      assert.ok(request.inputTokens >= least, `${start} ${request.inputTokens}`);
      assert.equal(request.promptText(), text);
    }
    const tool = read({
      model: "m",
      messages: [USER],
      tools: [{ type: "function", function: { name: "f", description: text } }],
    });
    assert.ok(tool.inputTokens >= least, `${start} in a tool: ${tool.inputTokens}`);
  }
});

test("the prompt text is every text once, in order", () => {
  const request = read({
    model: "m",
    messages: [
      { role: "system", content: "один" },
      { role: "user", name: "два", content: [{ type: "text", text: "три" }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ function: { name: "четыре", arguments: "пять" } }],
      },
    ],
    tools: [{ type: "function", function: { name: "шесть" } }],
  });
  assert.equal(
    request.promptText(),
    'один\nтри\nдва\nчетыре\nпять\n{"type":"function","function":{"name":"шесть"}}',
  );
});

test("large numbers, 1.0, order, white space and escapes are sent on as they came", () => {
  const body = String.raw`{ "seed" : 12345678901234567890 , "model":"a\u002fb", "top_p":1.0,
    "messages":[{"role":"user","content":"\u043f\/ \ud83d\ude00"}], "stream_options" : { "include_obfuscation":false } }`;
  const request = read(body);
  assert.equal(request.model, "a/b");
  const edited = request.rewrite({ model: "up", stream: true, includeUsage: true }).toString();
  assert.equal(
    edited,
    body
      .replace(String.raw`"a\u002fb"`, '"up"')
      .replace(
        '"include_obfuscation":false }',
        '"include_obfuscation":false ,"include_usage":true}',
      )
      .replace(/ \}$/, ' ,"stream":true}'),
  );
});

test("nothing to change: the very same bytes", () => {
  const body =
    '{"model":"m","messages":[{"role":"user","content":"x"}],"stream":true,"stream_options":{"include_usage":true}}';
  assert.equal(
    read(body).rewrite({ model: "m", stream: true, includeUsage: true }).toString(),
    body,
  );
  assert.equal(read(body).rewrite({ model: "m", includeUsage: false }).toString(), body);
  const plain = '{"model":"m","messages":[{"role":"user","content":"x"}],"stream":null}';
  assert.equal(
    read(plain).rewrite({ model: "m", stream: false, includeUsage: false }).toString(),
    plain,
  );
});

test("where the upstream refuses it the usage is not asked for, and what the caller says of it is taken back", () => {
  const plain = '{"model":"m","messages":[{"role":"user","content":"x"}],"stream":true}';
  const never = (body: string): string =>
    read(body).rewrite({ model: "m", stream: true, includeUsage: "never" }).toString();
  const asking = (options: string): string => plain.replace(/\}$/, `,"stream_options":${options}}`);
  assert.equal(never(plain), plain);
  assert.equal(never(asking('{"include_usage":true}')), asking("null"));
});

test("include_usage is set wherever it stands, and twice where it stands twice", () => {
  const ask = (options: string) =>
    `{"model":"m","messages":[{"role":"user","content":"x"}],"stream_options":${options}}`;
  for (const [before, after] of [
    ["{}", '{"include_usage":true}'],
    ["null", '{"include_usage":true}'],
    ['{"include_usage":false}', '{"include_usage":true}'],
    ['{"include_usage":null,"x":1}', '{"include_usage":true,"x":1}'],
    ['{"include_usage":true,"include_usage":false}', '{"include_usage":true,"include_usage":true}'],
    ['{"include_usage":false,"include_usage":true}', '{"include_usage":true,"include_usage":true}'],
    ['{"x":{"include_usage":false}}', '{"x":{"include_usage":false},"include_usage":true}'],
  ] as const) {
    assert.equal(
      read(ask(before)).rewrite({ model: "m", includeUsage: true }).toString(),
      ask(after),
    );
  }
});

test("any request, any edit: parsed again it is the request with the edit, and every untouched member has its old bytes", () => {
  const request = fc.record(
    {
      model: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
      messages: fc.constant([USER, { role: "assistant", content: 'a"\\😀' }]),
      stream: fc.constantFrom(true, false, null),
      stream_options: fc.option(
        fc.record(
          { include_usage: fc.constantFrom(true, false, null), other: fc.jsonValue() },
          { requiredKeys: [] },
        ),
      ),
      extra: fc.jsonValue(),
      [" "]: fc.jsonValue(),
    },
    { requiredKeys: ["model", "messages"] },
  );
  const edit = fc.record(
    {
      model: fc.string({ unit: "binary", maxLength: 10 }),
      stream: fc.boolean(),
      includeUsage: fc.boolean(),
    },
    { requiredKeys: ["model", "includeUsage"] },
  );
  fc.assert(
    fc.property(request, edit, fc.constantFrom(0, 1, "\t"), (source, change, indent) => {
      const sent = JSON.stringify(source, null, indent);
      const got = read(sent).rewrite(change).toString();
      const expected: Record<string, unknown> = { ...JSON.parse(sent), model: change.model };
      if (change.stream !== undefined && change.stream !== (source.stream === true))
        expected["stream"] = change.stream;
      if (change.includeUsage)
        expected["stream_options"] = { ...source.stream_options, include_usage: true };
      assert.deepEqual(JSON.parse(got), JSON.parse(JSON.stringify(expected)));
      for (const name of ["messages", "extra", " "] as const) {
        if (!(name in source)) continue;
        const member = `${JSON.stringify(name)}:${indent === 0 ? "" : " "}${JSON.stringify(source[name], null, indent).replaceAll("\n", `\n${indent === "\t" ? "\t" : " ".repeat(Number(indent))}`)}`;
        assert.ok(got.includes(member), `${got} keeps ${member}`);
      }
    }),
    { numRuns: 500 },
  );
});

test("released, a request still answers the same", () => {
  const image = `data:image/png;base64,${"iVBORw0K".repeat(4000)}`;
  const bodies = [
    {
      model: "m",
      messages: [USER],
      stream: true,
      stream_options: { include_usage: false },
      max_tokens: 5,
      n: 2,
    },
    {
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: image } },
            { type: "text", text: "Что?" },
          ],
        },
      ],
    },
    {
      model: "m",
      messages: [{ role: "user", content: [{ type: "text", text: image }] }],
      tools: [{ type: "function", function: { name: "f" } }],
    },
  ];
  for (const body of bodies) {
    const request = read(body);
    const answers = () => [
      { ...request, object: null },
      request.promptText(),
      request.body,
      request.neutral(),
      request.rewrite({ model: "m", includeUsage: false }),
      request.rewrite({ model: "other", stream: true, includeUsage: true }),
    ];
    const before = answers();
    request.release();
    assert.deepEqual(answers(), before);
    for (const answer of [
      () => request.rewrite({ model: "other", stream: true, includeUsage: true }),
      () => request.neutral(),
      () => request.body,
      () => request.promptText(),
    ]) {
      // Whichever is asked for first.
      const asked = answer();
      request.release();
      assert.deepEqual(answer(), asked);
      request.release();
    }
  }
});

test("any bytes are a request or a refusal, never an exception", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readChatRequest(bytes)));
  fc.assert(fc.property(fc.json(), (text) => void readChatRequest(Buffer.from(text))));
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (content, tools) => {
      const reading = readChatRequest(
        Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content }], tools })),
      );
      if (reading.ok) reading.request.promptText();
    }),
  );
});
