/**
 * Guarantee: of a submission no more is said than is certain, since only what was surely not taken
 * may be submitted again (contract §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CREDENTIAL,
  openProviderScene,
  type ProviderProtocol,
  type ScriptedAnswer,
} from "../../../test/support/provider-scene.ts";

const HTML = "<!doctype html><title>Bad gateway</title>";
const kie = (code: unknown, data: unknown = null): ScriptedAnswer => [
  200,
  { code, msg: "words of the provider", data },
];
const fal = { request_id: "r-1", status_url: "x", response_url: "x", cancel_url: "x" };

/** What must come out: the kind, and for a rejection its code. */
type Expected =
  | "accepted"
  | "busy"
  | "operator"
  | "unknown"
  | "provider_rejected"
  | "content_blocked"
  | "invalid_input";

/** The same for every protocol: it is HTTP that says it. */
const BY_STATUS: readonly (readonly [what: string, answer: ScriptedAnswer, expected: Expected])[] =
  [
    ["400", [400, { error: "x" }], "provider_rejected"],
    ["400 as HTML", [400, HTML], "provider_rejected"],
    ["401", [401, {}], "operator"],
    ["402", [402, {}], "operator"],
    ["403 as HTML", [403, HTML], "operator"],
    ["404", [404, {}], "provider_rejected"],
    ["408: a timeout of whom?", [408, {}], "unknown"],
    ["409: perhaps the very same task", [409, {}], "unknown"],
    ["413", [413, {}], "provider_rejected"],
    ["415", [415, {}], "provider_rejected"],
    ["418", [418, {}], "unknown"],
    ["422", [422, { detail: "wrong" }], "provider_rejected"],
    ["425", [425, {}], "unknown"],
    ["429", [429, {}], "busy"],
    ["429 as HTML", [429, HTML], "busy"],
    ["500", [500, {}], "unknown"],
    ["500 as HTML", [500, HTML], "unknown"],
    ["502", [502, HTML], "unknown"],
    ["503 of the provider", [503, { detail: "overloaded" }], "busy"],
    ["503 that names a time", [503, HTML, { "retry-after": "7" }], "busy"],
    ["503 of some proxy", [503, HTML], "unknown"],
    ["504", [504, {}], "unknown"],
    ["a redirect", [302, {}, { location: "/elsewhere" }], "unknown"],
    ["a permanent redirect", [308, {}, { location: "/elsewhere" }], "unknown"],
    ["HTML with success", [200, HTML], "unknown"],
    ["nothing with success", [200, ""], "unknown"],
    ["204", [204, ""], "unknown"],
    ["half a JSON", [200, '{"code":200,"data":{"taskId":"t-'], "unknown"],
    ["a list", [200, []], "unknown"],
    ["null", [200, "null"], "unknown"],
    ["a text", [200, '"t-1"'], "unknown"],
    [
      "bytes that are no UTF-8",
      (exchange) => exchange.send(Buffer.from([0x22, 0xff, 0xfe, 0x22])).then(() => exchange.end()),
      "unknown",
    ],
  ];

const KIE: readonly (readonly [what: string, answer: ScriptedAnswer, expected: Expected])[] = [
  ["an id", kie(200, { taskId: "t-1" }), "accepted"],
  ["a code as text", kie("200", { taskId: "t-1" }), "accepted"],
  ["an id as number", kie(200, { taskId: 12_345 }), "accepted"],
  ["no id", kie(200, {}), "unknown"],
  ["an empty id", kie(200, { taskId: "" }), "unknown"],
  ["an id that is an object", kie(200, { taskId: { id: "t-1" } }), "unknown"],
  ["an id that would lead elsewhere", kie(200, { taskId: ".." }), "unknown"],
  ["an id with a line break", kie(200, { taskId: "t-1\r\nx: y" }), "unknown"],
  ["an id that shows our credential", kie(200, { taskId: `t-${CREDENTIAL}` }), "unknown"],
  ["no envelope around the id", [200, { taskId: "t-1" }], "unknown"],
  ["no code", [200, { data: { taskId: "t-1" } }], "unknown"],
  ["400 inside 200", kie(400), "provider_rejected"],
  ["401 inside 200", kie(401), "operator"],
  ["402 inside 200", kie(402), "operator"],
  ["404 inside 200", kie(404), "provider_rejected"],
  ["408 inside 200", kie(408), "provider_rejected"],
  ["422 inside 200", kie(422), "provider_rejected"],
  ["422 as text inside 200", kie("422"), "provider_rejected"],
  ["429 inside 200", kie(429), "busy"],
  ["433 inside 200", kie(433), "operator"],
  ["455 inside 200: maintenance", kie(455), "busy"],
  ["455 as status", [455, { code: 455, msg: "maintenance" }], "busy"],
  ["500 inside 200: before or after?", kie(500), "unknown"],
  ["501 inside 200", kie(501), "provider_rejected"],
  ["505 inside 200", kie(505), "busy"],
  ["an unknown code", kie(999), "unknown"],
  ["a code that is an object", kie({ constructor: 1 }), "unknown"],
  ["a code that names a method", kie("constructor"), "unknown"],
  ["a refusal that names a task", kie(429, { taskId: "t-1" }), "unknown"],
  [
    "blocked, in words only",
    [200, { code: 422, msg: "Your prompt was flagged as NSFW", data: null }],
    "content_blocked",
  ],
  [
    "a file out of reach, in words only",
    [200, { code: 422, msg: "Your media file is unavailable, please replace it." }],
    "invalid_input",
  ],
  ["a file out of reach", [200, { code: 451, msg: "" }], "invalid_input"],
  [
    "words do not make a rejection",
    [200, { code: 500, msg: "NSFW check crashed", data: null }],
    "unknown",
  ],
];

const FAL: readonly (readonly [what: string, answer: ScriptedAnswer, expected: Expected])[] = [
  ["an id", [200, fal], "accepted"],
  ["an id alone", [200, { request_id: "r-1" }], "accepted"],
  ["no id", [200, { status: "IN_QUEUE" }], "unknown"],
  [
    "validation",
    [422, { detail: [{ loc: ["body", "prompt"], msg: "field required", type: "missing" }] }],
    "provider_rejected",
  ],
  [
    "content policy",
    [422, { detail: [{ msg: "flagged", type: "content_policy_violation" }] }],
    "content_blocked",
  ],
  [
    "exhausted balance",
    [403, { detail: "User is locked. Reason: Exhausted balance." }],
    "operator",
  ],
];

const REPLICATE: readonly (readonly [what: string, answer: ScriptedAnswer, expected: Expected])[] =
  [
    ["201", [201, { id: "p-1", status: "starting", urls: {} }], "accepted"],
    ["already failed", [201, { id: "p-1", status: "failed" }], "accepted"],
    ["no id", [201, { status: "starting" }], "unknown"],
    ["no credit", [402, { title: "Insufficient credit", detail: "x", status: 402 }], "operator"],
    [
      "validation",
      [422, { title: "Input validation failed", detail: "- input.prompt: required", status: 422 }],
      "provider_rejected",
    ],
    [
      "no such version",
      [422, { title: "Invalid version or not permitted", status: 422 }],
      "provider_rejected",
    ],
  ];

const TABLES: Readonly<Record<Exclude<ProviderProtocol, "http-task">, typeof KIE>> = {
  kie: KIE,
  fal: FAL,
  replicate: REPLICATE,
};

for (const protocol of ["kie", "fal", "replicate"] as const) {
  test(`${protocol}: every answer to a submission`, async (t) => {
    const scene = await openProviderScene(t);
    for (const [what, answer, expected] of [...BY_STATUS, ...TABLES[protocol]]) {
      const before = scene.requests.length;
      const outcome = await scene.submit(protocol, answer);
      const got = outcome.kind === "rejected" ? outcome.code : outcome.kind;
      assert.equal(got, expected, `${what}: ${JSON.stringify(outcome)}`);
      assert.equal(scene.requests.length, before + 1, `${what}: exactly one request was made`);
      assert.ok(!JSON.stringify(outcome).includes(CREDENTIAL), what);
    }
  });
}

test("a refusal says when to come back, in seconds or by a date", async (t) => {
  const scene = await openProviderScene(t);
  const dates = {
    date: "Thu, 01 Jan 2026 00:00:00 GMT",
    "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT",
  };
  for (const [headers, expected] of [
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "1.5" }, 1_500],
    [dates, 9_000],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "99999999" }, 86_400_000],
    [{}, null],
  ] as const) {
    const outcome = await scene.submit("kie", [429, { code: 429 }, headers]);
    assert.ok(outcome.kind === "busy");
    assert.equal(outcome.retryAfterMs, expected, JSON.stringify(headers));
  }
});

test("reasons are one bounded line of the provider's words, and never the credential", async (t) => {
  const scene = await openProviderScene(t);
  const echoes = [
    `Invalid token ${CREDENTIAL}!`,
    `authorization: Bearer ${CREDENTIAL.toUpperCase()}`,
    `got ${Buffer.from(CREDENTIAL).toString("base64")}`,
    `${"x".repeat(290)}${CREDENTIAL}`,
  ];
  for (const msg of echoes) {
    for (const answer of [
      [200, { code: 401, msg, data: null }] as const,
      [400, { code: 400, msg }] as const,
    ]) {
      const outcome = await scene.submit("kie", answer);
      assert.ok("reason" in outcome);
      assert.equal(outcome.coded?.code, "status");
      for (const text of [outcome.reason, String(outcome.coded.params["words"])]) {
        assert.ok(!text.toLowerCase().includes(CREDENTIAL), text);
        assert.ok(!text.includes(Buffer.from(CREDENTIAL).toString("base64").slice(0, 20)), text);
        assert.ok(text.length <= 300);
      }
    }
  }
  const lines = await scene.submit("kie", [
    422,
    { code: 422, msg: `a\nb\r\nc ${"long ".repeat(1_000)}` },
  ]);
  assert.ok(
    "reason" in lines &&
      lines.reason.startsWith("status 422: 422: a b c long") &&
      lines.reason.length <= 300,
  );
});

test("the calls are those of each provider's page", async (t) => {
  const scene = await openProviderScene(t);
  const submission = {
    parameters: {
      prompt: "a cat",
      imageUrls: ["https://files.example/1.png"],
      duration: 6,
      nsfwChecker: false,
    },
    attemptId: "0198f5a0-0000-7000-8000-000000000001",
    callbackUrl: "https://gate.example/v1/callbacks/up/0198f5a0",
  };
  await scene.submit("kie", kie(200, { taskId: "t" }), { submission });
  await scene.submit("fal", [200, fal], {
    submission,
    target: scene.target({ model: "fal-ai/kling-video/v3/pro" }),
  });
  await scene.submit("replicate", [201, { id: "p" }], {
    submission,
    target: scene.target({ model: "maker/model:abc" }),
  });
  const input = {
    prompt: "a cat",
    image_urls: ["https://files.example/1.png"],
    duration: 6,
    nsfw_checker: false,
  };
  const seen = scene.requests.map((request) => [
    request.method,
    request.path,
    request.headers.authorization,
    request.json(),
  ]);
  assert.deepEqual(seen, [
    [
      "POST",
      "/api/v1/jobs/createTask",
      `Bearer ${CREDENTIAL}`,
      { input, model: "maker/model", callBackUrl: submission.callbackUrl },
    ],
    [
      "POST",
      `/fal-ai/kling-video/v3/pro?fal_webhook=${encodeURIComponent(submission.callbackUrl)}`,
      `Key ${CREDENTIAL}`,
      input,
    ],
    [
      "POST",
      "/v1/predictions",
      `Bearer ${CREDENTIAL}`,
      {
        input,
        version: "maker/model:abc",
        webhook: submission.callbackUrl,
        webhook_events_filter: ["completed"],
      },
    ],
  ]);
  assert.equal(scene.requests[2]?.headers["cancel-after"], "600s");
  assert.equal(scene.requests[1]?.headers["x-fal-no-retry"], "1");
  for (const { headers } of scene.requests) assert.equal(headers["accept-encoding"], "identity");

  await scene.submit("kie", kie(200, { taskId: "t" }), {
    target: scene.target({ upstream: { baseUrl: `${scene.url}/proxy/api/v1?k=1` } }),
  });
  assert.equal(
    scene.requests[3]?.path,
    "/proxy/api/v1/jobs/createTask?k=1",
    "a base may name the version already",
  );
  assert.deepEqual(
    Object.keys(scene.requests[3]?.json() as object),
    ["input", "model"],
    "no callback, no field for it",
  );
  await scene.submit("replicate", [201, { id: "p" }], { submission: { deadlineSeconds: 86_401 } });
  assert.equal(
    scene.requests[4]?.headers["cancel-after"],
    undefined,
    "no provider waits longer than a day",
  );
});

test("what cannot be right is never sent", async (t) => {
  const scene = await openProviderScene(t);
  const target = (
    model: string,
    more: object = {},
  ): { readonly target: ReturnType<typeof scene.target> } => ({
    target: scene.target({ model, table: "T8", ...more }),
  });
  const send = (
    edit: ReturnType<typeof target>,
    parameters: Record<string, unknown> = { variant: "pro" },
  ) =>
    scene.adapters.kie.submit(
      edit.target,
      { parameters, attemptId: "x", callbackUrl: null, deadlineSeconds: 1 },
      AbortSignal.timeout(5_000),
    );
  const fixed = await send(target("hailuo/standard"));
  assert.ok(
    fixed.kind === "operator" && fixed.reason.includes("{variant}"),
    "the customer's choice would be lost",
  );
  assert.equal((await send(target("hailuo/{variant}/{size}"))).kind, "operator");
  for (const credential of ["", "a\nb", "ключ"])
    assert.equal((await send(target("hailuo-{variant}", { credential }))).kind, "operator");
  for (const model of ["..", "a/../b", "a?b=c", "a#b", "/x", "a b", "%2e%2e/x"]) {
    const edit = target(model, { table: "T2" });
    const outcome = await scene.adapters.fal.submit(
      edit.target,
      { parameters: {}, attemptId: "x", callbackUrl: null, deadlineSeconds: 1 },
      AbortSignal.timeout(5_000),
    );
    assert.equal(outcome.kind, "operator", model);
  }
  assert.equal(scene.requests.length, 0);
});
