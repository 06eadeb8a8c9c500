/**
 * Guarantee: what one provider refuses beyond its table is a limit of its route: a task that breaks
 * it goes to another route, or is refused with the field where there is none, before any provider
 * is called; a route without limits keeps the table alone.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTasksScene, type TaskCustomer, type TasksScene } from "./tasks-scene.ts";
import { uploadMedia, type OwnMedia } from "./task-media.ts";
import { serveMedia, type ServedMedia } from "./serve-media.ts";

/** kie's rules for Seedance, as an operator writes them who sells its model at T9. */
const LIMITS = `        limits:
          prompt: { minLength: 3 }
          referenceImageUrls: { minSidePx: 300, aspect: [0.4, 2.5] }
          referenceVideoUrls: { totalSeconds: 15, minSidePx: 300 }
          resolution: { values: [480p, 720p] }
          exclusive: [[[firstFrameUrl, lastFrameUrl], [referenceImageUrls, referenceVideoUrls, referenceAudioUrls]]]
          needs: { lastFrameUrl: firstFrameUrl, referenceAudioUrls: [referenceImageUrls, referenceVideoUrls] }
`;
const SEEDANCE =
  '        model: bytedance/seedance-2\n        cost:\n          unit: second\n          quantity: duration\n          amount: { by: resolution, values: { 480p: "2.7"';

let scene: TasksScene;
let customer: TaskCustomer;
let media: OwnMedia;
let served: ServedMedia;
before(async () => {
  scene = await openTasksScene({
    catalogue(text) {
      assert.ok(text.includes(SEEDANCE));
      const limited = text.replace(
        SEEDANCE,
        SEEDANCE.replace("        cost:", `${LIMITS}        cost:`),
      );
      const head = "  seedance-2:\n    type: task\n";
      const at = limited.indexOf(head);
      const entry = limited.slice(at, limited.indexOf("\n\n", at) + 2);
      // The same once more, with a second route that takes everything.
      const second =
        "      - { upstream: sandbox-other, model: bytedance/seedance-2, order: 2 }\n\n";
      const two = entry.replace("  seedance-2:", "  seedance-two:").replace(/\n\n$/, `\n${second}`);
      const upstream = "  sandbox-media:\n";
      const block = limited.slice(
        limited.indexOf(upstream),
        limited.indexOf("\n\n", limited.indexOf(upstream)) + 2,
      );
      return limited
        .replace(entry, `${entry}${two}`)
        .replace(block, `${block}${block.replace("sandbox-media:", "sandbox-other:")}`);
    },
  });
  await scene.start();
  customer = await scene.customer();
  media = await uploadMedia(customer);
  served = await serveMedia();
});
after(async () => {
  await served.close();
  await scene[Symbol.asyncDispose]();
});

const LEAST = { prompt: "x", duration: 4, resolution: "480p" };

test("a broken limit of the only route is a 400 that names the field, and holds nothing", async () => {
  const { image, longVideo } = media;
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, ...string[]])[] = [
    [{ prompt: "ab" }, "prompt minLength"],
    [{ prompt: "abc", resolution: "1080p" }, "resolution enum"],
    [
      { prompt: "abc", firstFrameUrl: image, referenceImageUrls: [image] },
      "referenceImageUrls combination",
    ],
    [{ prompt: "abc", lastFrameUrl: image }, "lastFrameUrl combination"],
    [
      { prompt: "abc", referenceVideoUrls: [longVideo, longVideo] },
      "referenceVideoUrls total_duration",
    ],
    [
      { prompt: "a", referenceVideoUrls: [longVideo, longVideo] },
      "prompt minLength",
      "referenceVideoUrls total_duration",
    ],
  ];
  for (const [patch, ...mistakes] of cases) {
    const answer = await customer.call("POST", "/v1/tasks/seedance-2", { ...LEAST, ...patch });
    const reported = answer.errors.map(({ param, code }) => `${param} ${code}`);
    assert.deepEqual([answer.status, reported], [400, mistakes], answer.text);
    assert.equal(
      (await customer.call("POST", "/v1/quote/tasks/seedance-2", { ...LEAST, ...patch })).status,
      400,
    );
  }
  assert.equal((await customer.money()).held, "0");
  const within = { ...LEAST, prompt: "abc", firstFrameUrl: image, lastFrameUrl: image };
  assert.equal((await customer.end(await customer.order("seedance-2", within))).state, "completed");
});

test("with another route the task goes there, also a one-letter prompt and frames beside references", async () => {
  const body = { ...LEAST, firstFrameUrl: media.image, referenceImageUrls: [media.image] };
  const taskId = await customer.order("seedance-two", { ...body, prompt: "x" });
  assert.equal((await customer.end(taskId)).state, "completed");
  assert.equal(
    (await customer.end(await customer.order("seedance-two", LEAST))).state,
    "completed",
  );
  const rows = await scene.db.query<{ upstream: string }>(
    "SELECT upstream FROM tasks.tasks WHERE model = 'seedance-two'",
  );
  assert.deepEqual(
    rows.map(({ upstream }) => upstream),
    ["sandbox-other", "sandbox-other"],
  );
});

test("files of other hosts are held against the limits when they are fetched: nothing is submitted, the money goes back", async () => {
  const small = served.image(200, 200);
  const body = { ...LEAST, prompt: "abc [[sandbox: tag=small]]", referenceImageUrls: [small] };
  const failed = await customer.end(await customer.order("seedance-2", body));
  assert.equal(failed.state, "failed");
  assert.equal(failed.error?.code, "input_rejected");
  assert.match(
    failed.error?.message ?? "",
    /'referenceImageUrls\[0\]': It is 200×200 px; each side must have at least 300 px/,
  );
  assert.equal(failed.cost.state, "released");
  assert.equal((await scene.provider("small")).submissions.length, 0);
  const elsewhere = await customer.end(await customer.order("seedance-two", body));
  assert.equal(elsewhere.state, "completed");
  assert.equal((await scene.provider("small")).submissions.length, 1);
});

interface OmniInput {
  readonly image_urls?: readonly string[];
  readonly video_list?: readonly {
    readonly url: string;
    readonly start: number;
    readonly ends: number;
  }[];
  readonly duration: string;
}

/** What the provider was given for a task of T15. */
async function omni(body: Readonly<Record<string, unknown>>): Promise<OmniInput> {
  const tag = `omni-${Math.random().toString(36).slice(2)}`;
  const ended = await customer.end(
    await customer.order("gemini-omni-video", { prompt: `x [[sandbox: tag=${tag}]]`, ...body }),
  );
  assert.equal(ended.state, "completed", JSON.stringify(ended.error));
  const { tasks } = await scene.provider(tag);
  return (tasks[0] as { input: OmniInput }).input;
}

test("T15: a video in imageUrls becomes the video, whether it is uploaded or of another host", async () => {
  const { image, video, longVideo } = media;
  const own = await omni({ imageUrls: [image, longVideo] });
  assert.deepEqual(
    [own.image_urls, own.video_list, own.duration],
    [[image], [{ url: longVideo, start: 0, ends: 10 }], "10"],
  );
  const short = await omni({ imageUrls: [video] });
  assert.deepEqual(
    [short.image_urls, short.video_list?.[0]?.start, short.duration],
    [undefined, 0, "4"],
  );
  assert.ok(Math.abs((short.video_list?.[0]?.ends ?? 0) - 4) <= 0.1);
  const foreign = await omni({ imageUrls: [served.film], duration: "6" });
  assert.equal(foreign.video_list?.length, 1);
  assert.ok(Math.abs((foreign.video_list?.[0]?.ends ?? 0) - 4) <= 0.1);
  assert.notEqual(foreign.video_list?.[0]?.url, served.film, "our copy");
});

test("T15: beside videoList a video in imageUrls is a 400 that says so", async () => {
  const videoList = [{ url: media.longVideo, start: 0, ends: 4 }];
  const answer = await customer.call("POST", "/v1/tasks/gemini-omni-video", {
    prompt: "x",
    imageUrls: [media.video],
    videoList,
  });
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.errors, [
    {
      param: "imageUrls[0]",
      code: "combination",
      message:
        "A video among 'imageUrls' cannot be given beside 'videoList': give the video in one of them.",
    },
  ]);
  const late = await customer.end(
    await customer.order("gemini-omni-video", { prompt: "x", imageUrls: [served.film], videoList }),
  );
  assert.deepEqual([late.state, late.error?.code], ["failed", "input_rejected"]);
});
