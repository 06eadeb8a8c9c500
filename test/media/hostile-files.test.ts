/**
 * Protects: a file made to bring its reader down ends its own look and nothing else; the next file
 * is measured, and the gateway does not grow.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import type { ProbeReason } from "../../src/media/media-facts.ts";
import { createMediaWorkers } from "../../src/media/media-workers.ts";
import type { MediaWorkers } from "../../src/media/media-workers.ts";
import {
  box,
  bytes,
  ebmlHeader,
  element,
  fullBox,
  id3,
  movie,
  noise,
  pngChunk,
  u16,
  u32,
  u8,
  withPngChunks,
} from "../support/media-maker-bytes.ts";
import {
  makePixelBomb,
  makePlainWebp,
  makeStill,
  pngHeader,
} from "../support/media-maker-stills.ts";

type Row = readonly [
  name: string,
  make: () => Buffer | Promise<Buffer>,
  outcome: ProbeReason | "ok",
];

const ALL = 2 ** 32 - 1;
const ROWS: readonly Row[] = [
  [
    "MP4: pssh with 2^28 keys",
    () =>
      movie({
        extra: [
          box("pssh", u32(0x01000000), Buffer.alloc(16, 7), u32(2 ** 28), Buffer.alloc(6000)),
        ],
      }),
    "too_hard",
  ],
  [
    "MP4: 2^31 samples of one size",
    () => movie({ boxes: { stsz: fullBox("stsz", u32(16, 2 ** 31)) } }),
    "ok",
  ],
  [
    "MP4: a list of 2^31 sizes",
    () => movie({ boxes: { stsz: fullBox("stsz", u32(0, 2 ** 31)) } }),
    "corrupt",
  ],
  [
    "MP4: a run of 2^32 samples",
    () => movie({ boxes: { stts: fullBox("stts", u32(1, ALL, 40)) } }),
    "corrupt",
  ],
  [
    "MP4: a run of 2^32 samples, each moved",
    () =>
      movie({
        boxes: { stts: fullBox("stts", u32(1, ALL, 40)), ctts: fullBox("ctts", u32(1, ALL, 1)) },
      }),
    "too_hard",
  ],
  [
    "MP4: 2^32 moves of time",
    () => movie({ boxes: { ctts: fullBox("ctts", u32(1, ALL, 1)) } }),
    "too_hard",
  ],
  [
    "MP4: 2^32 runs",
    () => movie({ boxes: { stts: fullBox("stts", u32(ALL, 100, 40)) } }),
    "corrupt",
  ],
  [
    "MP4: 2^32 descriptions",
    () => movie({ boxes: { stsd: fullBox("stsd", u32(ALL)) } }),
    "corrupt",
  ],
  ["MP4: 2^32 chunks", () => movie({ boxes: { stco: fullBox("stco", u32(ALL, 48)) } }), "corrupt"],
  [
    "MP4: 2^32 samples in each of 2^32 chunks",
    () => movie({ boxes: { stsc: fullBox("stsc", u32(ALL, 1, ALL, 1)) } }),
    "corrupt",
  ],
  ["MP4: 2^32 keys of metadata", () => movie({ extra: [manyKeys()] }), "corrupt"],
  [
    "MP4: an edit list of 2^32 entries",
    () => movie({ extra: [box("trak", box("edts", fullBox("elst", u32(ALL, 1, 1, 1))))] }),
    "ok",
  ],
  ["MP4: 3000 boxes in one another", () => bytes(movie().subarray(0, 24), nested(3000)), "corrupt"],
  [
    "MP4: boxes of no size",
    () => bytes(movie().subarray(0, 24), box("moov", Buffer.alloc(10_000))),
    "corrupt",
  ],
  [
    "MP4: a movie up to the end of the file",
    () => bytes(movie().subarray(0, 24), u32(0), "moov", Buffer.alloc(100)),
    "corrupt",
  ],
  [
    "MP4: a box of 2^63 bytes",
    () => bytes(movie().subarray(0, 24), u32(1), "mdat", u32(0x7fffffff, ALL)),
    "truncated",
  ],
  [
    "MP4: 100,000 empty boxes",
    () => bytes(movie().subarray(0, 24), ...Array.from({ length: 100_000 }, () => box("free"))),
    "too_hard",
  ],
  ["MP4: two movies", () => bytes(movie(), movie().subarray(24)), "corrupt"],
  ["MP4: a picture of no size", () => movie({ width: 0, height: 0 }), "corrupt"],
  ["MP4: a picture of 65535 × 65535", () => movie({ width: 65_535, height: 65_535 }), "ok"],
  ["MP4: no sample at all", () => movie({ frames: 0 }), "corrupt"],
  [
    "WebM: a segment of 2^40 bytes",
    () => bytes(ebmlHeader("webm"), element(0x18538067, 2 ** 40, noise(2000))),
    "truncated",
  ],
  [
    "WebM: an element of 2^40 bytes",
    () => bytes(ebmlHeader("webm"), segment(element(0x1549a966, 2 ** 40), noise(2000))),
    "truncated",
  ],
  [
    "WebM: a header of 2^50 bytes",
    () => bytes(element(0x1a45dfa3, 2 ** 50, element(0x4282, null, "webm"))),
    "not_media",
  ],
  [
    "WebM: 3000 tracks",
    () => bytes(ebmlHeader("webm"), segment(element(0x1654ae6b, null, ...manyTracks(3000)))),
    "too_hard",
  ],
  ["WebM: noise", () => bytes(ebmlHeader("webm"), segment(noise(5000))), "truncated"],
  [
    "MP3: 9 MB of words that begin frames",
    () => Buffer.alloc(9_000_000, u8(0xff, 0xfb, 0x90, 0x00)),
    "ok",
  ],
  ["MP3: 9 MB of words that nearly do", () => Buffer.alloc(9_000_000, u8(0xff, 0xfb)), "not_media"],
  ["MP3: a tag and noise", () => bytes(id3(noise(9000)), noise(20_000)), "corrupt"],
  [
    "AAC: 9 MB of frames of seven bytes",
    () => Buffer.alloc(9_000_000 - (9_000_000 % 7), u8(0xff, 0xf1, 0x50, 0x80, 0x00, 0xff, 0xfc)),
    "ok",
  ],
  ["WAV: no rate", () => wave(0), "corrupt"],
  ["OGG: noise behind its mark", () => bytes("OggS", noise(5000)), "not_media"],
  [
    "FLAC: 5000 tags",
    () =>
      bytes(
        "fLaC",
        u8(0, 0, 0, 34),
        noise(34),
        ...Array.from({ length: 5000 }, () => u8(4, 0, 0, 0)),
      ),
    "corrupt",
  ],
  ["PNG: 30000 × 30000 of one colour", () => makePixelBomb(30_000), "too_many_pixels"],
  ["PNG: 2^31 × 2^31 in its header", () => pngHeader(2 ** 31 - 1, 2 ** 31 - 1), "corrupt"],
  ["PNG: 20000 × 20000 and nothing there", () => pngHeader(20_000, 20_000), "too_many_pixels"],
  [
    "PNG: 50 MB of text in 50 KB",
    async () =>
      withPngChunks(
        await makeStill("png"),
        pngChunk("zTXt", "a\0\0", deflateSync(Buffer.alloc(50_000_000))),
      ),
    "ok",
  ],
  [
    "JPEG: 65500 × 65500 in its header",
    async () => resized(await makeStill("jpeg"), 65_500),
    "too_many_pixels",
  ],
  [
    "WebP: a part of 2^32 bytes",
    () => bytes("RIFF", u8(255, 255, 255, 255), "WEBPVP8 ", u8(255, 255, 255, 255), noise(500)),
    "truncated",
  ],
];

let workers: MediaWorkers;
const plain = movie();
const probe = (file: Buffer): ReturnType<MediaWorkers["probe"]> =>
  workers.probe({
    bytes: file.length,
    read: async (first, last) => file.subarray(first, last + 1),
  });

before(() => {
  workers = createMediaWorkers({ readable: [], size: 1, limits: { cpuMs: 5000 } });
});
after(() => workers.close());

test(
  "one hostile file after the other, and an honest one after each",
  { timeout: 120_000 },
  async (t) => {
    assert.equal((await probe(plain)).ok, true);
    const resident = process.memoryUsage.rss();
    for (const [name, make, outcome] of ROWS)
      await t.test(name, async () => {
        const verdict = await probe(await make());
        assert.equal(verdict.ok ? "ok" : verdict.reason, outcome, JSON.stringify(verdict));
        const next = await probe(plain);
        assert(
          next.ok && next.facts.kind === "video" && next.facts.durationSeconds === 4,
          JSON.stringify(next),
        );
      });
    const grown = process.memoryUsage.rss() - resident;
    assert(grown < 150 * 1024 * 1024, `the gateway's process grew by ${grown} bytes`);
  },
);

test(
  "a heap that runs full ends the worker, and its memory stays within bounds",
  { timeout: 60_000 },
  async () => {
    await using small = pool({ cpuMs: 8000, heapMegabytes: 64 });
    const pssh = movie({
      extra: [box("pssh", u32(0x01000000), Buffer.alloc(16, 7), u32(2 ** 28), Buffer.alloc(6000))],
    });
    const verdict = await small.probe(pssh);
    assert(!verdict.ok && verdict.reason === "too_hard", JSON.stringify(verdict));
  },
);

test("memory beyond the heap is bounded too", { timeout: 60_000 }, async (t) => {
  if (process.platform !== "linux") {
    t.skip("only on Linux memory beyond the heap is bounded");
    return;
  }
  // A WebP is unpacked as a whole before a line of it can be written elsewhere: 36 million pixels,
  // 144 MB.
  const large = await makePlainWebp(6000, 6000);
  await using small = pool({ residentMegabytes: 160 });
  const refused = await small.convert(large);
  assert(
    !refused.ok && refused.reason === "too_hard" && refused.message.includes("memory"),
    JSON.stringify(refused),
  );
  await using usual = pool({});
  assert.equal((await usual.convert(large)).ok, true);
});

interface Pool extends AsyncDisposable {
  probe(file: Buffer): ReturnType<MediaWorkers["probe"]>;
  convert(file: Buffer): ReturnType<MediaWorkers["toJpeg"]>;
}

function pool(limits: NonNullable<Parameters<typeof createMediaWorkers>[0]["limits"]>): Pool {
  const made = createMediaWorkers({ readable: [], size: 1, limits });
  return {
    convert: (file) =>
      made.toJpeg(
        { bytes: file.length, read: async (first, last) => file.subarray(first, last + 1) },
        { maxBytes: 1e7 },
      ),
    probe: (file) =>
      made.probe({
        bytes: file.length,
        read: async (first, last) => file.subarray(first, last + 1),
      }),
    [Symbol.asyncDispose]: () => made.close(),
  };
}

function nested(depth: number): Buffer {
  const heads = Array.from({ length: depth }, (_, level) =>
    bytes(u32((depth - level) * 8), "moov"),
  );
  return bytes(...heads);
}

function manyKeys(): Buffer {
  const keys = fullBox("keys", u32(ALL), u32(20), "mdtaabcdefghijkl");
  return box("udta", fullBox("meta", fullBox("hdlr", u32(0), "mdta", Buffer.alloc(13)), keys));
}

function segment(...content: Buffer[]): Buffer {
  return element(0x18538067, null, ...content);
}

function manyTracks(count: number): Buffer[] {
  return Array.from({ length: count }, (_, number) =>
    element(
      0xae,
      null,
      element(0xd7, null, u16(number)),
      element(0x83, null, u8(1)),
      element(0x86, null, "V_VP9"),
      element(0xe0, null, element(0xb0, null, u8(1)), element(0xba, null, u8(1))),
    ),
  );
}

function wave(rate: number): Buffer {
  const format = bytes("fmt ", u8(16, 0, 0, 0, 1, 0, 1, 0, rate, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0));
  return bytes(
    "RIFF",
    u8(0xff, 0xff, 0xff, 0xff),
    "WAVE",
    format,
    "data",
    u8(0xff, 0xff, 0xff, 0xff),
    Buffer.alloc(1000),
  );
}

/** The frame's header, FF C0, holds height and width in its fifth to eighth byte. */
function resized(jpeg: Buffer, side: number): Buffer {
  const copy = Buffer.from(jpeg);
  copy.set(u16(side, side), copy.indexOf(u8(0xff, 0xc0)) + 5);
  return copy;
}
