/**
 * Guarantee: the adapters and the built-in providers understand each other: every model of the
 * catalogue that is delivered, and each protocol to its end.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createSandbox } from "../../../sandbox/create-sandbox.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { isTaskProtocol } from "../../contract/enums/upstream-protocol.ts";
import { readTaskParameters } from "../../contract/tasks/read-task-parameters.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { systemClock } from "../../kernel/clock.ts";
import { newUuid } from "../../kernel/ids.ts";
import { createOutgoing } from "../../net/outgoing.ts";
import { createTaskAdapters, type TaskAdapters } from "./create-task-adapters.ts";
import type { PollOutcome, SubmitOutcome, TaskHandle, TaskTarget } from "./task-adapter.ts";

const SOURCE = readFileSync(new URL("../../../catalogue.yaml", import.meta.url), "utf8");
const IMAGE = "https://files.example/a.jpg";
const VIDEO = "https://files.example/b.mp4";
const AUDIO = "https://files.example/c.mp3";
/** The sandbox takes our word for the media. */
const OFF = "[[sandbox: fetch=off]]";
const PROMPT = `a cat ${OFF}`;
const REFERENCES = {
  referenceImageUrls: [IMAGE],
  referenceVideoUrls: [VIDEO],
  referenceAudioUrls: [AUDIO],
};

/** Of each table the least that it takes, and more. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  T1: [
    { video: VIDEO, color: `white ${OFF}` },
    { video: VIDEO, color: `red ${OFF}`, maxChars: 10, rightToLeft: true, strokeWidth: 1.5 },
  ],
  T2: [
    { prompt: PROMPT, imageUrls: [IMAGE] },
    {
      prompt: PROMPT,
      imageUrls: [IMAGE, IMAGE],
      duration: 15,
      aspectRatio: "4:3",
      nsfwChecker: true,
    },
  ],
  T3: [
    { prompt: PROMPT, duration: 4 },
    {
      prompt: PROMPT,
      duration: 15,
      firstFrameUrl: IMAGE,
      lastFrameUrl: IMAGE,
      returnLastFrame: true,
      resolution: "4k",
    },
    { prompt: PROMPT, duration: 5, ...REFERENCES, generateAudio: false, aspectRatio: "adaptive" },
  ],
  T4: [
    { prompt: PROMPT, imageUrls: [IMAGE] },
    {
      prompt: PROMPT,
      imageUrls: [IMAGE],
      imageSize: "square",
      imageResolution: "4K",
      maxImages: 6,
      seed: 1,
    },
  ],
  T5: [
    { prompt: PROMPT, inputUrls: [IMAGE], videoUrls: [VIDEO], duration: 3 },
    {
      prompt: PROMPT,
      inputUrls: [IMAGE],
      videoUrls: [VIDEO],
      duration: 30,
      mode: "1080p",
      backgroundSource: "input_image",
    },
  ],
  T6: [
    { prompt: PROMPT, imageUrls: [IMAGE] },
    {
      prompt: PROMPT,
      imageUrls: [IMAGE, IMAGE],
      quality: "high",
      aspectRatio: "21:9",
      nsfwChecker: true,
    },
  ],
  T7: [
    { prompt: PROMPT },
    { prompt: PROMPT, imageUrls: [IMAGE], sound: true, mode: "4K", duration: "15" },
    {
      prompt: PROMPT,
      duration: "7",
      multiShots: [
        { prompt: "one", duration: 3 },
        { prompt: "two", duration: 4 },
      ],
      elements: [{ name: "dog", description: "a dog", urls: [IMAGE, IMAGE] }],
    },
  ],
  T8: [
    { prompt: PROMPT, imageUrl: IMAGE },
    { prompt: PROMPT, imageUrl: IMAGE, variant: "pro", duration: "10" },
  ],
  T9: [
    { prompt: PROMPT, duration: 15, ...REFERENCES },
    {
      prompt: PROMPT,
      duration: 8,
      fixedLens: true,
      firstFrameUrl: IMAGE,
      lastFrameUrl: IMAGE,
      generateAudio: true,
    },
  ],
  T10: [
    { prompt: PROMPT, aspectRatio: "auto" },
    { prompt: PROMPT, imageUrls: [IMAGE], aspectRatio: "auto", model: "flex", resolution: "2K" },
  ],
  T11: [
    { prompt: PROMPT, videoUrls: [VIDEO] },
    { prompt: PROMPT, videoUrls: [VIDEO, VIDEO], duration: "10", resolution: "720p" },
  ],
  T12: [
    { prompt: PROMPT, imageUrls: [IMAGE] },
    { prompt: PROMPT, imageUrls: [IMAGE], duration: "15", resolution: "720p" },
  ],
  T13: [
    { prompt: PROMPT, imageUrl: IMAGE },
    { prompt: PROMPT, imageUrl: IMAGE, duration: "10", sound: true },
  ],
  T14: [
    { prompt: PROMPT, inputUrls: [IMAGE] },
    { prompt: PROMPT, inputUrls: [IMAGE], aspectRatio: "21:9", resolution: "4K" },
  ],
  T15: [
    { prompt: PROMPT },
    {
      prompt: PROMPT,
      imageUrls: [IMAGE],
      audioIds: ["a"],
      characterIds: ["c"],
      videoList: [{ url: VIDEO, start: 0, ends: 5 }],
      seed: 1,
    },
  ],
  T16: [
    { prompt: PROMPT, imageUrl: IMAGE },
    { prompt: PROMPT, imageUrl: IMAGE, duration: "15", resolution: "1080p" },
  ],
  T17: [
    {
      prompt: PROMPT,
      inputUrls: [IMAGE],
      videoUrls: [VIDEO],
      characterOrientation: "video",
      duration: 30,
    },
    {
      prompt: PROMPT,
      inputUrls: [IMAGE],
      videoUrls: [VIDEO],
      characterOrientation: "image",
      duration: 10,
      mode: "1080p",
    },
  ],
  T18: [{ prompt: PROMPT, imageUrl: IMAGE, audioUrl: AUDIO }],
  T19: [
    { prompt: PROMPT },
    { prompt: PROMPT, imageUrls: [IMAGE], resolution: "4K", aspectRatio: "1:8" },
  ],
};

interface SandboxScene {
  readonly url: string;
  readonly adapters: TaskAdapters;
}

async function openSandbox(t: TestContext): Promise<SandboxScene> {
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    media: { queueMs: 10, runMs: 10 },
  });
  const outgoing = createOutgoing();
  t.after(async () => {
    await outgoing.close();
    await sandbox.close();
  });
  return { url: sandbox.url, adapters: createTaskAdapters({ outgoing, clock: systemClock }) };
}

function submit(
  { adapters }: SandboxScene,
  protocol: keyof TaskAdapters,
  target: TaskTarget,
  parameters: object,
): Promise<SubmitOutcome> {
  const submission = {
    parameters: { ...parameters },
    attemptId: newUuid(),
    callbackUrl: null,
    deadlineSeconds: 600,
  };
  return adapters[protocol].submit(target, submission, AbortSignal.timeout(20_000));
}

async function finish(
  { adapters }: SandboxScene,
  protocol: keyof TaskAdapters,
  target: TaskTarget,
  handle: TaskHandle,
): Promise<PollOutcome> {
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    const outcome = await adapters[protocol].poll(target, handle, deadline);
    if ((outcome.kind !== "running" && outcome.kind !== "missing") || deadline.aborted)
      return outcome;
    await setTimeout(20);
  }
}

test("every task model of the delivered catalogue is taken by its provider, with the least and with the most it is asked for", async (t) => {
  const scene = await openSandbox(t);
  const reading = parseCatalogue(SOURCE, { SANDBOX_URL: scene.url, SANDBOX_API_KEY: "sandbox" });
  assert.ok(reading.ok, JSON.stringify(reading));
  const seen = new Set<string>();
  for (const model of reading.catalogue.models.values()) {
    if (model.type !== "task") continue;
    const table = [...TASK_TABLES.values()].find(({ id }) => id === model.parameters);
    assert.ok(table !== undefined);
    seen.add(table.id);
    for (const route of model.routes) {
      const upstream = reading.catalogue.upstreams.get(route.upstream);
      assert.ok(upstream !== undefined && isTaskProtocol(upstream.protocol));
      const target = { upstream, credential: "sandbox", model: route.model, table: table.id };
      for (const body of BODIES[table.id] ?? []) {
        const read = readTaskParameters(table, body, () => ({ ok: true }));
        assert.ok(read.ok, `${table.id}: ${JSON.stringify(read)}`);
        const outcome = await submit(scene, upstream.protocol, target, read.parameters);
        assert.equal(
          outcome.kind,
          "accepted",
          `${model.id} ${JSON.stringify(body)}: ${JSON.stringify(outcome)}`,
        );
      }
    }
  }
  assert.deepEqual(
    [...seen].toSorted(),
    Object.keys(BODIES).toSorted(),
    "all nineteen tables are sold",
  );
});

test("kie, fal and Replicate from submission to files, and by way of every failure they can tell", async (t) => {
  const scene = await openSandbox(t);
  const timeoutsMs = { connect: 2_000, firstByte: 10_000, idle: 10_000 };
  const bases = { kie: scene.url, fal: `${scene.url}/fal`, replicate: scene.url } as const;
  const models = {
    kie: "nano-banana-2",
    fal: "fal-ai/nano-banana-2/edit",
    replicate: "google/nano-banana-2",
  } as const;
  for (const protocol of ["kie", "fal", "replicate"] as const) {
    const upstream = { name: protocol, baseUrl: bases[protocol], timeoutsMs, resultHosts: [] };
    const target = {
      upstream,
      credential: "key-of-this-test",
      model: models[protocol],
      table: "T19",
    };
    const run = async (words: string): Promise<PollOutcome> => {
      const outcome = await submit(scene, protocol, target, {
        prompt: `a cat [[sandbox: ${words}]]`,
        aspectRatio: "1:1",
        resolution: "1K",
      });
      assert.ok(outcome.kind === "accepted", `${protocol} ${words}: ${JSON.stringify(outcome)}`);
      return finish(scene, protocol, target, outcome.handle);
    };
    const done = await run("tag=plain");
    assert.ok(done.kind === "succeeded", `${protocol}: ${JSON.stringify(done)}`);
    assert.match(done.urls[0] ?? "", /^http:\/\/127\.0\.0\.1:\d+\/sandbox\/results\//);

    for (const [words, code] of [
      ["fail=501", "provider_error"],
      ["fail=blocked", "content_blocked"],
      ["output=none", "provider_error"],
      ["output=null", "provider_error"],
      ["output=missing", "provider_error"],
    ] as const) {
      const failed = await run(words);
      assert.ok(
        failed.kind === "failed" && failed.code === code,
        `${protocol} ${words}: ${JSON.stringify(failed)}`,
      );
    }
    for (const words of ["output=string", protocol === "fal" ? "tag=again" : "output=object"]) {
      const odd = await run(words);
      assert.equal(odd.kind, "succeeded", `${protocol} ${words}: ${JSON.stringify(odd)}`);
    }
    for (const [words, kind] of [
      ["createStatus=429", "busy"],
      ["createStatus=402", "operator"],
      ["create=reset", "unknown"],
      ["create=reset-after", "unknown"],
      ["create=html", "unknown"],
      ["create=empty", "unknown"],
      ["create=garbage", "unknown"],
      ["create=no-id", "unknown"],
    ] as const) {
      const outcome = await submit(scene, protocol, target, {
        prompt: `a cat [[sandbox: ${words}]]`,
        aspectRatio: "1:1",
      });
      assert.equal(outcome.kind, kind, `${protocol} ${words}: ${JSON.stringify(outcome)}`);
    }
    for (const words of ["stuck state=dreaming", "poll=html", "poll=reset", "poll=empty"]) {
      const outcome = await run(words);
      assert.equal(outcome.kind, "unknown", `${protocol} ${words}: ${JSON.stringify(outcome)}`);
    }
  }
});

test("a submission whose answer was lost is found at Replicate by our attempt's id, and can be cancelled", async (t) => {
  const scene = await openSandbox(t);
  const upstream = {
    name: "r",
    baseUrl: scene.url,
    timeoutsMs: { connect: 2_000, firstByte: 10_000, idle: 10_000 },
    resultHosts: [],
  };
  const target = {
    upstream,
    credential: "key-of-this-test",
    model: "google/nano-banana-2",
    table: "T19",
  };
  const attemptId = newUuid();
  const callbackUrl = `${scene.url}/nowhere/${attemptId}`;
  const submission = {
    parameters: { prompt: "a cat [[sandbox: create=reset-after stuck]]" },
    attemptId,
    callbackUrl,
    deadlineSeconds: 600,
  };
  const signal = AbortSignal.timeout(20_000);
  const { replicate } = scene.adapters;
  assert.equal((await replicate.submit(target, submission, signal)).kind, "unknown");
  assert.deepEqual(await replicate.lookUp?.(target, newUuid(), signal), { kind: "unknown" });
  const found = await replicate.lookUp?.(target, attemptId, signal);
  assert.ok(found?.kind === "found");
  assert.equal((await replicate.poll(target, found.handle, signal)).kind, "running");
  assert.equal(await replicate.cancel?.(target, found.handle, signal), "canceled");
  const ended = await replicate.poll(target, found.handle, signal);
  assert.ok(ended.kind === "failed" && ended.code === "canceled");
});
