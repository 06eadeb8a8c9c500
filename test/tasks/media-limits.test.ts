/**
 * Guarantee: each rule about media of the nineteen tables is kept over HTTP by files that were
 * really uploaded: one just inside orders a task and holds its quote, one just outside is refused
 * before it is ordered, with the file and the rule, and holds nothing.
 */
import { after, before, test } from "node:test";
import type { TaskTableId } from "../../src/contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../src/contract/tasks/task-tables.ts";
import type { MediaRules } from "../../src/media/media-rules.ts";
import { TASK_MEDIA_RULES } from "../media/task-media-rules.ts";
import { openHeldOrders, type HeldOrders } from "./held-orders.ts";
import { createLimitFiles, type LimitFile, type UploadLimitFile } from "./limit-files.ts";
import { mediaCases } from "./media-limit-cases.ts";
import { openTasksScene, type TasksScene } from "./tasks-scene.ts";

type Body = Readonly<Record<string, unknown>>;

let scene: TasksScene;
let orders: HeldOrders;
let upload: UploadLimitFile;
before(async () => {
  scene = await openTasksScene();
  // No worker takes what is ordered here.
  await scene.start({ roles: "api" });
  orders = await openHeldOrders(scene);
  upload = createLimitFiles(orders.customer);
});
after(() => scene[Symbol.asyncDispose]());

/** Not fetched when a task is ordered. */
const ELSEWHERE = "https://media.example.org/picture.jpg";

/** What a parameter cannot be ordered without, besides what the minimal example has. */
const BESIDES: Readonly<Record<string, Body>> = {
  lastFrameUrl: { firstFrameUrl: ELSEWHERE },
  referenceAudioUrls: { referenceImageUrls: [ELSEWHERE] },
  // What is declared is at least what is measured.
  videoUrls: { duration: 30 },
};

interface MediaPlace {
  readonly table: TaskTableId;
  /** As mistakes name the parameter, and its first file. */
  readonly param: string;
  readonly first: string;
  readonly rules: MediaRules;
  body(urls: readonly string[]): Body;
}

function placeOf(table: TaskTableId, name: string, rules: MediaRules): MediaPlace {
  if (name === "videoList") {
    const body = (urls: readonly string[]): Body => ({
      videoList: urls.map((url) => ({ url, start: 0, ends: 1 })),
    });
    return { table, param: name, first: "videoList[0].url", rules, body };
  }
  const isList = TASK_TABLES.get(table)?.parameters[name]?.kind === "urls";
  const besides = (name === "videoUrls" && table === "T11" ? {} : BESIDES[name]) ?? {};
  return {
    table,
    param: name,
    first: isList ? `${name}[0]` : name,
    rules,
    body: (urls) => ({ ...besides, [name]: isList ? urls : urls[0] }),
  };
}

/** The elements of T7 are images, or one film alone, and a voice. Source: kie's page. */
function elementPlaces(): MediaPlace[] {
  const element = (urls: readonly string[], more: Body = {}): Body => ({
    elements: [{ name: "dog", description: "A dog.", urls, ...more }],
  });
  const [urls, audioUrls] = ["elements[0].urls", "elements[0].audioUrls"];
  const jpegOrPng = ["image/jpeg", "image/png"] as const;
  return [
    {
      table: "T7",
      param: urls,
      first: `${urls}[0]`,
      rules: { kind: "image", contentTypes: jpegOrPng, maxMegabytes: 10, count: [2, 4] },
      // One alone would be a film.
      body: (files) => element(files.length === 1 ? [...files, ELSEWHERE] : files),
    },
    {
      table: "T7",
      param: urls,
      first: `${urls}[0]`,
      rules: { kind: "video", contentTypes: ["video/mp4", "video/quicktime"], maxMegabytes: 50 },
      body: (files) => element(files),
    },
    {
      table: "T7",
      param: audioUrls,
      first: `${audioUrls}[0]`,
      rules: { kind: "audio", seconds: [5, 30] },
      body: (files) => element([ELSEWHERE, ELSEWHERE], { audioUrls: files }),
    },
  ];
}

/** Inside and outside of what single files cannot show. */
const TOGETHER: readonly (readonly [
  TaskTableId,
  body: (url: string) => Body,
  LimitFile,
  ...mistakes: string[],
])[] = [
  ...(["T5", "T17"] as const).flatMap((table) => {
    const film = (seconds: number): LimitFile => ({ kind: "tables", seconds });
    const lasts = (duration: number, characterOrientation: string) => (url: string) => ({
      videoUrls: [url],
      duration,
      characterOrientation,
    });
    return [
      [table, lasts(5, "video"), film(5.08)],
      [table, lasts(5, "video"), film(5.12), "duration duration"],
      [table, lasts(6, "video"), film(5.12)],
      [table, lasts(10, "image"), film(10.08)],
      [table, lasts(10, "image"), film(10.12), "videoUrls[0] duration", "duration duration"],
      [table, lasts(11, "video"), film(10.12)],
    ] as const;
  }),
  [
    "T15",
    (url) => ({ videoList: [{ url, start: 0, ends: 5.09 }] }),
    { kind: "tables", seconds: 5 },
  ],
  [
    "T15",
    (url) => ({ videoList: [{ url, start: 0, ends: 5.11 }] }),
    { kind: "tables", seconds: 5 },
    "videoList[0].ends duration",
  ],
  ["T7", dog({}), { kind: "tables", seconds: 2.92 }],
  ["T7", dog({}), { kind: "tables", seconds: 2.88 }, "elements[0].urls[0] duration"],
  ["T7", dog({ endMs: 5090 }), { kind: "tables", seconds: 5 }],
  ["T7", dog({ endMs: 5110 }), { kind: "tables", seconds: 5 }, "elements[0].urls[0] duration"],
];

function dog(window: Body): (url: string) => Body {
  return (url) => ({ elements: [{ name: "dog", description: "A dog.", urls: [url], ...window }] });
}

async function check(table: TaskTableId, patch: Body, mistakes: readonly string[]): Promise<void> {
  const body = { ...TASK_TABLES.get(table)?.examples.minimal, ...patch };
  await (mistakes.length === 0 ? orders.taken(table, body) : orders.refused(table, body, mistakes));
}

const PLACES: readonly MediaPlace[] = [
  ...Object.entries(TASK_MEDIA_RULES).flatMap(([table, parameters]) =>
    Object.entries<MediaRules>(parameters).map(([name, rules]) =>
      placeOf(table as TaskTableId, name, rules),
    ),
  ),
  ...elementPlaces(),
];

for (const { table, param, first, rules, body } of PLACES) {
  // These declare how long the film lasts, too.
  const cases = mediaCases(
    param,
    rules,
    param === "videoUrls" && table !== "T11" ? ["duration duration"] : [],
  );
  test(`${table}.${param}: ${cases.length} times files (${rules.kind}) inside and outside of its rules`, async () => {
    for (const [files, ...broken] of cases) {
      const urls = await Promise.all(files.map(upload));
      const mistakes = broken.map((rule) =>
        rule.includes(" ") ? rule : `${rule === "total_duration" ? param : first} ${rule}`,
      );
      await check(table, body(urls), mistakes);
    }
  });
}

test("lengths that have to fit other parameters", async () => {
  for (const [table, body, file, ...mistakes] of TOGETHER)
    await check(table, body(await upload(file)), mistakes);
});

test("the holds are the quotes, one for each order; what was refused held nothing; and the books agree", () =>
  orders.assertHolds());
