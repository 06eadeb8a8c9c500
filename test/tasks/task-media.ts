/**
 * Media that keep the rules of every table at once, in the places that its examples leave for them.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { listMedia, replaceMedia } from "../../src/contract/tasks/list-media.ts";
import type { TaskParameters, TaskTable } from "../../src/contract/tasks/task-table.ts";
import { makeMedia } from "../support/media-maker.ts";
import type { TaskCustomer } from "./tasks-scene.ts";

export interface OwnMedia {
  readonly image: string;
  /** Four seconds. */
  readonly video: string;
  readonly audio: string;
  /** Thirteen seconds. */
  readonly longVideo: string;
  readonly longAudio: string;
}

/** Made once and uploaded. */
export async function uploadMedia(customer: TaskCustomer): Promise<OwnMedia> {
  const folder = await mkdtemp(join(tmpdir(), "task-media-"));
  try {
    const film = async (seconds: number): Promise<string> => {
      const path = join(folder, `film-${seconds}.mp4`);
      await makeMedia(path, { film: { width: 960, height: 640, rate: 24, seconds } });
      return customer.upload(await readFile(path), "film.mp4");
    };
    const sound = async (seconds: number): Promise<string> => {
      const path = join(folder, `sound-${seconds}.mp3`);
      await makeMedia(path, { sound: { codec: "mp3", seconds } });
      return customer.upload(await readFile(path), "sound.mp3");
    };
    return {
      image: await customer.upload(await picture(), "picture.jpg"),
      video: await film(4),
      audio: await sound(4),
      longVideo: await film(13),
      longAudio: await sound(13),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function picture(): Promise<Buffer> {
  return sharp({ create: { width: 800, height: 600, channels: 3, background: "#3a7" } })
    .jpeg()
    .toBuffer();
}

/** Of these a part is cut, and it has to be there. */
const CUT = new Set(["T7", "T15"]);

/** An example of a table, with media that exist. */
export function withMedia(
  table: TaskTable,
  parameters: TaskParameters,
  media: OwnMedia,
): TaskParameters {
  const references = listMedia(table, parameters);
  const long = CUT.has(table.id);
  const urls = {
    image: media.image,
    video: long ? media.longVideo : media.video,
    audio: long ? media.longAudio : media.audio,
  };
  return replaceMedia(
    parameters,
    references.map(({ path, media: wanted }) => ({ path, url: urls[wanted.kind] })),
  );
}
