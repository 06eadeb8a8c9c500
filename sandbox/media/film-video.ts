/**
 * Films a moving picture of the asked length into an MP4 file: H.264, and AAC where sound is asked.
 */
import type * as Api from "node-av/api";
import type * as Constants from "node-av/constants";
import type * as Lib from "node-av/lib";
import { cameraPictures, PICTURES_PER_SECOND } from "./camera-pictures.ts";
import type { VideoSpec } from "./output-spec.ts";

/**
 * What of node-av is used; it is a development dependency, so nothing is loaded before a caller
 * asks for a film.
 */
interface FilmKit {
  readonly api: typeof Api;
  readonly lib: typeof Lib;
  readonly constants: typeof Constants;
}

const SOUND_RATE = 48_000;
const SOUND_FRAME = 1024;

/**
 * Writes the file. Only one second is encoded: it begins with a whole picture and refers to nothing
 * before it, so the rest of the film is that second again with later times. A film of 15 s at 1080p
 * costs little more than one of 1 s. Rejects where node-av is not installed.
 */
export async function filmVideo(path: string, spec: VideoSpec): Promise<void> {
  const kit = await loadKit();
  kit.lib.Log.setLevel(kit.constants.AV_LOG_QUIET);
  await using output = await kit.api.Muxer.open(path, {
    format: "mp4",
    options: { movflags: "+faststart" },
  });
  using pictures = await pictureEncoder(kit, spec);
  using sound = spec.sound ? await soundEncoder(kit) : null;
  // The muxer starts with the first packet of every track, so the tracks are known before anything
  // is written.
  const film = output.addStream(pictures);
  const tone = sound === null ? null : output.addStream(sound);
  const total = Math.max(1, Math.round(spec.seconds * PICTURES_PER_SECOND));
  if (sound !== null && tone !== null) await recordTone(kit, spec.seconds, sound, output, tone);
  await recordPictures(kit, spec, total, { encoder: pictures, output, track: film });
}

async function loadKit(): Promise<FilmKit> {
  // Written as a value: the installed packages of production do not contain it, and must not seem
  // to need it.
  const name: string = "node-av";
  try {
    return {
      api: (await import(`${name}/api`)) as FilmKit["api"],
      lib: (await import(`${name}/lib`)) as FilmKit["lib"],
      constants: (await import(`${name}/constants`)) as FilmKit["constants"],
    };
  } catch (error) {
    throw new Error(
      "the sandbox films with node-av, which is not installed here (it is a development dependency)",
      { cause: error },
    );
  }
}

async function pictureEncoder(kit: FilmKit, spec: VideoSpec): Promise<Api.Encoder> {
  return await kit.api.Encoder.create(kit.constants.FF_ENCODER_LIBX264, {
    context: {
      gopSize: PICTURES_PER_SECOND,
      maxBFrames: 0,
      threadCount: 1,
      framerate: new kit.lib.Rational(PICTURES_PER_SECOND, 1),
      bitRate: Math.max(200_000, Math.round(spec.width * spec.height * 0.5)),
    },
    options: { preset: "ultrafast", tune: "stillimage" },
  });
}

async function soundEncoder(kit: FilmKit): Promise<Api.Encoder> {
  return await kit.api.Encoder.create(kit.constants.FF_ENCODER_AAC, {
    context: { bitRate: 64_000 },
  });
}

async function recordPictures(
  kit: FilmKit,
  spec: VideoSpec,
  total: number,
  to: { readonly encoder: Api.Encoder; readonly output: Api.Muxer; readonly track: number },
): Promise<void> {
  const { encoder, output, track } = to;
  const packets: Lib.Packet[] = [];
  let at = 0;
  for (const picture of cameraPictures(spec, Math.min(total, PICTURES_PER_SECOND))) {
    using frame = kit.lib.Frame.fromVideoBuffer(picture, {
      width: spec.width,
      height: spec.height,
      format: kit.constants.AV_PIX_FMT_YUV420P,
      timeBase: { num: 1, den: PICTURES_PER_SECOND },
      pts: BigInt(at++),
    });
    packets.push(...(await encoder.encodeAll(frame)));
  }
  packets.push(...(await encoder.encodeAll(null)));
  for (let index = 0; index < total; index++) {
    const copy = packets[index % packets.length]?.clone();
    if (copy === undefined || copy === null)
      throw new Error("the encoder gave fewer pictures than it was given");
    copy.pts = BigInt(index);
    copy.dts = BigInt(index);
    copy.duration = 1n;
    await output.writePacket(copy, track);
    copy.free();
  }
  for (const packet of packets) packet.free();
}

async function recordTone(
  kit: FilmKit,
  seconds: number,
  encoder: Api.Encoder,
  output: Api.Muxer,
  track: number,
): Promise<void> {
  const samples = Math.round(seconds * SOUND_RATE);
  for (let at = 0; at < samples; at += SOUND_FRAME) {
    const count = Math.min(SOUND_FRAME, samples - at);
    const wave = new Float32Array(count);
    for (let index = 0; index < count; index++)
      wave[index] = 0.1 * Math.sin((2 * Math.PI * 440 * (at + index)) / SOUND_RATE);
    using frame = kit.lib.Frame.fromAudioBuffer(Buffer.from(wave.buffer), {
      nbSamples: count,
      format: kit.constants.AV_SAMPLE_FMT_FLTP,
      sampleRate: SOUND_RATE,
      channelLayout: kit.constants.AV_CHANNEL_LAYOUT_MONO,
      timeBase: { num: 1, den: SOUND_RATE },
      pts: BigInt(at),
    });
    for (const packet of await encoder.encodeAll(frame)) {
      await output.writePacket(packet, track);
      packet.free();
    }
  }
  for (const packet of await encoder.encodeAll(null)) {
    await output.writePacket(packet, track);
    packet.free();
  }
}
