/** Makes media byte by byte: what no encoder would write, and changes to what one wrote. */
import { crc32 } from "node:zlib";

type Part = Uint8Array | string | readonly Part[];

export function bytes(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map((part) =>
      typeof part === "string"
        ? Buffer.from(part, "latin1")
        : part instanceof Uint8Array
          ? part
          : bytes(...part),
    ),
  );
}

export function u8(...values: number[]): Buffer {
  return Buffer.from(values);
}

export function u16(...values: number[]): Buffer {
  return Buffer.concat(values.map((value) => u8((value >>> 8) & 255, value & 255)));
}

export function u32(...values: number[]): Buffer {
  return Buffer.concat(
    values.map((value) => {
      const buffer = Buffer.alloc(4);
      buffer.writeUInt32BE(value);
      return buffer;
    }),
  );
}

/** ISO base media: size, name, content. */
export function box(type: string, ...content: readonly Part[]): Buffer {
  const inside = bytes(...content);
  return bytes(u32(inside.length + 8), type, inside);
}

/** With version 0 and no flags. */
export function fullBox(type: string, ...content: readonly Part[]): Buffer {
  return box(type, u32(0), ...content);
}

export interface MovieSpec {
  readonly brand?: string;
  readonly width?: number;
  readonly height?: number;
  readonly frames?: number;
  /** Of each frame, in thousandths of a second. */
  readonly frameMs?: number;
  /** Thousandths of a second, as the headers tell them; by the frames when left out. */
  readonly headerMs?: number;
  /** In place of the box that a whole movie has there. */
  readonly boxes?: Readonly<Record<string, Buffer>>;
  /** Further boxes within `moov`. */
  readonly extra?: readonly Part[];
  /** Bytes of each frame, all zero. */
  readonly frameBytes?: number;
}

/** A film of one track that every parser takes for whole, though its pictures hold nothing. */
export function movie(spec: MovieSpec = {}): Buffer {
  const {
    brand = "isom",
    width = 640,
    height = 480,
    frames = 100,
    frameMs = 40,
    frameBytes = 16,
    boxes = {},
    extra = [],
  } = spec;
  const headerMs = spec.headerMs ?? frames * frameMs;
  const ftyp = box("ftyp", brand, u32(512), brand, "mp41");
  const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
  const avcC = box(
    "avcC",
    u8(1, 0x42, 0xc0, 0x1e, 0xff, 0xe1),
    u16(4),
    u8(0x67, 0x42, 0xc0, 0x1e),
    u8(1),
    u16(4),
    u8(0x68, 0xce, 0x3c, 0x80),
  );
  const entry = box(
    "avc1",
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    avcC,
  );
  const build = (at: number): Buffer => {
    const parts: Record<string, Buffer> = {
      stsd: fullBox("stsd", u32(1), entry),
      stts: fullBox("stts", u32(1, frames, frameMs)),
      stsc: fullBox("stsc", u32(1, 1, frames, 1)),
      stsz: fullBox("stsz", u32(frameBytes, frames)),
      stco: fullBox("stco", u32(1, at)),
      ...boxes,
    };
    const stbl = box("stbl", ...Object.values(parts));
    const minf = box(
      "minf",
      fullBox("vmhd", Buffer.alloc(8)),
      box("dinf", fullBox("dref", u32(1), fullBox("url "))),
      stbl,
    );
    const hdlr = fullBox("hdlr", u32(0), "vide", Buffer.alloc(12), "v\0");
    const mdia = box(
      "mdia",
      fullBox("mdhd", u32(0, 0, 1000, headerMs), u16(0x55c4, 0)),
      hdlr,
      minf,
    );
    const tkhd = fullBox(
      "tkhd",
      u32(0, 0, 1, 0, headerMs, 0, 0, 0, 0),
      matrix,
      u32(width * 65_536, height * 65_536),
    );
    const mvhd = fullBox(
      "mvhd",
      u32(0, 0, 1000, headerMs, 0x10000),
      Buffer.alloc(12),
      matrix,
      Buffer.alloc(24),
      u32(2),
    );
    return box("moov", mvhd, box("trak", tkhd, mdia), ...extra);
  };
  const moov = build(ftyp.length + build(0).length + 8);
  return bytes(ftyp, moov, box("mdat", Buffer.alloc(frames * frameBytes)));
}

/** EBML: an id, a size of eight bytes, content. */
export function element(id: number, size: number | null, ...content: readonly Part[]): Buffer {
  const inside = bytes(...content);
  const hex = id.toString(16);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE((1n << 56n) | BigInt(size ?? inside.length));
  return bytes(Buffer.from(hex, "hex"), length, inside);
}

export function ebmlHeader(docType: string): Buffer {
  return element(0x1a45dfa3, null, element(0x4286, null, u8(1)), element(0x4282, null, docType));
}

export function pngChunk(name: string, ...content: readonly Part[]): Buffer {
  const inside = bytes(name, ...content);
  return bytes(u32(inside.length - 4), inside, u32(crc32(inside)));
}

/** Puts chunks into a PNG behind its header. */
export function withPngChunks(png: Buffer, ...chunks: readonly Buffer[]): Buffer {
  return bytes(png.subarray(0, 33), ...chunks, png.subarray(33));
}

/** Puts a comment into a JPEG, right at its beginning. */
export function withJpegComment(jpeg: Buffer, text: string): Buffer {
  return bytes(jpeg.subarray(0, 2), u8(0xff, 0xfe), u16(text.length + 2), text, jpeg.subarray(2));
}

/** An ID3v2.3 tag of frames. */
export function id3(...frames: readonly Part[]): Buffer {
  const inside = bytes(...frames);
  const length = inside.length;
  return bytes(
    "ID3",
    u8(3, 0, 0),
    u8((length >> 21) & 127, (length >> 14) & 127, (length >> 7) & 127, length & 127),
    inside,
  );
}

/** The cover of a record, as an ID3 frame. */
export function id3Cover(jpeg: Buffer): Buffer {
  const inside = bytes(u8(0), "image/jpeg\0", u8(3, 0), jpeg);
  return bytes("APIC", u32(inside.length), u16(0), inside);
}

/** A copy in which every box of that name has been changed; `content` begins behind the name. */
function changeBoxes(file: Buffer, type: string, change: (content: Buffer) => void): Buffer {
  const copy = Buffer.from(file);
  let found = 0;
  for (
    let at = copy.indexOf(type, 0, "latin1");
    at !== -1;
    at = copy.indexOf(type, at + 4, "latin1")
  ) {
    found += 1;
    change(copy.subarray(at + 4));
  }
  if (found === 0) throw new Error(`there is no ${type} in this file`);
  return copy;
}

/** A copy whose movie and track headers tell another length; both have version 0. */
export function lieAboutLength(
  file: Buffer,
  seconds: number,
  headers: readonly ("mvhd" | "tkhd" | "mdhd")[],
): Buffer {
  let copy = file;
  let movieScale = 1000;
  changeBoxes(file, "mvhd", (content) => {
    movieScale = content.readUInt32BE(12);
  });
  for (const header of headers)
    copy = changeBoxes(copy, header, (content) => {
      const scale = header === "tkhd" ? movieScale : content.readUInt32BE(12);
      content.writeUInt32BE(Math.round(seconds * scale), header === "tkhd" ? 20 : 16);
    });
  return copy;
}

/**
 * Puts a box at the end of a `moov` that is the last box of the file, so that no offset changes.
 */
export function withMovieBox(file: Buffer, extra: Buffer): Buffer {
  const at = file.lastIndexOf("moov") - 4;
  if (at + file.readUInt32BE(at) !== file.length) throw new Error("the moov box is not the last");
  return bytes(file.subarray(0, at), box("moov", file.subarray(at + 8), extra));
}

/** Bytes without any sense, the same ones for the same seed. */
export function noise(length: number, seed = 1): Buffer {
  const out = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out[at] = state >>> 24;
  }
  return out;
}
