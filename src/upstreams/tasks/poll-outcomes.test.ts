/**
 * Guarantee: only what a provider documents as an end ends a task; a success without a file is a
 * failure; its words stay in the log (contract §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import {
  CREDENTIAL,
  openProviderScene,
  type ScriptedAnswer,
} from "../../../test/support/provider-scene.ts";

const HTML = "<!doctype html>";
const URL_1 = "https://files.provider.example/1.mp4";
const URL_2 = "https://files.provider.example/2.png?sig=a%2Fb";

/** The outcome without its reason, which is for people. */
type Expected = readonly [kind: string, detail?: unknown];
type Case = readonly [what: string, answers: readonly ScriptedAnswer[], expected: Expected];

const MISSING_OR_NOT: readonly Case[] = [
  ["401", [[401, {}]], ["operator"]],
  ["402", [[402, {}]], ["operator"]],
  ["403", [[403, HTML]], ["operator"]],
  ["404, just created", [[404, {}]], ["missing"]],
  ["429", [[429, {}, { "retry-after": "3" }]], ["busy", 3_000]],
  ["503", [[503, HTML]], ["busy", null]],
  ["400", [[400, {}]], ["unknown"]],
  ["500", [[500, {}]], ["unknown"]],
  ["502 as HTML", [[502, HTML]], ["unknown"]],
  ["a redirect", [[302, {}, { location: "/x" }]], ["unknown"]],
  ["HTML with success", [[200, HTML]], ["unknown"]],
  ["nothing", [[200, ""]], ["unknown"]],
  ["half a JSON", [[200, '{"code":200,"data":{"state":"fail']], ["unknown"]],
  ["null", [[200, "null"]], ["unknown"]],
  ["a list", [[200, []]], ["unknown"]],
];

const kie = (data: object): readonly ScriptedAnswer[] => [
  [200, { code: 200, msg: "success", data: { taskId: "task-1", ...data } }],
];
const code = (number: unknown): readonly ScriptedAnswer[] => [
  [200, { code: number, msg: "words", data: null }],
];
const done = (resultJson: unknown, more: object = {}): readonly ScriptedAnswer[] =>
  kie({ state: "success", resultJson, ...more });
const succeeded = (...urls: string[]): Expected => ["succeeded", urls];

/**
 * `failCode` and `failMsg` as they were recorded at kie, or stand on its pages; the last ones as an
 * echo of our own request would be.
 */
const KIE_FAILURES: readonly (readonly [
  failCode: string,
  failMsg: string,
  expected: TaskErrorCode,
])[] = [
  ["400", "Your prompt was flagged by Website as violating content policies.", "content_blocked"],
  [
    "400",
    "Sorry, but the image we created may violate OpenAI's content policies",
    "content_blocked",
  ],
  ["400", "The current content could not be processed", "content_blocked"],
  ["400", "Lyrics contained copyrighted material", "content_blocked"],
  [
    "422",
    "CONTENT_POLICY_BLOCKED: The input or output was flagged as sensitive.",
    "content_blocked",
  ],
  ["422", "Invalid prompt: prompt contains prohibited content", "content_blocked"],
  ["422", "Your media file is unavailable, please replace it.", "input_unreachable"],
  [
    "400",
    "Image fetch failed. Check access settings or use our File Upload API instead.",
    "input_unreachable",
  ],
  ["400", "Invalid image URL", "input_unreachable"],
  ["451", "", "input_unreachable"],
  [
    "400",
    "image_urls[0]: file type not supported: image/webp; accepted types: image/jpeg, image/png",
    "input_rejected",
  ],
  ["422", "images size exceeds limit: file size 31 MB", "input_rejected"],
  [
    "400",
    "The parameters specified in the request are not valid. Issues: [0] `ratio` must be `adaptive`.",
    "invalid_input",
  ],
  ["422", "task id is blank", "provider_rejected"],
  ["400", "Prompt rejected", "provider_rejected"],
  ["422", "", "provider_rejected"],
  ["500", "Internal Error, Please try again later.", "provider_error"],
  ["500", "Internal server error", "provider_error"],
  ["400", `Bearer ${CREDENTIAL}: Image fetch failed`, "input_unreachable"],
  ["422", `https://x/?key=${CREDENTIAL}`, "provider_rejected"],
];

const KIE: readonly Case[] = [
  ["waiting", kie({ state: "waiting" }), ["running", [null, null]]],
  ["queuing", kie({ state: "queuing", progress: 0 }), ["running", [0, null]]],
  ["generating", kie({ state: "generating", progress: 45 }), ["running", [0.45, null]]],
  [
    "progress beyond its end",
    kie({ state: "generating", progress: 4_500 }),
    ["running", [1, null]],
  ],
  ["progress as text", kie({ state: "generating", progress: "45%" }), ["running", [0.45, null]]],
  [
    "progress that is none",
    kie({ state: "generating", progress: { a: 1 } }),
    ["running", [null, null]],
  ],
  ["negative progress", kie({ state: "generating", progress: -1 }), ["running", [null, null]]],
  [
    "a result before the end is none",
    kie({ state: "generating", resultJson: `{"resultUrls":["${URL_1}"]}` }),
    ["running", [null, null]],
  ],
  ["an unknown state", kie({ state: "dreaming" }), ["unknown"]],
  [
    "a state in other letters",
    kie({ state: "Generating", progress: 45 }),
    ["running", [0.45, null]],
  ],
  [
    "an end in other letters",
    kie({ state: "SUCCESS", resultJson: `{"resultUrls":["${URL_1}"]}` }),
    succeeded(URL_1),
  ],
  [
    "a failure in other letters",
    kie({ state: "Fail", failCode: "501", failMsg: "words" }),
    ["failed", "provider_error"],
  ],
  ["a state that names a method", kie({ state: "constructor" }), ["unknown"]],
  ["a state of another kind", kie({ state: ["fail"] }), ["unknown"]],
  ["no state", kie({}), ["unknown"]],
  ["no data", [[200, { code: 200, data: null }]], ["unknown"]],
  ["no envelope", [[200, { state: "fail" }]], ["unknown"]],
  ["JSON in a text", done(JSON.stringify({ resultUrls: [URL_1, URL_2] })), succeeded(URL_1, URL_2)],
  [
    "with the last frame",
    done(JSON.stringify({ resultUrls: [URL_1], lastFrameUrl: [URL_2], firstFrameUrl: [URL_2] })),
    succeeded(URL_1, URL_2),
  ],
  ["twice the same", done(JSON.stringify({ resultUrls: [URL_1, URL_1] })), succeeded(URL_1)],
  ["JSON itself", done({ resultUrls: [URL_1] }), succeeded(URL_1)],
  ["one URL instead of a list", done(JSON.stringify({ resultUrls: URL_1 })), succeeded(URL_1)],
  ["the URL alone", done(URL_1), succeeded(URL_1)],
  ["the URL as JSON", done(JSON.stringify(URL_1)), succeeded(URL_1)],
  [
    "objects with url",
    done(JSON.stringify({ resultUrls: [{ url: URL_1, preview: URL_2 }] })),
    succeeded(URL_1),
  ],
  ["under another name", done(JSON.stringify({ resultObject: { url: URL_1 } })), succeeded(URL_1)],
  ["no URL", done('{"resultUrls":[]}'), ["failed", "provider_error"]],
  ["an empty text", done(""), ["failed", "provider_error"]],
  ["no result", done(undefined), ["failed", "provider_error"]],
  ["null", done(null), ["failed", "provider_error"]],
  ["broken JSON", done('{"resultUrls":["http'), ["failed", "provider_error"]],
  ["numbers", done(JSON.stringify({ resultUrls: [1, true, null] })), ["failed", "provider_error"]],
  [
    "a data URL",
    done(JSON.stringify({ resultUrls: ["data:image/png;base64,AAAA"] })),
    ["failed", "provider_error"],
  ],
  [
    "another scheme",
    done(JSON.stringify({ resultUrls: ["ftp://x/y", "file:///etc/passwd", "//x/y", "/x"] })),
    ["failed", "provider_error"],
  ],
  [
    "a URL with our credential",
    done(JSON.stringify({ resultUrls: [`https://x/?k=${CREDENTIAL}`] })),
    ["failed", "provider_error"],
  ],
  [
    "failed",
    kie({ state: "fail", failCode: "501", failMsg: "words" }),
    ["failed", "provider_error"],
  ],
  ["failed late", kie({ state: "fail", failCode: "408" }), ["failed", "provider_timeout"]],
  ["failed without a word", kie({ state: "fail" }), ["failed", "provider_error"]],
  [
    "failed with a code of another kind",
    kie({ state: "fail", failCode: { a: 1 }, failMsg: 5 }),
    ["failed", "provider_error"],
  ],
  [
    "failed by moderation",
    kie({ state: "fail", failCode: "422", failMsg: "violates our Content Policies" }),
    ["failed", "content_blocked"],
  ],
  ...KIE_FAILURES.map(([failCode, failMsg, expected]): Case => {
    return [
      `${failCode} ${failMsg}`,
      kie({ state: "fail", failCode, failMsg, creditsConsumed: 0 }),
      ["failed", expected],
    ];
  }),
  [
    "failed, with a result",
    kie({ state: "fail", resultJson: `{"resultUrls":["${URL_1}"]}` }),
    ["failed", "provider_error"],
  ],
  ["422 inside 200, just created", code(422), ["missing"]],
  ["404 inside 200, just created", code(404), ["missing"]],
  ["401 inside 200", code(401), ["operator"]],
  ["402 inside 200", code(402), ["operator"]],
  ["429 inside 200", code(429), ["busy", null]],
  ["455 inside 200", code(455), ["busy", null]],
  ["500 inside 200", code(500), ["busy", null]],
  ["408 inside 200", code(408), ["failed", "provider_timeout"]],
  ["501 inside 200", code(501), ["failed", "provider_error"]],
  ["an unknown code", code(777), ["unknown"]],
];

const fal = (body: object): ScriptedAnswer => [200, body];
const COMPLETED = fal({ status: "COMPLETED" });

const FAL: readonly Case[] = [
  ["queued", [[202, { status: "IN_QUEUE", queue_position: 3 }]], ["running", [null, 3]]],
  [
    "a strange position",
    [[202, { status: "IN_QUEUE", queue_position: "many" }]],
    ["running", [null, null]],
  ],
  ["running", [[202, { status: "IN_PROGRESS", logs: [] }]], ["running", [null, null]]],
  ["an unknown state", [fal({ status: "PAUSED" })], ["unknown"]],
  [
    "a video",
    [COMPLETED, fal({ video: { url: URL_1, content_type: "video/mp4" }, seed: 1 })],
    succeeded(URL_1),
  ],
  ["a video as text", [COMPLETED, fal({ video: URL_1 })], succeeded(URL_1)],
  [
    "images",
    [COMPLETED, fal({ images: [{ url: URL_1 }, { url: URL_2 }], prompt: "https://not.a/file" })],
    succeeded(URL_1, URL_2),
  ],
  ["no file", [COMPLETED, fal({ images: [] })], ["failed", "provider_error"]],
  ["an empty object", [COMPLETED, fal({ video: {} })], ["failed", "provider_error"]],
  ["null", [COMPLETED, [200, "null"]], ["failed", "provider_error"]],
  ["broken JSON", [COMPLETED, [200, '{"video":{"url":"http']], ["unknown"]],
  [
    "refused by the model",
    [COMPLETED, [422, { detail: [{ msg: "too long", type: "value_error" }] }]],
    ["failed", "provider_rejected"],
  ],
  [
    "blocked",
    [COMPLETED, [422, { detail: [{ msg: "x", type: "content_policy_violation" }] }]],
    ["failed", "content_blocked"],
  ],
  [
    "an input that could not be read",
    [COMPLETED, [422, { detail: [{ msg: "x", type: "file_download_error" }] }]],
    ["failed", "input_unreachable"],
  ],
  [
    "timed out there",
    [COMPLETED, [504, { detail: [{ msg: "x", type: "generation_timeout" }] }]],
    ["failed", "provider_timeout"],
  ],
  ["400", [COMPLETED, [400, { detail: "Request was cancelled" }]], ["failed", "provider_rejected"]],
  ["401 at the result", [COMPLETED, [401, { detail: "x" }]], ["operator"]],
  ["429 at the result", [COMPLETED, [429, { detail: "x" }]], ["busy", null]],
  ["404 at the result, just created", [COMPLETED, [404, { detail: "x" }]], ["unknown"]],
  ["500 at the result says nothing", [COMPLETED, [500, { detail: "boom" }]], ["unknown"]],
  ["502 at the result", [COMPLETED, [502, HTML]], ["unknown"]],
  [
    "a failure in the state",
    [fal({ status: "COMPLETED", error: "boom", error_type: "internal_server_error" })],
    ["failed", "provider_error"],
  ],
  [
    "blocked, in the state",
    [fal({ status: "COMPLETED", error: "x", error_type: "content_policy_violation" })],
    ["failed", "content_blocked"],
  ],
  [
    "no error",
    [fal({ status: "COMPLETED", error: null }), fal({ image: { url: URL_1 } })],
    succeeded(URL_1),
  ],
];

const prediction = (status: unknown, more: object = {}): readonly ScriptedAnswer[] => [
  [200, { id: "task-1", status, ...more }],
];

const REPLICATE: readonly Case[] = [
  ["starting", prediction("starting"), ["running", [null, null]]],
  ["processing", prediction("processing", { output: [URL_1] }), ["running", [null, null]]],
  ["a text", prediction("succeeded", { output: URL_1 }), succeeded(URL_1)],
  ["a list", prediction("succeeded", { output: [URL_1, URL_2] }), succeeded(URL_1, URL_2)],
  [
    "an object",
    prediction("succeeded", { output: { video: URL_1, text: "hello", more: [URL_2] } }),
    succeeded(URL_1, URL_2),
  ],
  [
    "a list of objects",
    prediction("succeeded", { output: [{ url: URL_1 }, { url: URL_2 }] }),
    succeeded(URL_1, URL_2),
  ],
  ["captions", prediction("succeeded", { output: ["hello", URL_1] }), succeeded(URL_1)],
  ["no output", prediction("succeeded"), ["failed", "provider_error"]],
  ["null", prediction("succeeded", { output: null }), ["failed", "provider_error"]],
  ["a number", prediction("succeeded", { output: 42 }), ["failed", "provider_error"]],
  ["failed", prediction("failed", { error: "CUDA out of memory" }), ["failed", "provider_error"]],
  [
    "blocked",
    prediction("failed", { error: "The input or output was flagged as sensitive. (E005)" }),
    ["failed", "content_blocked"],
  ],
  ["canceled", prediction("canceled"), ["failed", "canceled"]],
  ["aborted", prediction("aborted"), ["failed", "provider_timeout"]],
  ["an unknown state", prediction("waiting for a GPU"), ["unknown"]],
  ["a state of another kind", prediction(7), ["unknown"]],
];

const TABLES = { kie: KIE, fal: FAL, replicate: REPLICATE };

for (const protocol of ["kie", "fal", "replicate"] as const) {
  test(`${protocol}: every answer to a poll`, async (t) => {
    const scene = await openProviderScene(t);
    for (const [what, answers, expected] of [...MISSING_OR_NOT, ...TABLES[protocol]]) {
      const before = scene.requests.length;
      const outcome = await scene.poll(protocol, answers);
      assert.deepEqual(shortOf(outcome), expected, `${what}: ${JSON.stringify(outcome)}`);
      assert.equal(scene.requests.length, before + answers.length, what);
      assert.ok(!JSON.stringify(outcome).includes(CREDENTIAL), what);
    }
  });
}

function shortOf(
  outcome: Awaited<ReturnType<Awaited<ReturnType<typeof openProviderScene>>["poll"]>>,
): Expected {
  switch (outcome.kind) {
    case "running":
      return ["running", [outcome.progress, outcome.queuePosition]];
    case "succeeded":
      return ["succeeded", outcome.urls];
    case "failed":
      return ["failed", outcome.code];
    case "busy":
      return ["busy", outcome.retryAfterMs];
    default:
      return [outcome.kind];
  }
}

test("a task is not visible yet for a minute; after that its absence says nothing, and never ends it", async (t) => {
  const scene = await openProviderScene(t);
  const submittedAt = scene.clock.now().toISOString();
  const ask = (answers: readonly ScriptedAnswer[]) =>
    scene.poll("kie", answers, { handle: { submittedAt } });
  scene.clock.advance(59_999);
  for (const answers of [code(422), code(404), [[404, {}] as const]])
    assert.equal((await ask(answers)).kind, "missing");
  scene.clock.advance(1);
  for (const answers of [code(422), code(404), [[404, {}] as const]])
    assert.equal((await ask(answers)).kind, "unknown");
  const gone = await scene.poll("fal", [COMPLETED, [404, { detail: "x" }]], {
    handle: { submittedAt },
  });
  assert.ok(gone.kind === "failed" && gone.code === "result_expired");
});

test("the figures of a success: the cost as it was written, in the provider's unit", async (t) => {
  const scene = await openProviderScene(t);
  const result = JSON.stringify({ resultUrls: [URL_1] });
  for (const [creditsConsumed, amount] of [
    [12.5, "12.5"],
    ["0.0100", "0.0100"],
    [0, "0"],
    [-1, null],
    [1e-9, null],
    ["12 credits", null],
    [{}, null],
  ] as const) {
    const outcome = await scene.poll("kie", done(result, { creditsConsumed }));
    assert.ok(outcome.kind === "succeeded");
    assert.deepEqual(
      outcome.cost,
      amount === null ? null : { amount, unit: "credits" },
      JSON.stringify(creditsConsumed),
    );
    assert.equal(outcome.authorize, false);
  }
  const predicted = await scene.poll(
    "replicate",
    prediction("succeeded", { output: URL_1, metrics: { predict_time: 3.25 } }),
  );
  assert.ok(predicted.kind === "succeeded");
  assert.deepEqual(predicted.cost, { amount: "3.25", unit: "seconds" });
});

test("URLs of answers are called where the operator said, and nowhere else", async (t) => {
  const scene = await openProviderScene(t);
  const other = await openProviderScene(t);
  const answer = (origin: string): ScriptedAnswer => [
    200,
    {
      request_id: "r-1",
      status_url: `${origin}/elsewhere/status?a=1`,
      response_url: `${origin}/elsewhere`,
      cancel_url: `${origin}/elsewhere/cancel`,
    },
  ];
  const target = scene.target({ model: "fal-ai/veo3/image-to-video" });
  const own = await scene.submit("fal", answer(scene.url), { target });
  assert.ok(own.kind === "accepted");
  assert.equal(own.handle.urls["status"], `${scene.url}/elsewhere/status?a=1`);
  await scene.poll("fal", [COMPLETED, fal({ video: { url: URL_1 } })], {
    target,
    handle: own.handle,
  });
  assert.deepEqual(
    scene.requests.slice(1).map(({ path }) => path),
    ["/elsewhere/status?a=1", "/elsewhere"],
  );

  for (const origin of [
    other.url,
    scene.url.replace("//", "//user:pass@"),
    "https://evil.example",
    "ftp://x",
    "//evil.example",
    `${scene.url}\\@evil.example`,
  ]) {
    const foreign = await scene.submit("fal", answer(origin), { target });
    assert.ok(foreign.kind === "accepted");
    assert.deepEqual(foreign.handle.urls, {}, origin);
  }
  const before = scene.requests.length;
  // Also where the catalogue has changed since the handle was kept.
  const kept = {
    upstreamTaskId: "r-1",
    model: target.model,
    urls: { status: `${other.url}/status` },
  };
  await scene.poll("fal", [[202, { status: "IN_QUEUE" }]], { target, handle: kept });
  assert.equal(
    scene.requests[before]?.path,
    "/fal-ai/veo3/requests/r-1/status",
    "the sub-path of a model counts for submissions only",
  );
  assert.equal(other.requests.length, 0);

  const host = new URL(other.url).host;
  other.answerNext([202, { status: "IN_QUEUE" }]);
  const trusting = scene.target({ model: target.model, upstream: { resultHosts: [host] } });
  await scene.poll("fal", [], { target: trusting, handle: kept });
  assert.equal(other.requests[0]?.path, "/status");
  assert.equal(other.requests[0]?.headers.authorization, `Key ${CREDENTIAL}`);
});

test("cancelling says what is certain, looking up finds what our attempt's id stands in", async (t) => {
  const scene = await openProviderScene(t);
  const handle = {
    upstreamTaskId: "p-1",
    model: "m/x",
    submittedAt: scene.clock.now().toISOString(),
    urls: {},
  };
  const { fal: falAdapter, replicate, kie: kieAdapter } = scene.adapters;
  assert.deepEqual(
    [kieAdapter.cancel, kieAdapter.lookUp, falAdapter.lookUp],
    [undefined, undefined, undefined],
  );
  const signal = AbortSignal.timeout(5_000);
  for (const [adapter, answer, expected] of [
    [falAdapter, [202, { status: "CANCELLATION_REQUESTED" }], "unknown"],
    [falAdapter, [400, { status: "ALREADY_COMPLETED" }], "too_late"],
    [falAdapter, [404, { status: "NOT_FOUND" }], "unknown"],
    [falAdapter, [200, HTML], "unknown"],
    [replicate, [200, { status: "canceled" }], "canceled"],
    [replicate, [200, { status: "aborted" }], "canceled"],
    [replicate, [200, { status: "succeeded" }], "too_late"],
    [replicate, [200, { status: "processing" }], "unknown"],
    [replicate, [422, {}], "too_late"],
    [replicate, [500, {}], "unknown"],
    [replicate, [401, {}], "unknown"],
  ] as const) {
    scene.answerNext(answer);
    assert.equal(
      await adapter.cancel?.(scene.target(), handle, signal),
      expected,
      JSON.stringify(answer),
    );
  }
  assert.deepEqual(
    [scene.requests[0]?.method, scene.requests[0]?.path],
    ["PUT", "/m/x/requests/p-1/cancel"],
  );
  assert.deepEqual(
    [scene.requests[4]?.method, scene.requests[4]?.path],
    ["POST", "/v1/predictions/p-1/cancel"],
  );

  const attempt = "0198f5a0-0000-7000-8000-000000000001";
  const entry = (id: unknown, webhook: string): object => ({
    id,
    webhook,
    input: { prompt: "x" },
    urls: { get: `${scene.url}/v1/predictions/${String(id)}` },
  });
  const lookUp = async (answer: ScriptedAnswer) => {
    scene.answerNext(answer);
    return replicate.lookUp?.(scene.target(), attempt, signal);
  };
  const found = await lookUp([
    200,
    { results: [entry("p-0", "https://g/x"), entry("p-7", `https://g/${attempt}`)] },
  ]);
  assert.ok(found?.kind === "found");
  assert.deepEqual(
    [found.handle.upstreamTaskId, found.handle.urls["get"]],
    ["p-7", `${scene.url}/v1/predictions/p-7`],
  );
  for (const answer of [
    [200, { results: [entry("p-0", "https://g/x")] }],
    [200, { results: [] }],
    [200, { results: { a: attempt } }],
    [200, { results: [attempt, null, [attempt]] }],
    [200, { results: [entry({}, attempt)] }],
    [200, HTML],
    [404, {}],
    [500, {}],
  ] as const)
    assert.deepEqual(
      await lookUp(answer),
      { kind: "unknown" },
      "that a list does not show it proves nothing",
    );
});

test("reports name their task, and nothing else of them is read", async (t) => {
  const { adapters } = await openProviderScene(t);
  const read = (
    protocol: "kie" | "fal" | "replicate" | "http-task",
    body: unknown,
  ): string | null =>
    adapters[protocol].readCallback(
      {},
      Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    )?.upstreamTaskId ?? null;
  assert.equal(read("kie", { code: 501, data: { taskId: "t-1", state: "fail" } }), "t-1");
  assert.equal(read("kie", { taskId: "t-1" }), "t-1");
  assert.equal(read("fal", { request_id: "r-1", status: "ERROR" }), "r-1");
  assert.equal(read("replicate", { id: "p-1", status: "succeeded" }), "p-1");
  for (const body of [
    "",
    "{",
    "null",
    "[]",
    '"x"',
    { data: null },
    { id: {} },
    { id: "" },
    { id: ".." },
    { request_id: "a\nb" },
    `"${"x".repeat(1_000_001)}"`,
  ])
    for (const protocol of ["kie", "fal", "replicate"] as const)
      assert.equal(read(protocol, body), null, JSON.stringify(body).slice(0, 80));
  assert.equal(
    read("http-task", { id: "x" }),
    null,
    "without its upstream it is not known where the id is",
  );
});

test("what is wrong with an answer is told by code beside the sentence", async (t) => {
  const scene = await openProviderScene(t);
  const cases = [
    [[500, {}], "status 500", { code: "status_alone", params: { status: 500 } }],
    [[502, "<html>"], "status 502: no JSON", { code: "status_not_json", params: { status: 502 } }],
    [
      [418, { code: 418, msg: "no room" }],
      "status 418: 418: no room",
      { code: "status", params: { status: 418, words: "418: no room" } },
    ],
    [[200, { code: 200, data: {} }], "the answer has no state", { code: "no_state", params: {} }],
    [
      [200, { code: 200, data: { state: "frobnicating" } }],
      'the state "frobnicating" is not known',
      { code: "state_not_known", params: { state: "frobnicating" } },
    ],
  ] as const;
  for (const [answer, reason, coded] of cases) {
    const outcome = await scene.poll("kie", [answer]);
    assert.ok("reason" in outcome, JSON.stringify(outcome));
    assert.deepEqual([outcome.reason, outcome.coded], [reason, coded]);
  }
});
