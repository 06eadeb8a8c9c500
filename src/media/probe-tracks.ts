/**
 * Measures sound and film by their samples: the length of a file is what can be played of it,
 * whatever its header says.
 */
import {
  ADTS,
  CustomSource,
  EncodedPacketSink,
  FLAC,
  Input,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from "mediabunny";
import type { InputFormat, InputTrack, InputVideoTrack } from "mediabunny";
import type { ByteSource } from "./byte-source.ts";
import { refuse } from "./media-facts.ts";
import type { AudioType, ProbeRefusal, ProbeVerdict, VideoType } from "./media-facts.ts";
import { walkBoxes } from "./walk-boxes.ts";
import type { MovieOutline } from "./walk-boxes.ts";
import { walkElements } from "./walk-elements.ts";
import { walkWave } from "./walk-wave.ts";

const FORMATS: Readonly<Record<AudioType | VideoType, readonly InputFormat[]>> = {
  "video/mp4": [MP4, QTFF],
  "audio/mp4": [MP4, QTFF],
  "video/quicktime": [QTFF, MP4],
  "audio/quicktime": [QTFF, MP4],
  "video/webm": [WEBM, MATROSKA],
  "audio/webm": [WEBM, MATROSKA],
  "video/x-matroska": [MATROSKA, WEBM],
  "audio/x-matroska": [MATROSKA, WEBM],
  "audio/mpeg": [MP3],
  "audio/wav": [WAVE],
  "audio/ogg": [OGG],
  "audio/flac": [FLAC],
  "audio/aac": [ADTS],
};
/** The same container with nothing to see in it. */
const SOUND_OF = {
  "video/mp4": "audio/mp4",
  "video/quicktime": "audio/quicktime",
  "video/webm": "audio/webm",
  "video/x-matroska": "audio/x-matroska",
} as const;
/** The other way round: `M4A ` in front says nothing about what follows. */
const FILM_OF: Partial<Record<AudioType, VideoType>> = { "audio/mp4": "video/mp4" };

const MAX_SECONDS = 24 * 3600;
const MAX_TRACKS = 64;
/**
 * How far the lengths that header and samples tell may be apart: by a fifth, and never less than
 * half a second.
 */
const LIE_SHARE = 0.2;
const LIE_SECONDS = 0.5;
const FRAMES_FOR_RATE = 256;
const CACHE_BYTES = 4 * 1024 * 1024;

export async function probeTracks(
  source: ByteSource,
  contentType: AudioType | VideoType,
): Promise<ProbeVerdict> {
  const outline = await walkContainer(source, contentType);
  if (outline !== null && !outline.ok) return outline;
  using input = new Input({
    formats: [...FORMATS[contentType]],
    source: new CustomSource({
      getSize: () => source.bytes,
      read: (start, end) => source.read(start, end - 1),
      maxCacheSize: CACHE_BYTES,
      handleUnhandledError: () => undefined,
    }),
  });
  return await measure(source, contentType, input, outline);
}

/** What the parts of the container say about themselves, where it has parts. */
async function walkContainer(
  source: ByteSource,
  contentType: AudioType | VideoType,
): Promise<MovieOutline | ProbeRefusal | null> {
  if (contentType.endsWith("/mp4") || contentType.endsWith("/quicktime")) return walkBoxes(source);
  if (contentType.endsWith("/webm") || contentType.endsWith("/x-matroska"))
    return walkElements(source);
  return contentType === "audio/wav" ? walkWave(source) : null;
}

async function measure(
  source: ByteSource,
  contentType: AudioType | VideoType,
  input: Input,
  outline: MovieOutline | null,
): Promise<ProbeVerdict> {
  const tracks = await input.getTracks();
  if (tracks.length === 0) return refuse("corrupt", "The file holds no track of sound or film.");
  if (tracks.length > MAX_TRACKS)
    return refuse("too_hard", `The file has ${tracks.length} tracks.`);
  const films = tracks.filter((track) => track.isVideoTrack());
  const sound = tracks.find((track) => track.isAudioTrack());
  if (outline !== null && outline.videoTracks > films.length)
    return refuse("corrupt", "The file has a video track that cannot be read.");

  const end = await input.computeDuration(tracks);
  const first = Math.max(0, await input.getFirstTimestamp(tracks));
  const seconds = end - first;
  if (!(seconds > 0))
    return refuse("corrupt", "Nothing in the file can be played: its length is 0.");
  if (seconds > MAX_SECONDS)
    return refuse(
      "corrupt",
      `The file says that it plays for ${Math.round(seconds)} seconds, which cannot be.`,
    );
  const lie =
    findLie(await promises(source, contentType, input, tracks), [seconds, end]) ??
    findHeaderLie(outline, [seconds, end]);
  if (lie !== null)
    return refuse(
      "lying",
      `The header tells of ${round(lie)} seconds, the samples last ${round(seconds)}. Save the file anew and send that.`,
    );
  if (outline !== null && !(await lastSamplesAreThere(tracks)))
    return refuse("truncated", "The file breaks off before its last sample.");

  const film = await findFilm(films, sound !== undefined);
  if (film === null) return describeSound(contentType, sound, seconds);
  const [width, height] = [await film.getDisplayWidth(), await film.getDisplayHeight()];
  if (!(width > 0 && height > 0)) return refuse("corrupt", "The video track has no size.");
  const rate = await film.computeFrameRateMetrics({ targetPacketCount: FRAMES_FOR_RATE });
  return {
    ok: true,
    facts: {
      kind: "video",
      contentType: FILM_OF[contentType as AudioType] ?? (contentType as VideoType),
      width: Math.round(width),
      height: Math.round(height),
      durationSeconds: round(seconds),
      framesPerSecond: rate.probedPacketCount < 2 ? null : round(rate.bestGuessFrameRate),
      videoCodec: nameCodec(await film.getCodec()),
      audioCodec: nameCodec((await sound?.getCodec()) ?? null),
    },
  };
}

async function describeSound(
  contentType: AudioType | VideoType,
  sound: InputTrack | undefined,
  seconds: number,
): Promise<ProbeVerdict> {
  if (sound === undefined) return refuse("corrupt", "The file holds neither sound nor film.");
  const soundType =
    contentType in SOUND_OF ? SOUND_OF[contentType as VideoType] : (contentType as AudioType);
  return {
    ok: true,
    facts: {
      kind: "audio",
      contentType: soundType,
      durationSeconds: round(seconds),
      codec: nameCodec(await sound.getCodec()),
    },
  };
}

/**
 * A picture that comes with sound, such as a cover, is a video track of one frame; null: there is
 * nothing else to see.
 */
async function findFilm(
  films: readonly InputVideoTrack[],
  withSound: boolean,
): Promise<InputVideoTrack | null> {
  for (const film of films) {
    if (!withSound) return film;
    const { packetCount } = await film.computePacketStats(2);
    if (packetCount > 1) return film;
  }
  return null;
}

/**
 * The lengths that the tracks' own headers promise. What an MP3 has no header for is only guessed
 * by its bitrate, and guesses are no lies.
 */
async function promises(
  source: ByteSource,
  contentType: AudioType | VideoType,
  input: Input,
  tracks: InputTrack[],
): Promise<readonly number[]> {
  if (contentType === "audio/mpeg" && !(await hasLengthTag(source))) return [];
  const promised = await input.getDurationFromMetadata(tracks);
  return promised === null ? [] : [promised];
}

/** `Xing` or `Info` in the first frame, behind an ID3 tag and its cover. */
async function hasLengthTag(source: ByteSource): Promise<boolean> {
  const from = await findId3End(source);
  const head = Buffer.from(
    await source.read(from, Math.min(from + 4096, source.bytes) - 1),
  ).toString("latin1");
  return head.includes("Xing") || head.includes("Info");
}

/**
 * Where the file begins behind its ID3v2 tags, whose lengths are four times seven bits; 0 without
 * any.
 */
export async function findId3End(source: ByteSource): Promise<number> {
  let at = 0;
  for (let tags = 0; tags < 8 && at + 10 < source.bytes; tags++) {
    const [i = 0, d = 0, three = 0, , , flags = 0, a = 0, b = 0, c = 0, e = 0] = await source.read(
      at,
      at + 9,
    );
    if (i !== 0x49 || d !== 0x44 || three !== 0x33) break;
    at += 10 + ((a << 21) | (b << 14) | (c << 7) | e) + ((flags & 0x10) === 0 ? 0 : 10);
  }
  return at < source.bytes ? at : 0;
}

function findLie(promised: readonly number[], played: readonly number[]): number | null {
  const near = (one: number, other: number): boolean =>
    Math.abs(one - other) <= Math.max(LIE_SECONDS, LIE_SHARE * Math.min(one, other));
  return promised.find((seconds) => !played.some((other) => near(seconds, other))) ?? null;
}

/**
 * A movie may be shorter than its samples where an edit list cuts from them: phones trim that way.
 * It is measured uncut all the same.
 */
function findHeaderLie(outline: MovieOutline | null, played: readonly number[]): number | null {
  const promised = outline?.headerSeconds ?? null;
  if (outline === null || promised === null) return null;
  const lie = findLie([promised], played);
  const edited = outline.editedSeconds;
  return lie !== null &&
    edited !== null &&
    edited < Math.max(...played) &&
    findLie([promised], [edited]) === null
    ? null
    : lie;
}

async function lastSamplesAreThere(tracks: readonly InputTrack[]): Promise<boolean> {
  for (const track of tracks) {
    const packet = await new EncodedPacketSink(track).getPacket(Infinity).catch(() => null);
    if (packet === null) return false;
  }
  return true;
}

function nameCodec(codec: string | null): string | null {
  return codec === "avc" ? "h264" : codec === "hevc" ? "h265" : codec;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
