/** A server of another host than ours, with an image of any size and a film of four seconds. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { makeMedia } from "../support/media-maker.ts";

export interface ServedMedia {
  image(width: number, height: number): string;
  readonly film: string;
  close(): Promise<void>;
}

export async function serveMedia(): Promise<ServedMedia> {
  const folder = await mkdtemp(join(tmpdir(), "served-media-"));
  const path = join(folder, "film.mp4");
  await makeMedia(path, { film: { width: 960, height: 640, rate: 24, seconds: 4 } });
  const film = await readFile(path);
  await rm(folder, { recursive: true, force: true });
  const server = createServer((request, response) => {
    const [, width, height] = /^\/(\d+)x(\d+)\.png$/.exec(request.url ?? "") ?? [];
    if (width === undefined || height === undefined)
      return void response.setHeader("content-type", "video/mp4").end(film);
    const image = sharp({
      create: { width: Number(width), height: Number(height), channels: 3, background: "#37a" },
    });
    void image
      .png()
      .toBuffer()
      .then((bytes) => response.setHeader("content-type", "image/png").end(bytes));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    image: (width, height) => `${origin}/${width}x${height}.png`,
    film: `${origin}/film.mp4`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
