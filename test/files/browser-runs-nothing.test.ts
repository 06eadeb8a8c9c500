/**
 * A real Chromium opens whatever strangers uploaded, in every way a page can, and runs none of it
 * (contract §8; hazards §217).
 */
// Runs beside the others: it gives what every page holds the time to run.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Frame, Page } from "playwright-core";
import sharp from "sharp";
import { openBrowser } from "../support/browser.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openFilesScene, type FilesScene } from "./files-scene.ts";

/** Scripts of a page run as it loads; what they ask for arrives on this very machine. */
const LOOK_MS = 100;

let scene: FilesScene;
let gateway: Gateway;
let secret: string;
let browser: Browser;
/** Counts who asks for it: every script of the files does, from wherever it runs. */
let canary: Server;
let canaryUrl: string;
let calls: string[] = [];

before(async () => {
  scene = await openFilesScene("local");
  gateway = await scene.gateway();
  secret = await scene.customer();
  browser = await openBrowser();
  canary = createServer((request, response) => {
    calls.push(request.url ?? "");
    const html = pages.get(request.url ?? "");
    response
      .writeHead(200, {
        "access-control-allow-origin": "*",
        "content-type": html === undefined ? "text/plain" : "text/html",
      })
      .end(html ?? "");
  });
  await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
  canaryUrl = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
});
after(async () => {
  await browser.close();
  await new Promise((resolve) => canary.close(resolve));
  await scene[Symbol.asyncDispose]();
});

/** Pages of our own, served by the canary, that hold strangers' files. */
const pages = new Map<string, string>();

/**
 * Whatever it can do to be noticed: a request, a mark on its window and on its opener's, a dialog.
 */
function script(name: string): string {
  return `try{new Image().src='${canaryUrl}/ran/${name}';fetch('${canaryUrl}/ran/${name}').catch(function(){});}catch(e){}try{top.ran='${name}'}catch(e){}self.ran='${name}';try{alert('${name}')}catch(e){}`;
}

async function files(): Promise<Readonly<Record<string, Buffer>>> {
  const html = `<!doctype html><html><head><title>x</title></head><body onload="${script("onload")}"><script>${script("html")}</script><img src=x onerror="${script("onerror")}"></body></html>`;
  const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${script("svg")}"><script>${script("svg")}</script></svg>`;
  const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#a37" } })
    .jpeg()
    .toBuffer();
  // A JPEG that is JavaScript too: the length of its first segment reads as the beginning of a
  // comment.
  const comment = Buffer.from(`*/=1;${script("polyglot")}/*`);
  const polyglot = Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x2f, 0x2a]),
    Buffer.alloc(0x2f2a - 2 - comment.length),
    comment,
    jpeg.subarray(2),
    Buffer.from("*/"),
  ]);
  const segment = Buffer.from(html);
  const withHtml = Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xfe, (segment.length + 2) >> 8, (segment.length + 2) & 255]),
    segment,
    jpeg.subarray(2),
  ]);
  return {
    "page.html": Buffer.from(html),
    "page-as.png": Buffer.from(html),
    "drawing.svg": Buffer.from(svg),
    "drawing-as.jpg": Buffer.from(svg),
    "sheet.xml": Buffer.from(
      `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xml,<x/>"?><html xmlns="http://www.w3.org/1999/xhtml"><script>${script("xml")}</script></html>`,
    ),
    "page.xhtml": Buffer.from(
      `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${script("xhtml")}</script></body></html>`,
    ),
    "code.js": Buffer.from(script("js")),
    "code.mjs": Buffer.from(script("mjs")),
    "page.mhtml": Buffer.from(
      `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<script>${script("mhtml")}</script>`,
    ),
    "gif-and.js": Buffer.from(`GIF89a/*\0\0*/=1;${script("gif")}`),
    "polyglot.jpg": polyglot,
    "comment.jpg": withHtml,
    "tail.jpg": Buffer.concat([jpeg, segment]),
    "mp4-and.html": Buffer.concat([
      Buffer.from([0, 0, 0, 24]),
      Buffer.from("ftypisom\0\0\0\0isomiso2"),
      Buffer.from(html),
    ]),
    "id3-and.html": Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\0"), Buffer.from(html)]),
  };
}

/** Every way in which a page or an address bar can meet a file. */
const MEETINGS: Readonly<Record<string, (url: string) => string>> = {
  iframe: (url) => `<iframe src="${url}"></iframe>`,
  object: (url) =>
    `<object data="${url}" type="text/html"></object><object data="${url}" type="image/svg+xml"></object>`,
  embed: (url) => `<embed src="${url}" type="text/html">`,
  script: (url) => `<script src="${url}"></script><script type="module" src="${url}"></script>`,
  image: (url) =>
    `<img src="${url}"><svg><image href="${url}"/><use href="${url}#x"/></svg><video src="${url}"></video>`,
  style: (url) => `<link rel="stylesheet" href="${url}"><link rel="import" href="${url}">`,
  worker: (url) =>
    `<script>try{new Worker("${url}")}catch(e){}try{importScripts("${url}")}catch(e){}import("${url}").catch(function(){});</script>`,
};

interface Seen {
  readonly dialogs: string[];
  readonly ran: string[];
}

/**
 * Opens the address and gives everything on it time to run. What opens, downloads or asks is noted.
 */
async function visit(address: string): Promise<Seen> {
  const dialogs: string[] = [];
  const context = await browser.newContext({ acceptDownloads: false });
  const note = (page: Page): void => {
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  };
  context.on("page", note);
  const page = await context.newPage();
  // Navigating to what is only ever saved is an aborted navigation.
  await page
    .goto(address, { waitUntil: "load" })
    .catch((error: unknown) => assert.match(String(error), /ERR_ABORTED|Download is starting/));
  await sleep(LOOK_MS);
  const marks = await Promise.all(page.frames().map((frame) => markOf(frame)));
  await context.close();
  return { dialogs, ran: marks.filter((mark) => mark !== "") };
}

/** Where scripts are forbidden altogether, ours are too, and the question is never answered. */
async function markOf(frame: Frame): Promise<string> {
  const asked = frame
    .evaluate(() => String((globalThis as { ran?: string }).ran ?? ""))
    .catch(() => "");
  return Promise.race([asked, sleep(2 * LOOK_MS, "")]);
}

test("the detector sees a script that does run, in every one of its ways", async () => {
  pages.set("/plain", `<script>${script("plain")}</script>`);
  const { dialogs, ran } = await visit(`${canaryUrl}/plain`);
  assert.deepEqual([dialogs, ran, calls.includes("/ran/plain")], [["plain"], ["plain"], true]);
  pages.set("/framed", `<iframe src="${canaryUrl}/plain"></iframe>`);
  calls = [];
  const framed = await visit(`${canaryUrl}/framed`);
  assert.deepEqual([framed.dialogs, calls.includes("/ran/plain")], [["plain"], true]);
  pages.set(
    "/scripted",
    `<script src="data:text/javascript,${encodeURIComponent(script("data"))}"></script>`,
  );
  assert.deepEqual((await visit(`${canaryUrl}/scripted`)).ran, ["data"]);
});

test(
  "whatever was uploaded, under whatever name and type: no script of it runs, however it is met",
  { timeout: 240_000 },
  async () => {
    const uploaded: (readonly [name: string, url: string])[] = [];
    for (const [name, bytes] of Object.entries(await files())) {
      writeFileSync(join(scene.folder, name), bytes);
      const type = name.endsWith(".svg")
        ? "image/svg+xml"
        : name.endsWith(".html")
          ? "text/html"
          : "image/png";
      const { status, data, msg } = await scene.curl(
        gateway,
        secret,
        "-F",
        `file=@${name};type=${type}`,
      );
      assert.equal(status, 200, `${name}: ${msg}`);
      uploaded.push([name, data?.url ?? ""]);
    }
    for (const [name, url] of uploaded) {
      calls = [];
      const seen: Record<string, Seen> = { navigation: await visit(url) };
      for (const [way, write] of Object.entries(MEETINGS)) {
        pages.set(`/${way}/${name}`, `<!doctype html><body>${write(url)}</body>`);
        seen[way] = await visit(`${canaryUrl}/${way}/${name}`);
      }
      for (const [way, { dialogs, ran }] of Object.entries(seen))
        assert.deepEqual([dialogs, ran], [[], []], `${name} by ${way}`);
      assert.deepEqual(
        calls.filter((path) => path.startsWith("/ran/")),
        [],
        name,
      );
    }
  },
);
