/**
 * Guarantee: a provider that is described in the catalogue alone works: the descriptions of
 * docs/task-providers.md are called here as they stand there.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import {
  CREDENTIAL,
  NEVER,
  openProviderScene,
  type ProviderScene,
  type ScriptedAnswer,
} from "../../../test/support/provider-scene.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import type { TaskHandle, TaskTarget } from "./task-adapter.ts";

const PAGE = readFileSync(new URL("../../../docs/task-providers.md", import.meta.url), "utf8");
const ATTEMPT = "0198f5a0-0000-7000-8000-000000000001";
const CALLBACK = "https://gate.example/v1/callbacks/up/token";
const IMAGE = "https://files.example/a.jpg";
const VIDEO = "https://files.example/b.mp4";
const RESULT = "https://cdn.provider.example/out.mp4";

/** The upstream of the page's example of this name, before the scripted provider. */
function describedTarget(
  scene: ProviderScene,
  name: string,
  table: string,
  model: string,
): TaskTarget {
  const yaml = [...PAGE.matchAll(/^```yaml\n(.*?)^```$/gms)]
    .map(([, text = ""]) => text)
    .find((text) => text.includes(`  ${name}:\n`));
  const reading = parseCatalogue(
    `${yaml}models:\n  m: { type: task, parameters: ${table}, price: { unit: video, quantity: 1, amount: "1" }, routes: [ { upstream: ${name}, model: "${model}" } ] }\n`,
    { PROVIDER_URL: scene.url, PROVIDER_KEY: CREDENTIAL },
  );
  assert.ok(reading.ok, JSON.stringify(reading));
  const upstream = reading.catalogue.upstreams.get(name);
  assert.ok(upstream !== undefined);
  return { upstream, credential: CREDENTIAL, model, table };
}

interface DescribedScene {
  readonly scene: ProviderScene;
  submitTo(target: TaskTarget, answer: ScriptedAnswer, parameters: object): Promise<TaskHandle>;
  /** The last request: method, path, body. */
  last(): readonly [method: string | undefined, path: string | undefined, body: unknown];
}

async function openScene(t: TestContext): Promise<DescribedScene> {
  const scene = await openProviderScene(t);
  return {
    scene,
    async submitTo(target, answer, parameters) {
      scene.answerNext(answer);
      const submission = {
        parameters: { ...parameters },
        attemptId: ATTEMPT,
        callbackUrl: CALLBACK,
        deadlineSeconds: 600,
      };
      const outcome = await scene.adapters["http-task"].submit(target, submission, NEVER);
      assert.ok(outcome.kind === "accepted", JSON.stringify(outcome));
      return outcome.handle;
    },
    last() {
      const request = scene.requests.at(-1);
      return [
        request?.method,
        request?.path,
        request === undefined || request.body.length === 0 ? null : request.json(),
      ];
    },
  };
}

test("Kling-like: a path by table, an enum, our own id in the body, a look-up by it", async (t) => {
  const { scene, submitTo, last } = await openScene(t);
  const adapter = scene.adapters["http-task"];
  const target = describedTarget(scene, "kling-like", "T5", "kling-v3");
  const parameters = {
    prompt: "dance",
    inputUrls: [IMAGE],
    videoUrls: [VIDEO],
    characterOrientation: "image",
    mode: "1080p",
    backgroundSource: "input_video",
    duration: 7,
  };
  const handle = await submitTo(
    target,
    [200, { code: 0, message: "SUCCEED", data: { task_id: "k-1", task_status: "submitted" } }],
    parameters,
  );
  assert.deepEqual(last(), [
    "POST",
    "/v1/videos/motion-control",
    {
      keep_original_sound: "yes",
      prompt: "dance",
      image_url: IMAGE,
      video_url: VIDEO,
      character_orientation: "image",
      mode: "pro",
      model_name: "kling-v3",
      callback_url: CALLBACK,
      external_task_id: ATTEMPT,
    },
  ]);
  assert.deepEqual(scene.requests[0]?.headers.authorization, `Bearer ${CREDENTIAL}`);

  const poll = (answer: ScriptedAnswer) => scene.poll("http-task", [answer], { target, handle });
  const data = (more: object): ScriptedAnswer => [
    200,
    { code: 0, data: { task_id: "k-1", ...more } },
  ];
  assert.deepEqual((await poll(data({ task_status: "processing" }))).kind, "running");
  assert.deepEqual(last().slice(0, 2), ["GET", "/v1/videos/motion-control/k-1"]);
  assert.deepEqual(
    await poll(
      data({
        task_status: "succeed",
        task_result: { videos: [{ id: "v", url: RESULT, duration: "5" }] },
        final_unit_deduction: "3.5",
      }),
    ),
    {
      kind: "succeeded",
      urls: [RESULT],
      authorize: false,
      cost: { amount: "3.5", unit: "units" },
    },
  );
  const failed = await poll(data({ task_status: "failed", task_status_msg: "bad hands" }));
  assert.ok(
    failed.kind === "failed" &&
      failed.code === "provider_error" &&
      failed.reason === "failed: bad hands",
  );
  assert.equal((await poll([200, { code: 1303, message: "parallel" }])).kind, "busy");
  assert.equal((await poll([401, { code: 1000 }])).kind, "operator");
  assert.equal(
    (await poll([400, { code: 1201, message: "our question was wrong" }])).kind,
    "unknown",
    "codes of all calls end no task",
  );

  const submission = { parameters, attemptId: ATTEMPT, callbackUrl: null, deadlineSeconds: 1 };
  for (const [answer, expected] of [
    [[200, { code: 1303 }], "busy"],
    [[429, { code: 1302 }], "busy"],
    [[200, { code: 1102 }], "operator"],
    [[400, { code: 1201 }], "rejected"],
    [[200, { code: 5000 }], "unknown"],
    [[500, { code: 1302 }], "busy"],
  ] as const) {
    scene.answerNext(answer);
    assert.equal(
      (await adapter.submit(target, submission, NEVER)).kind,
      expected,
      JSON.stringify(answer),
    );
  }
  assert.equal(
    (last()[2] as Record<string, unknown>)["callback_url"],
    undefined,
    "no callback, no field for it",
  );
  scene.answerNext([200, { code: 1301 }]);
  const blocked = await adapter.submit(target, submission, NEVER);
  assert.ok(blocked.kind === "rejected" && blocked.code === "content_blocked");

  const lookUp = async (answer: ScriptedAnswer) => {
    scene.answerNext(answer);
    return adapter.lookUp?.(target, ATTEMPT, NEVER);
  };
  const found = await lookUp([200, { code: 0, data: { task_id: "k-1" } }]);
  assert.ok(found?.kind === "found" && found.handle.upstreamTaskId === "k-1");
  assert.equal(last()[1], `/v1/videos/motion-control/${ATTEMPT}`);
  assert.deepEqual(await lookUp([200, { code: 1203, message: "no such task" }]), {
    kind: "absent",
  });
  assert.deepEqual(await lookUp([200, { code: 5000 }]), { kind: "unknown" });
  assert.deepEqual(await lookUp([404, {}]), { kind: "unknown" });
  assert.deepEqual(adapter.readCallback({}, Buffer.from('{"task_id":"k-1"}'), target.upstream), {
    upstreamTaskId: "k-1",
  });
});

test("BytePlus-like: parameters as contents with roles, a code in the failure, a cancellation that promises nothing", async (t) => {
  const { scene, submitTo, last } = await openScene(t);
  const target = describedTarget(scene, "byteplus-like", "T3", "dreamina-seedance-2-0");
  const handle = await submitTo(target, [200, { id: "cgt-1" }], {
    prompt: "a cat",
    aspectRatio: "16:9",
    resolution: "720p",
    duration: 5,
    generateAudio: true,
    firstFrameUrl: IMAGE,
    referenceImageUrls: [IMAGE, `${IMAGE}?2`],
    referenceVideoUrls: [VIDEO],
    returnLastFrame: true,
    webSearch: false,
  });
  assert.deepEqual(last(), [
    "POST",
    "/api/v3/contents/generations/tasks",
    {
      content: [
        { type: "text", text: "a cat" },
        { type: "image_url", role: "first_frame", image_url: { url: IMAGE } },
        { type: "image_url", role: "reference_image", image_url: { url: IMAGE } },
        { type: "image_url", role: "reference_image", image_url: { url: `${IMAGE}?2` } },
        { type: "video_url", role: "reference_video", video_url: { url: VIDEO } },
      ],
      ratio: "16:9",
      resolution: "720p",
      duration: 5,
      generate_audio: true,
      return_last_frame: true,
      model: "dreamina-seedance-2-0",
      callback_url: CALLBACK,
    },
  ]);
  const poll = (body: object) =>
    scene.poll("http-task", [[200, { id: "cgt-1", ...body }]], { target, handle });
  assert.equal((await poll({ status: "queued" })).kind, "running");
  const done = await poll({
    status: "succeeded",
    content: { video_url: RESULT, last_frame_url: IMAGE },
    usage: { completion_tokens: 246_840 },
  });
  assert.deepEqual(done, {
    kind: "succeeded",
    urls: [RESULT, IMAGE],
    authorize: false,
    cost: { amount: "246840", unit: "tokens" },
  });
  for (const [body, code] of [
    [
      { status: "failed", error: { code: "OutputVideoSensitiveContentDetected", message: "x" } },
      "content_blocked",
    ],
    [{ status: "failed", error: { code: "InternalServiceError" } }, "provider_error"],
    [{ status: "cancelled" }, "canceled"],
    [{ status: "expired" }, "provider_timeout"],
    [{ status: "succeeded", content: {} }, "provider_error"],
  ] as const) {
    const outcome = await poll(body);
    assert.ok(outcome.kind === "failed" && outcome.code === code, JSON.stringify(body));
  }
  scene.answerNext([200, {}], [409, { error: { code: "InvalidAction" } }]);
  assert.equal(
    await scene.adapters["http-task"].cancel?.(target, handle, NEVER),
    "unknown",
    "a finished task's record is deleted by the same call",
  );
  assert.deepEqual(last().slice(0, 2), ["DELETE", "/api/v3/contents/generations/tasks/cgt-1"]);
  assert.equal(await scene.adapters["http-task"].cancel?.(target, handle, NEVER), "too_late");
});

test("MiniMax-like: a number made of a text, the file behind a second call", async (t) => {
  const { scene, submitTo, last } = await openScene(t);
  const target = describedTarget(scene, "minimax-like", "T8", "MiniMax-Hailuo-2.3");
  const ok = { status_code: 0, status_msg: "success" };
  const handle = await submitTo(target, [200, { task_id: "106916112212032", base_resp: ok }], {
    prompt: "a cat",
    imageUrl: IMAGE,
    duration: "10",
    resolution: "768P",
    variant: "standard",
  });
  assert.deepEqual(last()[2], {
    prompt: "a cat",
    first_frame_image: IMAGE,
    duration: 10,
    resolution: "768P",
    model: "MiniMax-Hailuo-2.3",
    callback_url: CALLBACK,
  });
  const poll = (...answers: ScriptedAnswer[]) =>
    scene.poll("http-task", answers, { target, handle });
  assert.equal((await poll([200, { status: "Queueing", base_resp: ok }])).kind, "running");
  const success: ScriptedAnswer = [
    200,
    { status: "Success", file_id: "176844028768320", base_resp: ok },
  ];
  const done = await poll(success, [
    200,
    { file: { file_id: 1, download_url: RESULT }, base_resp: ok },
  ]);
  assert.ok(done.kind === "succeeded");
  assert.deepEqual(done.urls, [RESULT]);
  assert.deepEqual(
    scene.requests.slice(-2).map(({ path }) => path),
    [
      "/v1/query/video_generation?task_id=106916112212032",
      "/v1/files/retrieve?file_id=176844028768320",
    ],
  );
  assert.equal(
    (await poll(success, [500, {}])).kind,
    "unknown",
    "the file may be there the next time",
  );
  assert.equal((await poll(success, [200, { base_resp: { status_code: 1002 } }])).kind, "busy");
  const none = await poll([200, { status: "Success", base_resp: ok }]);
  assert.ok(none.kind === "failed" && none.code === "provider_error");
  const blocked = await poll([200, { status: "Fail", base_resp: ok, error: 1 }]);
  assert.ok(blocked.kind === "failed");
});

test("Veo-like: done or not, an error at the end, files for the credential only", async (t) => {
  const { scene, submitTo, last } = await openScene(t);
  const target = describedTarget(scene, "veo-like", "T2", "veo-3.1");
  const handle = await submitTo(target, [200, { name: "models/veo-3.1/operations/op-1" }], {
    prompt: "a cat",
    imageUrls: [IMAGE],
    duration: 8,
  });
  assert.deepEqual(last(), [
    "POST",
    "/v1beta/models/veo-3.1:predictLongRunning",
    { instances: [{ prompt: "a cat", image: { uri: IMAGE } }], parameters: { durationSeconds: 8 } },
  ]);
  assert.deepEqual(
    [scene.requests[0]?.headers["x-goog-api-key"], scene.requests[0]?.headers.authorization],
    [CREDENTIAL, undefined],
  );
  const poll = (body: object) =>
    scene.poll("http-task", [[200, { name: "x", ...body }]], { target, handle });
  assert.equal((await poll({})).kind, "running");
  assert.equal(last()[1], "/v1beta/models/veo-3.1/operations/op-1");
  const samples = (uri: string): object => ({
    done: true,
    response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } },
  });
  const own = await poll(samples(`${scene.url}/v1beta/files/f:download`));
  assert.ok(own.kind === "succeeded" && own.authorize);
  const named = await poll(samples("https://files.example.com/f"));
  assert.ok(named.kind === "succeeded" && named.authorize);
  const foreign = await poll(samples("https://elsewhere.example/f"));
  assert.ok(foreign.kind === "succeeded" && !foreign.authorize, "the credential goes nowhere else");
  assert.deepEqual(scene.adapters["http-task"].authorization(target), {
    "x-goog-api-key": CREDENTIAL,
  });
  const failed = await poll({
    done: true,
    error: { code: 3, status: "INVALID_ARGUMENT", message: "x" },
  });
  assert.ok(failed.kind === "failed" && failed.code === "provider_rejected");
  const blocked = await poll({
    done: true,
    response: { generateVideoResponse: { raiMediaFilteredCount: 1 } },
  });
  assert.ok(blocked.kind === "failed" && blocked.code === "content_blocked");
});

test("an upstream without a description is the operator's to mend, and is never called", async (t) => {
  const { scene } = await openScene(t);
  const adapter = scene.adapters["http-task"];
  const target = scene.target();
  const handle = { upstreamTaskId: "x", model: "m", submittedAt: "2026-01-01T00:00:00Z", urls: {} };
  const submission = { parameters: {}, attemptId: ATTEMPT, callbackUrl: null, deadlineSeconds: 1 };
  assert.equal((await adapter.submit(target, submission, NEVER)).kind, "operator");
  assert.equal((await adapter.poll(target, handle, NEVER)).kind, "operator");
  assert.deepEqual(await adapter.lookUp?.(target, ATTEMPT, NEVER), { kind: "unknown" });
  assert.equal(await adapter.cancel?.(target, handle, NEVER), "unknown");
  assert.deepEqual(adapter.scheduleOf(target.upstream), adapter.schedule);
  assert.equal(scene.requests.length, 0);
});

test("polls are spaced as the description says, a credential can stand in the query", async (t) => {
  const { scene } = await openScene(t);
  const described = describedTarget(scene, "minimax-like", "T8", "m");
  const task = described.upstream.task;
  assert.ok(task !== undefined);
  const schedule = { firstMs: 5_000, minMs: 5_000, maxMs: 60_000 };
  const upstream = {
    ...described.upstream,
    baseUrl: `${scene.url}?region=eu`,
    task: { ...task, schedule, auth: { kind: "query", name: "key" } },
  } as const;
  assert.deepEqual(scene.adapters["http-task"].scheduleOf(upstream), schedule);
  const target = { ...described, upstream };
  scene.answerNext((exchange) => exchange.destroy());
  const submission = { parameters: {}, attemptId: ATTEMPT, callbackUrl: null, deadlineSeconds: 1 };
  const outcome = await scene.adapters["http-task"].submit(target, submission, NEVER);
  assert.equal(scene.requests[0]?.path, `/v1/video_generation?region=eu&key=${CREDENTIAL}`);
  assert.ok(outcome.kind === "unknown" && !JSON.stringify(outcome).includes(CREDENTIAL));
});
