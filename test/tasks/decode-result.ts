/**
 * Decodes a result file whole: a picture to its last pixel, a film from its first frame to its last
 * one, its sound to samples.
 */
import assert from "node:assert/strict";
import { Decoder, Demuxer } from "node-av/api";
import { AV_LOG_QUIET } from "node-av/constants";
import { Log, type Frame } from "node-av/lib";
import sharp from "sharp";

export type ResultLooks =
  | { readonly kind: "image"; readonly width: number; readonly height: number }
  | {
      readonly kind: "video";
      readonly width: number;
      readonly height: number;
      /** As many frames as were decoded last, at the film's own rate. */
      readonly seconds: number;
      readonly frameSeconds: number;
      /** As long as the decoded samples last; null: it is silent. */
      readonly soundSeconds: number | null;
    };

export async function decodeResult(bytes: Uint8Array): Promise<ResultLooks> {
  if (Buffer.from(bytes.subarray(4, 8)).toString() === "ftyp")
    return decodeFilm(Buffer.from(bytes));
  const { info } = await sharp(bytes, { failOn: "warning" })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { kind: "image", width: info.width, height: info.height };
}

async function decodeFilm(bytes: Buffer): Promise<ResultLooks> {
  Log.setLevel(AV_LOG_QUIET);
  const sizes = new Set<string>();
  let [width, height, frames, last] = [0, 0, 0, -1n];
  const frameSeconds = await decodeTrack(bytes, "video", (frame) => {
    [width, height, frames] = [frame.width, frame.height, frames + 1];
    sizes.add(`${width}x${height}`);
    assert.ok(frame.pts > last, "each frame comes after the one before it");
    last = frame.pts;
  });
  assert.ok(frameSeconds !== null && frames > 0, "a film has pictures");
  assert.equal(sizes.size, 1, "every frame has the size of the first");
  let samplesSeconds = 0;
  const sound = await decodeTrack(
    bytes,
    "audio",
    (frame) => (samplesSeconds += frame.nbSamples / frame.sampleRate),
  );
  return {
    kind: "video",
    width,
    height,
    seconds: frames * frameSeconds,
    frameSeconds,
    soundSeconds: sound === null ? null : samplesSeconds,
  };
}

/**
 * Fails at the first packet that cannot be decoded. Gives how long a frame of a film lasts; null:
 * there is no such track.
 */
async function decodeTrack(
  bytes: Buffer,
  kind: "video" | "audio",
  see: (frame: Frame) => void,
): Promise<number | null> {
  await using input = await Demuxer.open(bytes);
  const stream = input[kind]();
  if (stream === undefined) return null;
  using decoder = await Decoder.create(stream, { exitOnError: true });
  for await (const frame of decoder.frames(input.packets(stream.index))) {
    if (frame === null) continue;
    see(frame);
    frame.free();
  }
  const { num, den } = stream.avgFrameRate;
  return kind === "audio" ? 0 : den / num;
}
