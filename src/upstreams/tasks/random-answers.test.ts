/**
 * Guarantee: whatever a provider answers, nothing throws, no task is accepted without an id or
 * completed without a URL, and no credential comes out.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CREDENTIAL, NEVER, openProviderScene } from "../../../test/support/provider-scene.ts";

const words = fc.constantFrom(
  "200",
  "success",
  "succeeded",
  "COMPLETED",
  "fail",
  "failed",
  "https://files.example/a.mp4",
  `https://files.example/${CREDENTIAL}.mp4`,
  CREDENTIAL,
  `Bearer ${CREDENTIAL}`,
  '{"resultUrls":["https://files.example/b.mp4"]}',
  `{"resultUrls":["https://files.example/${CREDENTIAL}"]}`,
  "data:image/png;base64,AA",
  "..",
  "__proto__",
);
const leaf = fc.oneof(
  words,
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(200, 422, 500, 0),
);
const names = [
  "code",
  "msg",
  "data",
  "taskId",
  "state",
  "resultJson",
  "resultUrls",
  "failCode",
  "request_id",
  "status",
  "status_url",
  "error",
  "error_type",
  "detail",
  "type",
  "video",
  "images",
  "url",
  "id",
  "urls",
  "get",
  "output",
  "metrics",
  "predict_time",
  "progress",
  "creditsConsumed",
  "__proto__",
  "constructor",
  "0",
];
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: fc.string() },
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 4, arbitrary: fc.dictionary(name, tie("value"), { maxKeys: 8 }) },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
  ),
})).value;
/** Near to what is understood, so that the paths behind it are walked too. */
const files = fc.oneof(words, json, fc.array(words, { maxLength: 3 }), fc.record({ url: words }));
/** What is understood: so that a thousand answers always have some of it. */
const successes = fc.constantFrom(
  {
    code: 200,
    data: { state: "success", resultJson: '{"resultUrls":["https://files.example/b.mp4"]}' },
  },
  { status: "succeeded", output: "https://files.example/a.mp4" },
);
const envelope = fc.oneof(
  json,
  successes,
  fc.record({
    code: fc.constant(200),
    data: fc.record({
      state: fc.constantFrom("success", "fail", "generating"),
      resultJson: files,
      progress: leaf,
    }),
  }),
  fc.record({
    status: fc.constantFrom("succeeded", "COMPLETED", "failed", "processing"),
    output: files,
    video: files,
    images: files,
  }),
  fc.record({ code: fc.constantFrom(200, "200", 422, 500, 501), data: json }),
  fc.record({
    code: fc.constant(200),
    data: fc.record({
      taskId: leaf,
      state: words,
      resultJson: json,
      failMsg: leaf,
      failCode: leaf,
    }),
  }),
  fc.record({ id: leaf, status: words, output: json, error: leaf, urls: json }),
  fc.record({
    request_id: leaf,
    status: words,
    error: json,
    status_url: words,
    video: json,
    images: json,
  }),
);
const body = fc.oneof(
  { weight: 9, arbitrary: envelope.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string() },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "[".repeat(200_000),
      `${'{"data":'.repeat(50_000)}1${"}".repeat(50_000)}`,
    ),
  },
);
const status = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(200, 201, 202) },
  { weight: 2, arbitrary: fc.integer({ min: 203, max: 599 }) },
);

test("random answers to submissions, polls, look-ups, cancellations and in reports", async (t) => {
  const scene = await openProviderScene(t);
  const target = scene.target();
  const kinds = new Set<string>();
  const holds = (value: unknown): boolean =>
    JSON.stringify(value).toLowerCase().includes(CREDENTIAL);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("kie", "fal", "replicate"),
      status,
      body,
      body,
      async (protocol, code, first, second) => {
        // These have no body by definition.
        if (code === 204 || code === 205 || code === 304) return;
        const adapter = scene.adapters[protocol];
        const submitted = await scene.submit(protocol, [code, first]);
        kinds.add(`submit ${submitted.kind}`);
        assert.ok(!holds(submitted), "the credential came out of a submission");
        if (submitted.kind === "accepted")
          assert.match(submitted.handle.upstreamTaskId, /^[\x21-\x7e]+$/);

        scene.answerNext([code, first], [code, second]);
        const handle = {
          upstreamTaskId: "t",
          model: "maker/model",
          submittedAt: scene.clock.now().toISOString(),
          urls: {},
        };
        const polled = await adapter.poll(target, handle, NEVER);
        kinds.add(`poll ${polled.kind}`);
        assert.ok(!holds(polled), "the credential came out of a poll");
        if (polled.kind === "succeeded") {
          assert.ok(polled.urls.length > 0);
          for (const url of polled.urls) assert.match(url, /^https?:\/\/./i);
        }
        scene.forgetAnswers();

        for (const call of [
          adapter.lookUp?.bind(adapter, target, "attempt-1", NEVER),
          adapter.cancel?.bind(adapter, target, handle, NEVER),
        ]) {
          if (call === undefined) continue;
          scene.answerNext([code, first]);
          assert.ok(!holds(await call()));
        }
        const report = adapter.readCallback({}, Buffer.from(first));
        if (report !== null) assert.match(report.upstreamTaskId, /^[\x21-\x7e]+$/);
      },
    ),
    { numRuns: 1_000 },
  );
  for (const kind of [
    "submit accepted",
    "submit unknown",
    "poll succeeded",
    "poll failed",
    "poll running",
    "poll unknown",
  ])
    assert.ok(kinds.has(kind), `the answers were too tame: no ${kind}`);
});
