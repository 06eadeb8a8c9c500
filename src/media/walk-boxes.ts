/**
 * Walks the boxes of an MP4 or QuickTime file: do they fit the file, and what lengths do its
 * headers tell? (ISO/IEC 14496-12 §4.2, §8)
 */
import type { ByteSource } from "./byte-source.ts";
import { refuse } from "./media-facts.ts";
import type { ProbeRefusal } from "./media-facts.ts";

export interface MovieOutline {
  readonly ok: true;
  /** Of the whole movie by its header; null where it is left open, as in fragmented files. */
  readonly headerSeconds: number | null;
  /**
   * The longest track by its edit list, which may cut from what is there; null without edit lists.
   */
  readonly editedSeconds: number | null;
  /** Tracks that say they are video. */
  readonly videoTracks: number;
}

/** A fragmented file of an hour has some ten thousand. */
const MAX_BOXES = 50_000;
/** moov, trak, mdia and what lies in it. */
const MAX_DEPTH = 4;
/** Only these are looked into. */
const PARENTS = new Set(["moov", "trak", "edts", "mdia"]);
/** What is read of a box to know its size and its figures. */
const HEAD_BYTES = 48;
const MAX_EDITS = 1000;

interface Box {
  readonly type: string;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
  readonly head: DataView;
}

export async function walkBoxes(source: ByteSource): Promise<MovieOutline | ProbeRefusal> {
  const edits: number[] = [];
  let boxes = 0;
  let movies = 0;
  let samples = false;
  let videoTracks = 0;
  let timescale = 0;
  let duration = 0;

  async function walk(from: number, until: number, depth: number): Promise<ProbeRefusal | null> {
    if (depth > MAX_DEPTH)
      return refuse("corrupt", "The boxes of the file lie one in another without end.");
    for (let at = from; at + 8 <= until;) {
      boxes += 1;
      if (boxes > MAX_BOXES)
        return refuse("too_hard", `The file has more than ${MAX_BOXES} boxes.`);
      const box = await readBox(source, at, until);
      // Some cameras write notes of their own behind a whole movie.
      if (box === null && until === source.bytes && movies > 0 && samples) return null;
      if (box === null) return refuse("corrupt", `There is no valid box at byte ${at}.`);
      if (box.end > source.bytes)
        return refuse(
          "truncated",
          `The file breaks off: its "${box.type}" box ends at byte ${box.end}, the file has ${source.bytes}.`,
        );
      if (box.end > until)
        return refuse(
          "corrupt",
          `The "${box.type}" box at byte ${at} is larger than the box that holds it.`,
        );
      if (box.type === "moov") movies += 1;
      if (box.type === "mdat") samples = true;
      await note(box);
      if (PARENTS.has(box.type)) {
        const problem = await walk(box.contentStart, box.end, depth + 1);
        if (problem !== null) return problem;
      }
      at = box.end;
    }
    return null;
  }

  async function note(box: Box): Promise<void> {
    const { head } = box;
    const at = box.contentStart - box.start;
    const wide = head.byteLength > at && head.getUint8(at) === 1;
    if (box.type === "hdlr" && head.byteLength >= at + 12 && head.getUint32(at + 8) === 0x76696465)
      videoTracks += 1;
    if (box.type === "mvhd" && head.byteLength >= at + (wide ? 32 : 20)) {
      timescale = head.getUint32(at + (wide ? 20 : 12));
      duration = wide ? Number(head.getBigUint64(at + 24)) : head.getUint32(at + 16);
      if (duration === 0xffffffff || duration > Number.MAX_SAFE_INTEGER) duration = 0;
    }
    if (box.type === "elst" && head.byteLength >= at + 8) {
      const entryBytes = wide ? 20 : 12;
      const count = Math.min(
        head.getUint32(at + 4),
        MAX_EDITS,
        Math.floor((box.end - box.contentStart - 8) / entryBytes),
      );
      if (count === 0) return;
      const list = await source.read(
        box.contentStart + 8,
        box.contentStart + 7 + count * entryBytes,
      );
      const view = new DataView(list.buffer, list.byteOffset, list.byteLength);
      let sum = 0;
      for (let entry = 0; entry < count; entry++)
        sum += wide
          ? Number(view.getBigUint64(entry * entryBytes))
          : view.getUint32(entry * entryBytes);
      edits.push(sum);
    }
  }

  const problem = await walk(0, source.bytes, 0);
  if (problem !== null) return problem;
  if (movies !== 1)
    return movies === 0
      ? refuse("truncated", 'The file has no "moov" box, the index of its contents.')
      : refuse("corrupt", 'The file has more than one "moov" box.');
  const seconds = (units: number): number | null =>
    units > 0 && timescale > 0 ? units / timescale : null;
  return {
    ok: true,
    headerSeconds: seconds(duration),
    editedSeconds: seconds(Math.max(0, ...edits)),
    videoTracks,
  };
}

/** Null: no box can begin here. A size of 0 means up to the end of what holds it. */
async function readBox(source: ByteSource, at: number, until: number): Promise<Box | null> {
  const bytes = await source.read(at, Math.min(at + HEAD_BYTES, until) - 1);
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = Buffer.from(bytes.subarray(4, 8)).toString("latin1");
  if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) return null;
  const short = head.getUint32(0);
  if (short === 0) return { type, start: at, contentStart: at + 8, end: until, head };
  if (short !== 1)
    return short < 8 ? null : { type, start: at, contentStart: at + 8, end: at + short, head };
  if (head.byteLength < 16) return null;
  const long = Number(head.getBigUint64(8));
  return long < 16 ? null : { type, start: at, contentStart: at + 16, end: at + long, head };
}
