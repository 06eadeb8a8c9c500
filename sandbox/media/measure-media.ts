/** Measures a file that a task was given: what it is by its tracks, its size and its length. */
import { ALL_FORMATS, FilePathSource, Input } from "mediabunny";
import sharp from "sharp";

export interface MeasuredMedia {
  readonly kind: "image" | "video" | "audio";
  /** 0 for sounds. */
  readonly width: number;
  readonly height: number;
  /** Null for pictures. */
  readonly seconds: number | null;
}

/** Null: it cannot be read as what its beginning says. */
export async function measureMedia(
  path: string,
  contentType: string,
): Promise<MeasuredMedia | null> {
  try {
    return contentType.startsWith("image/") ? await measureImage(path) : await measureTracks(path);
  } catch {
    return null;
  }
}

async function measureImage(path: string): Promise<MeasuredMedia | null> {
  const picture = sharp(path, { failOn: "error", limitInputPixels: 10_000 * 10_000 });
  const { autoOrient } = await picture.metadata();
  // Only decoding finds out that the end is missing.
  await picture.stats();
  return { kind: "image", width: autoOrient.width, height: autoOrient.height, seconds: null };
}

async function measureTracks(path: string): Promise<MeasuredMedia | null> {
  using input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  const film = await input.getPrimaryVideoTrack();
  const seconds = await input.computeDuration();
  if (!(seconds > 0)) return null;
  if (film !== null)
    return {
      kind: "video",
      width: await film.getDisplayWidth(),
      height: await film.getDisplayHeight(),
      seconds,
    };
  return (await input.getPrimaryAudioTrack()) === null
    ? null
    : { kind: "audio", width: 0, height: 0, seconds };
}
