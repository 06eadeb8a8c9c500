/**
 * Makes real films and sounds with FFmpeg in this process: what customers send, in every container
 * and codec that matters.
 */
import { Decoder, Demuxer, Encoder, Muxer, pipeline } from "node-av/api";
import {
  AV_LOG_QUIET,
  FF_ENCODER_AAC,
  FF_ENCODER_ALAC,
  FF_ENCODER_FLAC,
  FF_ENCODER_LIBMP3LAME,
  FF_ENCODER_LIBOPUS,
  FF_ENCODER_LIBVORBIS,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBX264,
  FF_ENCODER_LIBX265,
  FF_ENCODER_MJPEG,
  FF_ENCODER_MPEG4,
  FF_ENCODER_PCM_S16LE,
} from "node-av/constants";
import { Log } from "node-av/lib";

const FILMS = {
  h264: { encoder: FF_ENCODER_LIBX264, options: { preset: "ultrafast" } },
  h265: {
    encoder: FF_ENCODER_LIBX265,
    options: { preset: "ultrafast", "x265-params": "log-level=none" },
  },
  vp9: { encoder: FF_ENCODER_LIBVPX_VP9, options: { deadline: "realtime", "cpu-used": 8 } },
  mjpeg: { encoder: FF_ENCODER_MJPEG, options: {} },
  mpeg4: { encoder: FF_ENCODER_MPEG4, options: {} },
} as const;
const SOUNDS = {
  aac: FF_ENCODER_AAC,
  alac: FF_ENCODER_ALAC,
  flac: FF_ENCODER_FLAC,
  mp3: FF_ENCODER_LIBMP3LAME,
  opus: FF_ENCODER_LIBOPUS,
  vorbis: FF_ENCODER_LIBVORBIS,
  pcm: FF_ENCODER_PCM_S16LE,
} as const;

export interface FilmSpec {
  readonly codec?: keyof typeof FILMS;
  /** Even numbers. */
  readonly width?: number;
  readonly height?: number;
  readonly rate?: number | string;
  readonly seconds?: number;
  readonly bitrate?: string;
  /** Snow over the picture, so that the bitrate is really used. */
  readonly snow?: boolean;
  /** Frames between two whole pictures. */
  readonly gop?: number;
}

export interface SoundSpec {
  readonly codec?: keyof typeof SOUNDS;
  readonly seconds?: number;
  readonly bitrate?: string;
  readonly rate?: number;
  /** Of the encoder, such as a variable bitrate. */
  readonly options?: Readonly<Record<string, string | number>>;
}

export interface MediaSpec {
  readonly film?: FilmSpec;
  readonly sound?: SoundSpec;
  /** The container as FFmpeg calls it; by the path's ending when left out. */
  readonly format?: string;
  /** Of the container, such as `movflags`. */
  readonly muxer?: Readonly<Record<string, string | number>>;
}

/**
 * Writes the file to `path`. A film is a moving test picture, a sound a sine; both last two seconds
 * if nothing else is said.
 */
export async function makeMedia(path: string, spec: MediaSpec): Promise<void> {
  Log.setLevel(AV_LOG_QUIET);
  await using film = spec.film === undefined ? null : await openFilm(spec.film);
  await using sound = spec.sound === undefined ? null : await openSound(spec.sound);
  await using output = await Muxer.open(path, {
    ...(spec.format === undefined ? {} : { format: spec.format }),
    ...(spec.muxer === undefined ? {} : { options: spec.muxer }),
  });
  if (film !== null && sound !== null) {
    const stages = { video: [film.decoder, film.encoder], audio: [sound.decoder, sound.encoder] };
    await pipeline({ video: film.input, audio: sound.input }, stages, output).completion;
  } else {
    const only = film ?? sound;
    if (only === null) throw new Error("a file needs a film or a sound");
    await pipeline(only.input, only.decoder, only.encoder, output).completion;
  }
}

interface Track extends AsyncDisposable {
  readonly input: Demuxer;
  readonly decoder: Decoder;
  readonly encoder: Encoder;
}

async function openFilm(spec: FilmSpec): Promise<Track> {
  const {
    codec = "h264",
    width = 128,
    height = 96,
    rate = 25,
    seconds = 2,
    bitrate = "100k",
    gop = 25,
    snow = false,
  } = spec;
  const picture = `testsrc=size=${width}x${height}:rate=${rate}:duration=${seconds}${snow ? ",noise=alls=80:allf=t" : ""}`;
  const input = await Demuxer.open(picture, { format: "lavfi" });
  const stream = input.video();
  if (stream === undefined) throw new Error("no picture to film");
  const decoder = await Decoder.create(stream);
  const { encoder: name, options } = FILMS[codec];
  const encoder = await Encoder.create(name, {
    decoder,
    autoFormat: true,
    bitrate,
    gopSize: gop,
    threadCount: 1,
    options,
  });
  return track(input, decoder, encoder);
}

async function openSound(spec: SoundSpec): Promise<Track> {
  const { codec = "aac", seconds = 2, bitrate = "64k", rate = 48_000, options = {} } = spec;
  // Of a larger frame only so many samples get into a Vorbis file.
  const frame = codec === "vorbis" ? 64 : 1024;
  const tone = `sine=frequency=440:sample_rate=${rate}:duration=${seconds}:samples_per_frame=${frame}`;
  const input = await Demuxer.open(tone, { format: "lavfi" });
  const stream = input.audio();
  if (stream === undefined) throw new Error("nothing to record");
  const decoder = await Decoder.create(stream);
  const lossless = codec === "pcm" || codec === "flac" || codec === "alac";
  const encoder = await Encoder.create(SOUNDS[codec], {
    decoder,
    autoResample: true,
    autoFormat: true,
    ...(lossless || Object.keys(options).length > 0 ? {} : { bitrate }),
    options,
  });
  return track(input, decoder, encoder);
}

function track(input: Demuxer, decoder: Decoder, encoder: Encoder): Track {
  return {
    input,
    decoder,
    encoder,
    async [Symbol.asyncDispose]() {
      encoder.close();
      decoder.close();
      await input.close();
    },
  };
}
