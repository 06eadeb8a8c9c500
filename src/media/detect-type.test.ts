/**
 * Protects: only what begins like media and carries no document is ever shown; the extension comes
 * from the bytes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import {
  box,
  bytes,
  ebmlHeader,
  id3,
  movie,
  noise,
  pngChunk,
  u8,
  withJpegComment,
  withPngChunks,
} from "../../test/support/media-maker-bytes.ts";
import { HEAD_BYTES, detectType } from "./detect-type.ts";

const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: "#884422" } });
const [jpeg, png, webp, gif] = await Promise.all(
  [
    picture.clone().jpeg(),
    picture.clone().png(),
    picture.clone().webp(),
    picture.clone().gif(),
  ].map((made) => made.toBuffer()),
);
assert(jpeg && png && webp && gif);

const mp3Frame = bytes(u8(0xff, 0xfb, 0x90, 0x64), Buffer.alloc(413));
const shown: readonly [what: string, head: Buffer, contentType: string, extension: string][] = [
  ["JPEG", jpeg, "image/jpeg", "jpg"],
  ["PNG", png, "image/png", "png"],
  [
    "an animated PNG",
    withPngChunks(png, pngChunk("acTL", u8(0, 0, 0, 2, 0, 0, 0, 0))),
    "image/png",
    "png",
  ],
  ["WebP", webp, "image/webp", "webp"],
  ["GIF", gif, "image/gif", "gif"],
  ["AVIF", box("ftyp", "avif", u8(0, 0, 0, 0), "avifmif1"), "image/avif", "avif"],
  ["MP4", movie(), "video/mp4", "mp4"],
  ["QuickTime", movie({ brand: "qt  " }), "video/quicktime", "mov"],
  ["M4A", movie({ brand: "M4A " }), "audio/mp4", "m4a"],
  ["M4V", movie({ brand: "M4V " }), "video/mp4", "mp4"],
  ["WebM", bytes(ebmlHeader("webm"), noise(100)), "video/webm", "webm"],
  ["Matroska", bytes(ebmlHeader("matroska"), noise(100)), "video/x-matroska", "mkv"],
  ["MP3", bytes(mp3Frame, mp3Frame), "audio/mpeg", "mp3"],
  ["MP3 behind a tag", bytes(id3(Buffer.alloc(50)), mp3Frame), "audio/mpeg", "mp3"],
  [
    "MP3 behind a tag longer than the head",
    id3(Buffer.alloc(9000)).subarray(0, HEAD_BYTES),
    "audio/mpeg",
    "mp3",
  ],
  ["WAV", bytes("RIFF", u8(36, 0, 0, 0), "WAVEfmt ", Buffer.alloc(28)), "audio/wav", "wav"],
  [
    "ADTS",
    bytes(u8(0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc), Buffer.alloc(40)),
    "audio/aac",
    "aac",
  ],
  ["FLAC", bytes("fLaC", Buffer.alloc(60)), "audio/flac", "flac"],
  [
    "Opus",
    bytes("OggS", u8(0, 2), Buffer.alloc(20), u8(1, 19), "OpusHead", Buffer.alloc(11)),
    "audio/ogg",
    "ogg",
  ],
  [
    "Vorbis",
    bytes("OggS", u8(0, 2), Buffer.alloc(20), u8(1, 30), u8(1), "vorbis", Buffer.alloc(23)),
    "audio/ogg",
    "ogg",
  ],
  [
    "JPEG with an archive behind its end",
    bytes(jpeg, "PK\x03\x04", noise(200)),
    "image/jpeg",
    "jpg",
  ],
  [
    "JPEG with XMP",
    withJpegComment(
      jpeg,
      '<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF/></x:xmpmeta>',
    ),
    "image/jpeg",
    "jpg",
  ],
];

for (const [what, head, contentType, extension] of shown)
  test(`${what} is shown as ${contentType}`, async () => {
    const media = contentType.split("/")[0];
    assert.deepEqual(await detectType(head.subarray(0, HEAD_BYTES)), {
      contentType,
      extension,
      inline: true,
      media,
    });
  });

const downloaded: readonly [what: string, head: Buffer | string][] = [
  ["nothing", ""],
  ["one byte", "\xff"],
  ["noise", noise(HEAD_BYTES)],
  ["HTML", "<!DOCTYPE html><html><script>alert(1)</script></html>"],
  ["HTML behind white space and a mark of order", "\xef\xbb\xbf\n\t <html>"],
  ["HTML in UTF-16", Buffer.from("\ufeff<html><script>alert(1)</script>", "utf16le")],
  ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  [
    "SVG behind an XML declaration",
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
  ],
  ["XML", '<?xml version="1.0"?><a/>'],
  ["a script", "#!/bin/sh\nexit 0\n"],
  ["JavaScript", "alert(document.domain)"],
  ["PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3"],
  ["an archive", "PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
  ["a program", "\x7fELF\x02\x01\x01"],
  ["WebAssembly", "\0asm\x01\0\0\0"],
  ["a playlist", "#EXTM3U\n#EXTINF:1,\nhttp://10.0.0.1/a.ts\n"],
  ["plain text", "hello"],
  ["TIFF", "II*\0\x08\0\0\0"],
  ["BMP", "BM\x46\0\0\0\0\0\0\0\x36\0\0\0"],
  ["HEIC", box("ftyp", "heic", u8(0, 0, 0, 0), "heicmif1")],
  ["MPEG transport stream", bytes("G", Buffer.alloc(187), "G", Buffer.alloc(187))],
  ["ftyp with HTML behind it", bytes(movie().subarray(0, 24), "<html><script>alert(1)</script>")],
  ["ID3 with HTML behind it", bytes(id3(Buffer.alloc(20)), "<html><body onload=alert(1)>")],
  [
    "JPEG with HTML in its comment",
    withJpegComment(jpeg, "<html><script>alert(1)</script></html>"),
  ],
  ["PNG with SVG in a text", withPngChunks(png, pngChunk("tEXt", "a\0<svg onload=alert(1)>"))],
  ["PNG with a PDF in a text", withPngChunks(png, pngChunk("tEXt", "a\0%PDF-1.4\n1 0 obj"))],
  ["GIF that is a script", "GIF89a/*<script>alert(1)</script>*/=1;"],
  ["GIF that is a PDF", bytes(gif.subarray(0, 13), "%PDF-1.4")],
  ["GIF that is PHP", bytes(gif.subarray(0, 13), "<?php system($_GET[0]); ?>")],
  [
    "WAV with HTML in it",
    bytes("RIFF", u8(36, 0, 0, 0), "WAVE", "LIST", u8(20, 0, 0, 0), "<iframe src=x></iframe>"),
  ],
];

for (const [what, head] of downloaded)
  test(`${what} is only downloaded`, async () => {
    const bytesOf =
      typeof head === "string" ? Buffer.from(head, "latin1") : head.subarray(0, HEAD_BYTES);
    assert.deepEqual(await detectType(bytesOf), {
      contentType: "application/octet-stream",
      extension: "bin",
      inline: false,
      media: null,
    });
  });
