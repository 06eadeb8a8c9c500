/**
 * Records a tone of the asked length: WAV and bare samples by hand, packed formats with node-av.
 */
import { writeFile } from "node:fs/promises";
import type * as Api from "node-av/api";
import type * as Constants from "node-av/constants";
import type * as Lib from "node-av/lib";
import type { SoundSpec } from "./output-spec.ts";

/** What is used of node-av; see film-video.ts. */
interface SoundKit {
  readonly api: typeof Api;
  readonly lib: typeof Lib;
  readonly constants: typeof Constants;
}

/** OpenAI's bare samples: 24 kHz, 16 bits, one channel. */
const RATE = 24_000;
const PACKED_RATE = 48_000;
const SAMPLE_BYTES = 2;
const WAV_HEAD_BYTES = 44;

/** Writes the file. Rejects where a packed format is asked and node-av is not installed. */
export async function recordSound(path: string, spec: SoundSpec): Promise<void> {
  if (spec.format === "pcm") return writeFile(path, samplesOf(spec));
  if (spec.format === "wav") {
    const samples = samplesOf(spec);
    return writeFile(path, Buffer.concat([wavHead(samples.length), samples]));
  }
  const { api, lib, constants } = await loadKit();
  lib.Log.setLevel(constants.AV_LOG_QUIET);
  const packed = {
    mp3: [constants.FF_ENCODER_LIBMP3LAME, "mp3"],
    opus: [constants.FF_ENCODER_LIBOPUS, "ogg"],
    aac: [constants.FF_ENCODER_AAC, "adts"],
    flac: [constants.FF_ENCODER_FLAC, "flac"],
  } as const;
  const [name, format] = packed[spec.format];
  const tone = `sine=frequency=${frequencyOf(spec)}:sample_rate=${PACKED_RATE}:duration=${spec.seconds}`;
  await using input = await api.Demuxer.open(tone, { format: "lavfi" });
  const stream = input.audio();
  if (stream === undefined) throw new Error("there is nothing to record");
  using decoder = await api.Decoder.create(stream);
  using encoder = await api.Encoder.create(name, {
    decoder,
    autoResample: true,
    autoFormat: true,
    ...(spec.format === "flac" ? {} : { context: { bitRate: 64_000 } }),
  });
  await using output = await api.Muxer.open(path, { format });
  await api.pipeline(input, decoder, encoder, output).completion;
}

function frequencyOf({ tint }: SoundSpec): number {
  return 220 + 20 * tint;
}

function samplesOf(spec: SoundSpec): Buffer {
  const count = Math.round(spec.seconds * RATE);
  const bytes = Buffer.alloc(count * SAMPLE_BYTES);
  const step = (2 * Math.PI * frequencyOf(spec)) / RATE;
  for (let at = 0; at < count; at++)
    bytes.writeInt16LE(Math.round(8000 * Math.sin(at * step)), at * SAMPLE_BYTES);
  return bytes;
}

function wavHead(dataBytes: number): Buffer {
  const head = Buffer.alloc(WAV_HEAD_BYTES);
  head.write("RIFF", 0);
  head.writeUInt32LE(WAV_HEAD_BYTES - 8 + dataBytes, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * SAMPLE_BYTES, 28);
  head.writeUInt16LE(SAMPLE_BYTES, 32);
  head.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  head.write("data", 36);
  head.writeUInt32LE(dataBytes, 40);
  return head;
}

async function loadKit(): Promise<SoundKit> {
  // Written as a value: the installed packages of production do not contain it.
  const name: string = "node-av";
  try {
    return {
      api: (await import(`${name}/api`)) as SoundKit["api"],
      lib: (await import(`${name}/lib`)) as SoundKit["lib"],
      constants: (await import(`${name}/constants`)) as SoundKit["constants"],
    };
  } catch (error) {
    throw new Error(
      "the sandbox packs sound with node-av, which is not installed here (it is a development dependency); ask for wav or pcm",
      { cause: error },
    );
  }
}
