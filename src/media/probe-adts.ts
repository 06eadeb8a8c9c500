/**
 * Measures a raw AAC file by its frames, all of them: it has no header that could say how long it
 * is. (ISO/IEC 13818-7 §6.2)
 */
import type { ByteSource } from "./byte-source.ts";
import { refuse } from "./media-facts.ts";
import type { ProbeVerdict } from "./media-facts.ts";

const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
  7350,
];
const SAMPLES_PER_BLOCK = 1024;
const CHUNK_BYTES = 1024 * 1024;
/** ID3v1 and APE tags may follow the last frame. */
const MAX_TAIL_BYTES = 4096;

/** `from`: where the first frame begins, behind an ID3 tag. */
export async function probeAdts(source: ByteSource, from: number): Promise<ProbeVerdict> {
  let chunk = new Uint8Array(0);
  let chunkStart = 0;
  let seconds = 0;
  let frames = 0;
  let at = from;
  for (; at + 7 <= source.bytes;) {
    if (at - chunkStart + 7 > chunk.length) {
      chunk = new Uint8Array(await source.read(at, Math.min(at + CHUNK_BYTES, source.bytes) - 1));
      chunkStart = at;
    }
    const offset = at - chunkStart;
    const byte = (index: number): number => chunk[offset + index] ?? 0;
    const length = ((byte(3) & 3) << 11) | (byte(4) << 3) | (byte(5) >> 5);
    const rate = SAMPLE_RATES[(byte(2) >> 2) & 15];
    const isFrame =
      byte(0) === 0xff && (byte(1) & 0xf6) === 0xf0 && rate !== undefined && length >= 7;
    if (!isFrame) break;
    if (at + length > source.bytes) break;
    seconds += (((byte(6) & 3) + 1) * SAMPLES_PER_BLOCK) / rate;
    frames += 1;
    at += length;
  }
  if (frames === 0) return refuse("corrupt", "The file holds no AAC frame.");
  // What a lenient player would find behind a gap is not counted here, so a gap is not let pass.
  if (source.bytes - at > MAX_TAIL_BYTES)
    return refuse("corrupt", `The AAC frames stop at byte ${at}, the file has ${source.bytes}.`);
  return {
    ok: true,
    facts: {
      kind: "audio",
      contentType: "audio/aac",
      durationSeconds: Math.round(seconds * 1000) / 1000,
      codec: "aac",
    },
  };
}
