/**
 * Guards the catalogue file: what is right compiles exactly, what is wrong is told all at once with
 * its place (contract §12).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import fc from "fast-check";
import { formatRoubles, nano } from "../kernel/money.ts";
import type { ChatModel, TaskModel } from "./catalogue.ts";
import { mistakeLine } from "./live-catalogue.ts";

const ENV = { SANDBOX_URL: "http://127.0.0.1:8090", KEY: "secret-value" };

/** A file with one upstream and one chat model, in which parts can be replaced. */
function file(
  parts: { upstream?: string; model?: string; price?: string; routes?: string; more?: string } = {},
): string {
  return `
upstreams:
  up: { protocol: openai, baseUrl: "https://up.example/v1", apiKeyEnv: KEY${parts.upstream ?? ""} }
models:
  chat-1:
    type: chat
    endpoints: [chat.completions]
    contextTokens: 1000
    maxOutputTokens: 100
    price: ${parts.price ?? '{ input: "1", output: "2" }'}
    routes: ${parts.routes ?? "[ { upstream: up, model: m } ]"}
${parts.model ?? ""}
${parts.more ?? ""}`;
}

function mistakesOf(source: string, env = ENV): string[] {
  const reading = readCatalogue(source, env);
  return reading.ok ? [] : reading.mistakes.map(mistakeLine);
}

function chatModel(source: string): ChatModel {
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  const model = reading.catalogue.models.get("chat-1");
  assert.ok(model?.type === "chat");
  return model;
}

test("the catalogue of the repository is valid and sells the sandbox's models with the families in place", () => {
  const source = readFileSync(new URL("../../catalogue.yaml", import.meta.url), "utf8");
  const reading = readCatalogue(source, { ...ENV, SANDBOX_API_KEY: "x" });
  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.warnings, []);
  const ofType = (type: "chat" | "task"): string[] =>
    [...reading.catalogue.models.values()]
      .filter((model) => model.type === type)
      .map((model) => model.id);
  assert.deepEqual(ofType("chat"), ["sandbox-large", "sandbox-medium", "sandbox-small"]);
  assert.equal(ofType("task").length, 19);
  assert.deepEqual(
    [...reading.catalogue.upstreams.values()].map(({ name, protocol, baseUrl }) => [
      name,
      protocol,
      baseUrl,
    ]),
    [
      ["sandbox-chat", "openai", "http://127.0.0.1:8090/v1"],
      ["sandbox-messages", "anthropic", "http://127.0.0.1:8090"],
      ["sandbox-responses", "responses", "http://127.0.0.1:8090/v1"],
      ["sandbox-media", "kie", "http://127.0.0.1:8090"],
    ],
  );
  assert.deepEqual(
    reading.catalogue.families.tiers.map(({ match, model }) => [match, model]),
    [
      ["opus", "sandbox-large"],
      ["sonnet", "sandbox-medium"],
      ["haiku", "sandbox-small"],
    ],
  );
});

test("what a file leaves out has the documented default", () => {
  const reading = readCatalogue(file(), ENV);
  assert.ok(reading.ok);
  assert.deepEqual(reading.catalogue.upstreams.get("up"), {
    name: "up",
    protocol: "openai",
    baseUrl: "https://up.example/v1",
    apiKeyEnv: ["KEY"],
    timeoutsMs: { connect: 5_000, firstByte: 60_000, idle: 60_000 },
    maxConcurrent: 200,
    onDisconnect: "abort",
    resultHosts: [],
  });
  assert.deepEqual(reading.catalogue.families, { prefix: "claude", tiers: [] });
  const model = chatModel(file());
  assert.deepEqual(
    [model.reasoning, model.imageTokens, model.displayName, model.createdAt],
    [null, 5_000, undefined, undefined],
  );
  assert.deepEqual(model.routes, [{ upstream: "up", model: "m", order: 1, weight: 1, cost: null }]);
});

test("everything a file can say is read", () => {
  const source = file({
    upstream: `, timeoutsMs: { firstByte: 9 }, maxConcurrent: 3, onDisconnect: drain, resultHosts: [127.0.0.1:8090, "[::1]:80", Files.Example, "http://127.0.0.1:8091", "https://Cdn.Example/"]`,
    price:
      "{ input: 1, cachedInput: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2, output: 5, reasoning: 6, image: 0.5, request: 0.01 }",
    routes: `[ { upstream: up, model: a, order: 2, weight: 7, maxConcurrent: 2, cost: { input: "0", output: "0.5" }, countFactor: { input: 1.2, output: "1.65" } } ]`,
    model: `    reasoning: true
    imageTokens: 1500
    displayName: "The First"
    createdAt: 2026-01-31`,
  });
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  const upstream = reading.catalogue.upstreams.get("up");
  assert.deepEqual(upstream?.timeoutsMs, { connect: 5_000, firstByte: 9, idle: 60_000 });
  assert.deepEqual(
    [upstream?.maxConcurrent, upstream?.onDisconnect, upstream?.resultHosts],
    [3, "drain", ["127.0.0.1:8090", "[::1]:80", "files.example", "127.0.0.1:8091", "cdn.example"]],
  );
  const model = chatModel(source);
  assert.deepEqual(
    [model.reasoning, model.imageTokens, model.displayName, model.createdAt?.toISOString()],
    [true, 1_500, "The First", "2026-01-31T00:00:00.000Z"],
  );
  assert.deepEqual(Object.values(model.price).map(formatRoubles), [
    "1",
    "0.1",
    "1.25",
    "2",
    "5",
    "6",
    "0.5",
    "0.01",
  ]);
  const [route] = model.routes;
  assert.deepEqual(
    [route?.order, route?.weight, route?.maxConcurrent, route?.cost?.price.output],
    [2, 7, 2, 500_000_000n],
  );
  assert.deepEqual(route?.countFactor, {
    input: { digits: 12n, scale: 1 },
    output: { digits: 165n, scale: 2 },
  });
});

test("cached input costs what input costs and reasoning what output costs, unless the file says otherwise; images and requests are free then, and cache writes have no price", () => {
  const { price } = chatModel(file());
  assert.deepEqual(Object.values(price).map(formatRoubles), ["1", "1", "2", "2", "0", "0"]);
});

test("an amount is read from its source text, quoted or not, exactly, for every amount that money can have", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10_000_000n * 1_000_000_000n }),
      fc.boolean(),
      (value, quoted) => {
        const text = formatRoubles(nano(value));
        return (
          chatModel(file({ price: `{ input: ${quoted ? `"${text}"` : text}, output: 1.50 }` }))
            .price.input === value
        );
      },
    ),
  );
});

test("a price that is missing, negative, not decimal or too fine is a mistake: an unknown price is never zero", () => {
  for (const [price, message] of [
    ['{ output: "2" }', "line 10: models.chat-1.price.input: required, and missing"],
    ['{ input: "1" }', "line 10: models.chat-1.price.output: required, and missing"],
    ['{ input: , output: "2" }', "line 10: models.chat-1.price.input: required, and missing"],
    ['{ input: null, output: "2" }', "line 10: models.chat-1.price.input: required, and missing"],
    [
      '{ input: "", output: "2" }',
      'line 10: models.chat-1.price.input: roubles are expected as a decimal such as "150" or "4.5", not ""',
    ],
    [
      '{ input: -1, output: "2" }',
      'line 10: models.chat-1.price.input: a price cannot be negative, as "-1" is',
    ],
    [
      '{ input: "-0", output: "2" }',
      'line 10: models.chat-1.price.input: a price cannot be negative, as "-0" is',
    ],
    [
      '{ input: 1e3, output: "2" }',
      'line 10: models.chat-1.price.input: roubles are expected as a decimal such as "150" or "4.5", not "1e3"',
    ],
    [
      '{ input: 0x10, output: "2" }',
      'line 10: models.chat-1.price.input: roubles are expected as a decimal such as "150" or "4.5", not "0x10"',
    ],
    [
      '{ input: .inf, output: "2" }',
      'line 10: models.chat-1.price.input: roubles are expected as a decimal such as "150" or "4.5", not ".inf"',
    ],
    [
      '{ input: "1,5", output: "2" }',
      'line 10: models.chat-1.price.input: roubles are expected as a decimal such as "150" or "4.5", not "1,5"',
    ],
    [
      '{ input: 0.1234567891, output: "2" }',
      'line 10: models.chat-1.price.input: "0.1234567891" has more than nine digits after the point; a nano-rouble is the smallest price',
    ],
    [
      '{ input: 99999999, output: "2" }',
      "line 10: models.chat-1.price.input: 99999999 roubles is above 10000000, surely a slip",
    ],
    [
      '{ input: [1], output: "2" }',
      "line 10: models.chat-1.price.input: a text is expected, not a list",
    ],
    ["free", "line 10: models.chat-1.price: a mapping (key: value) is expected, not a plain value"],
  ] as const) {
    assert.deepEqual(mistakesOf(file({ price })), [message]);
  }
});

test("every mistake of a file is told at once, in the order of its lines, with the name that was probably meant", () => {
  const source = `
familys: {}
families: { prefix: claude, large: { match: opus, model: ghost }, medium: { match: opus, model: talk } }
upstreams:
  up: { protocol: opnai, baseUrl: "ftp://x", apiKeyEnv: KEY, timeoutMs: {}, maxConcurrent: 0, onDisconnect: stop, resultHosts: ["http://x/y"] }
  media: { protocol: kie, baseUrl: "https://kie.example", apiKeyEnv: [KEY, KEY] }
models:
  talk:
    type: chat
    endpoints: [chat.completion, messages, messages]
    contextTokens: 10
    maxOutputTokens: 11
    reasoning: yes
    createdAt: 2026-13-45
    price: { inputs: "1", input: "1", output: "2" }
    routes: [ { upstream: upp, model: a }, { upstream: media, model: b }, { upstream: up, model: c, weight: 0 } ]
  talk: { type: chat }
  "no good": { type: chats }
  bare:
`;
  assert.deepEqual(mistakesOf(source), [
    'line 2: familys: unknown key "familys"; did you mean "families"?',
    'line 3: families.large.model: there is no model "ghost"; known: talk, no good, bare',
    'line 5: upstreams.up.timeoutMs: unknown key "timeoutMs"; did you mean "timeoutsMs"?',
    'line 5: upstreams.up.protocol: "opnai" is not one of the known words; did you mean "openai"?',
    'line 5: upstreams.up.baseUrl: an http or https address is expected, not "ftp://x"',
    'line 5: upstreams.up.maxConcurrent: a whole number from 1 to 100000 is expected, not "0"',
    'line 5: upstreams.up.onDisconnect: "stop" is not one of the known words; known: abort, drain',
    'line 5: upstreams.up.resultHosts[0]: a host or host:port is expected, such as 127.0.0.1:8090, not "http://x/y"',
    "line 6: upstreams.media.apiKeyEnv[1]: KEY is named twice",
    'line 10: models.talk.endpoints[0]: "chat.completion" is not one of the known words; did you mean "chat.completions"?',
    "line 10: models.talk.endpoints[2]: messages is listed twice",
    "line 12: models.talk.maxOutputTokens: 11 is more than the contextTokens, 10, which hold the answer too",
    'line 13: models.talk.reasoning: "yes" is not one of the known words; known: true, false, adaptive',
    'line 14: models.talk.createdAt: a date is expected, such as 2026-01-31 or 2026-01-31T12:00:00Z, not "2026-13-45"',
    'line 15: models.talk.price.inputs: unknown key "inputs"; did you mean "input"?',
    'line 16: models.talk.routes[0].upstream: there is no upstream "upp"; did you mean "up"?',
    'line 16: models.talk.routes[2].weight: a whole number from 1 to 1000000 is expected, not "0"',
    'line 17: models.talk: "talk" stands here a second time',
    'line 18: models["no good"]: "no good" cannot be a model id: letters, digits and . _ : / - are allowed, at most 128, beginning and ending with a letter or digit',
    'line 18: models["no good"].type: "chats" is not one of the known words; did you mean "chat"?',
    "line 19: models.bare: a mapping (key: value) is expected, not nothing",
  ]);
});

test("a chat model needs a chat upstream, a family a model of the messages endpoint, a route its own place", () => {
  const media =
    '  media: { protocol: kie, baseUrl: "https://kie.example", apiKeyEnv: KEY }\nmodels:';
  assert.deepEqual(
    mistakesOf(file({ routes: "[ { upstream: media, model: m } ]" }).replace("models:", media)),
    [
      'line 12: models.chat-1.routes[0].upstream: the upstream "media" speaks kie; a model of this type needs one that speaks openai or anthropic or responses',
    ],
  );
  assert.deepEqual(mistakesOf(file({ more: "families: { small: { model: chat-1 } }" })), [
    'line 13: families.small.model: family ids are called at the messages endpoint, which "chat-1" does not serve',
  ]);
  assert.deepEqual(
    mistakesOf(
      file({ routes: "[ { upstream: up, model: m }, { upstream: up, model: m, order: 2 } ]" }),
    ),
    [
      'line 11: models.chat-1.routes[1]: a second route to "m" of "up"; give one route a greater weight instead',
    ],
  );
  assert.deepEqual(mistakesOf(file({ routes: "[]" })), [
    "line 11: models.chat-1.routes: at least one route is expected; a model without a route cannot be served",
  ]);
});

test("a route's own limit of concurrent requests is a whole number that its upstream's limit can hold", () => {
  const reported = (maxConcurrent: string): string[] =>
    mistakesOf(
      file({
        upstream: ", maxConcurrent: 5",
        routes: `[ { upstream: up, model: m, maxConcurrent: ${maxConcurrent} } ]`,
      }),
    );
  assert.deepEqual(reported("5"), []);
  assert.deepEqual(reported("0"), [
    'line 11: models.chat-1.routes[0].maxConcurrent: a whole number from 1 to 100000 is expected, not "0"',
  ]);
  assert.deepEqual(reported("many"), [
    'line 11: models.chat-1.routes[0].maxConcurrent: a whole number from 1 to 100000 is expected, not "many"',
  ]);
  assert.deepEqual(reported("6"), [
    'line 11: models.chat-1.routes[0].maxConcurrent: 6 is more than the maxConcurrent of "up", 5, which counts all its routes',
  ]);
});

test("a field that stands twice is told once", () => {
  assert.deepEqual(mistakesOf(file({ model: "    type: chat" })), [
    'line 12: models.chat-1.type: "type" stands here a second time',
  ]);
});

test("a base address is written one way, so that no code has to parse it again", () => {
  const addresses: [string, string][] = [
    ["https://UP.example:443/v1/", "https://up.example/v1"],
    ["http://up.example", "http://up.example"],
    ["http://up.example:8080/a/../b c//?x=1#", "http://up.example:8080/b%20c?x=1"],
    ["http://[0:0::1]:80?", "http://[::1]"],
  ];
  for (const [written, read] of addresses) {
    const reading = readCatalogue(file().replace("https://up.example/v1", written), ENV);
    assert.equal(reading.ok && reading.catalogue.upstreams.get("up")?.baseUrl, read);
  }
});

test("${NAME} is replaced in upstreams only, and an unset variable is a mistake that names it", () => {
  const source = file().replace('"https://up.example/v1"', '"${SANDBOX_URL}/v1/"');
  const reading = readCatalogue(source, ENV);
  assert.equal(
    reading.ok && reading.catalogue.upstreams.get("up")?.baseUrl,
    "http://127.0.0.1:8090/v1",
  );
  assert.deepEqual(mistakesOf(source, { ...ENV, SANDBOX_URL: " " }), [
    "line 3: upstreams.up.baseUrl: the environment variable SANDBOX_URL is not set",
  ]);
  assert.deepEqual(mistakesOf(file().replace('"https://up.example/v1"', '"https://${a-b}${KEY"')), [
    'line 3: upstreams.up.baseUrl: "${a-b}" is not a reference to an environment variable; write it as ${NAME}',
    'line 3: upstreams.up.baseUrl: "${KEY" is not a reference to an environment variable; write it as ${NAME}',
  ]);
  assert.deepEqual(mistakesOf(file({ price: '{ input: "${KEY}", output: 1 }' })), [
    "line 10: models.chat-1.price.input: ${…} is replaced in upstreams only; write the value itself here",
  ]);
});

test("no message repeats the value of a variable or a credential written into the file", () => {
  const source = file()
    .replace('"https://up.example/v1"', '"ftp://${KEY}"')
    .replace("apiKeyEnv: KEY", "apiKeyEnv: sk-ant-0123456789");
  const reported = JSON.stringify(readCatalogue(source, ENV));
  assert.ok(reported.includes("baseUrl") && reported.includes("apiKeyEnv"));
  assert.ok(!reported.includes("secret-value") && !reported.includes("sk-ant"), reported);
  const withPassword = JSON.stringify(
    readCatalogue(file().replace("//up.example/v1", "//user:hunter2@up.example/v1"), ENV),
  );
  assert.ok(
    withPassword.includes("without user name and password") && !withPassword.includes("hunter2"),
  );
});

test("a credential that is not set yet is a warning, not a mistake", () => {
  const reading = readCatalogue(file(), {});
  assert.ok(reading.ok);
  assert.deepEqual(reading.warnings.map(mistakeLine), [
    "line 3: upstreams.up.apiKeyEnv: the environment variable KEY is not set; the upstream cannot be called without it",
  ]);
});

test("a file that is not YAML, not a mapping, empty or absurdly long is refused with its reason", () => {
  assert.deepEqual(mistakesOf("- a"), ["line 1: a mapping (key: value) is expected, not a list"]);
  assert.deepEqual(mistakesOf(""), ["a mapping (key: value) is expected, not nothing"]);
  assert.deepEqual(mistakesOf("upstreams: {}\nmodels: {}"), [
    "line 1: upstreams: at least one upstream is expected",
    "line 2: models: at least one model is expected",
  ]);
  assert.match(mistakesOf(`# ${"x".repeat(5_000_000)}`).join(), /longer than/);
  assert.match(mistakesOf("a: \0").join(), /zero bytes/);
});

test("anchors work; an alias that contains itself ends in a mistake, not in a loop", () => {
  const source = file({
    price: "&p { input: 1, output: 2 }",
    routes: "[ { upstream: up, model: m, cost: *p } ]",
  });
  assert.equal(chatModel(source).routes[0]?.cost?.price.input, 1_000_000_000n);
  const loop = taskFile(
    "price: { unit: second, quantity: 1, amount: &a { by: resolution, values: { 720p: *a } } }",
  );
  assert.match(mistakesOf(loop).join(), /tables nest at most 6 deep/);
});

function taskFile(lines: string): string {
  return `
upstreams:
  media: { protocol: kie, baseUrl: "https://kie.example", apiKeyEnv: KEY }
models:
  org/video-1:
    type: task
    parameters: T9
    ${lines}
    routes: [ { upstream: media, model: bytedance/seedance-2, cost: { unit: second, quantity: duration, amount: 1 } } ]
`;
}

test("a task model is read with its whole price table", () => {
  const reading = readCatalogue(
    taskFile(`price:
      unit: second
      quantity: duration
      amount: { by: resolution, values: { 480p: "4", 720p: { by: fixedLens, values: { true: 7.5, false: 8 } } } }
      multiply: [ { when: { generateAudio: true }, by: "2" } ]
    deadlineSeconds: 60`),
    ENV,
  );
  assert.ok(reading.ok, JSON.stringify(reading));
  const model = reading.catalogue.models.get("org/video-1") as TaskModel;
  assert.deepEqual(
    [model.type, model.parameters, model.deadlineSeconds, model.routes[0]?.cost?.unit],
    ["task", "T9", 60, "second"],
  );
  assert.deepEqual(model.price, {
    unit: "second",
    quantity: { kind: "parameter", parameter: "duration" },
    amount: {
      kind: "by",
      parameter: "resolution",
      values: new Map<string, unknown>([
        ["480p", { kind: "amount", perUnitNano: 4_000_000_000n }],
        [
          "720p",
          {
            kind: "by",
            parameter: "fixedLens",
            values: new Map([
              ["true", { kind: "amount", perUnitNano: 7_500_000_000n }],
              ["false", { kind: "amount", perUnitNano: 8_000_000_000n }],
            ]),
          },
        ],
      ]),
    },
    multiply: [{ when: new Map([["generateAudio", "true"]]), by: { digits: 2n, scale: 0 } }],
  });
});

test("a task's price may speak only of parameters that its table has", () => {
  assert.deepEqual(
    mistakesOf(
      taskFile(
        "price: { unit: second, quantity: duratin, amount: { by: resolutoin, values: {} }, multiply: [ { when: { generateaudio: true, zzz: 1 }, by: 0 }, { when: {} } ] }",
      ),
    ),
    [
      'line 8: models["org/video-1"].price.quantity: the model has no parameter "duratin"; did you mean "duration"?',
      'line 8: models["org/video-1"].price.amount.by: the model has no parameter "resolutoin"; did you mean "resolution"?',
      'line 8: models["org/video-1"].price.amount.values: at least one value with its amount is expected',
      'line 8: models["org/video-1"].price.multiply[0].when.generateaudio: the model has no parameter "generateaudio"; did you mean "generateAudio"?',
      'line 8: models["org/video-1"].price.multiply[0].when.zzz: the model has no parameter "zzz"; known: prompt, aspectRatio, resolution, duration, generateAudio, fixedLens, firstFrameUrl, lastFrameUrl, referenceImageUrls, referenceVideoUrls, referenceAudioUrls',
      'line 8: models["org/video-1"].price.multiply[0].by: a positive decimal such as "2" or "0.75" is expected, with at most nine digits before and after the point, not "0"',
      'line 8: models["org/video-1"].price.multiply[1].by: required, and missing',
      'line 8: models["org/video-1"].price.multiply[1].when: at least one parameter with its value is expected',
    ],
  );
});
