/**
 * A customer's media becomes a stored file of ours that was measured and keeps the rules, or
 * nothing is kept of it (contract §7, §10).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, test } from "node:test";
import sharp from "sharp";
import {
  bytesOf,
  isFault,
  nameOf,
  openFileScene,
  picture,
  STATIC_URL,
  type FileProcess,
  type FileScene,
} from "../../../test/support/file-scene.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { MediaRules } from "../../media/media-rules.ts";
import { createSafeFetch, type SafeFetch } from "../../net/safe-fetch.ts";
import { ownName } from "./own-name.ts";
import { createTakeMedia, type TakeMediaCall, type TakenMedia } from "./take-media.ts";

const RULES: MediaRules = {
  kind: "image",
  contentTypes: ["image/jpeg", "image/png"],
  maxMegabytes: 1,
  minSidePx: 20,
};

let scene: FileScene;
let one: FileProcess;
let safeFetch: SafeFetch;
let server: Server;
let origin: string;
/** What the server answers, by path. */
const served = new Map<string, Buffer>();
const asked: string[] = [];

before(async () => {
  scene = await openFileScene();
  one = scene.process();
  safeFetch = createSafeFetch({ allow: ["127.0.0.0/8"] });
  server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    if (path === "/redirect")
      return void response.writeHead(302, { location: `${origin}/cat.png` }).end();
    if (path === "/inside")
      return void response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
    if (path === "/cut") {
      response.writeHead(200, { "content-length": 50_000 });
      return void response.write(
        Buffer.concat([served.get("/cat.png") ?? Buffer.alloc(0), Buffer.alloc(10_000)]),
        () => response.destroy(),
      );
    }
    const body = served.get(decodeURIComponent(path.replace("?declared", "")));
    if (body === undefined) return void response.writeHead(404).end("no such secret");
    const length = path.endsWith("?declared") ? { "content-length": body.length } : {};
    response.writeHead(200, { "content-type": "image/png", ...length }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  served.set("/cat.png", await picture(40));
});
after(async () => {
  await safeFetch.close();
  server.close();
  await scene[Symbol.asyncDispose]();
});
afterEach(async () => scene.assertWhole());

function take(
  url: string,
  change: Partial<TakeMediaCall> = {},
  process = one,
): Promise<TakenMedia> {
  const { db, storage, intake } = process;
  const takeMedia = createTakeMedia({
    db,
    storage,
    media: scene.media,
    intake,
    safeFetch,
    staticUrl: () => STATIC_URL,
    limitBytes: 2 ** 30,
  });
  const { signal } = new AbortController();
  return takeMedia({
    url,
    accountId: newUuid(),
    keyId: null,
    rules: RULES,
    deadlineMs: 20_000,
    signal,
    ...change,
  });
}

async function outcome(url: string, change: Partial<TakeMediaCall> = {}): Promise<string> {
  const taken = await take(url, change);
  switch (taken.kind) {
    case "taken":
      return "taken";
    case "refused":
      return `refused: ${taken.rule}`;
    case "rejected":
      return `rejected: ${taken.breaches.map(({ rule }) => rule).join(" ")}`;
  }
}

test("a file at a public address is copied, measured and counted, and served by its own name", async () => {
  const accountId = newUuid();
  served.set("/мой кот.png", await picture(50));
  for (const path of ["/cat.png", "/redirect", `/${encodeURIComponent("мой кот.png")}`]) {
    const taken = await take(origin + path, { accountId });
    assert.ok(taken.kind === "taken", JSON.stringify(taken));
    const { file, facts } = taken;
    assert.ok(facts.kind === "image" && facts.width >= 40);
    assert.deepEqual(
      [file.accountId, file.origin, file.contentType, file.inline],
      [accountId, "fetched", "image/png", true],
    );
    const opened = await one.reader.openFile(file.name);
    assert.ok(opened.state === "stored");
    assert.equal((await bytesOf(await one.reader.readFile(opened.file)))?.length, file.bytes);
    if (path.includes("%")) assert.equal(file.fileName, "мой кот.png");
  }
});

test("an address that gives nothing, or must not be asked, is refused with its rule, and nothing is kept", async () => {
  await scene.leavesNothing(async () => {
    assert.equal(await outcome(`${origin}/none`), "refused: status");
    assert.equal(await outcome(`${origin}/inside`), "refused: address_not_public");
    assert.equal(await outcome("http://10.0.0.1/cat.png"), "refused: address_not_public");
    assert.equal(await outcome("data:image/png;base64,AAAA"), "refused: data_url");
    assert.equal(await outcome(`${origin}/cut`), "refused: cut");
    served.set("/empty", Buffer.alloc(0));
    assert.equal(await outcome(`${origin}/empty`), "refused: empty");
    const refused = await take(`${origin}/none`);
    assert.ok(
      refused.kind === "refused" &&
        !refused.message.includes("secret") &&
        !refused.message.includes("127"),
    );
  });
});

test("a file over the limit is rejected by it, as one of our own storage is, whether its server says how long it is or not", async () => {
  served.set("/large", Buffer.concat([await picture(40), Buffer.alloc(1024 * 1024)]));
  await scene.leavesNothing(async () => {
    for (const path of ["/large", "/large?declared"]) {
      const rejected = await take(origin + path);
      const message = "The file has more than 1 MB, the most that is allowed.";
      assert.deepEqual(rejected, { kind: "rejected", breaches: [{ rule: "size", message }] });
    }
  });
});

test("a file that breaks rules is rejected with all of them, and nothing is kept", async () => {
  await scene.leavesNothing(async () => {
    served.set("/page.png", Buffer.from("<html><script>alert(1)</script></html>"));
    assert.equal(await outcome(`${origin}/page.png`), "rejected: kind");
    assert.equal(
      await outcome(`${origin}/cat.png`, { rules: { kind: "video" } }),
      "rejected: kind",
    );
    served.set(
      "/small.webp",
      await sharp(await picture(10))
        .webp()
        .toBuffer(),
    );
    assert.equal(await outcome(`${origin}/small.webp`), "rejected: type min_side");
    const png = await picture(200, true);
    served.set("/half.png", png.subarray(0, png.length / 2));
    assert.equal(await outcome(`${origin}/half.png`), "rejected: truncated");
  });
});

test("our own files are read from storage and not over HTTP, whosever they are; what is over is refused", async () => {
  const key = { keyId: newUuid(), accountId: newUuid() };
  const { url } = await one.upload(await picture(40), { key });
  const asksBefore = asked.length;
  const taken = await scene.leavesNothing(() => take(`${url}?download=1#top`));
  assert.ok(
    taken.kind === "taken" &&
      taken.file.name === nameOf(url) &&
      taken.file.accountId === key.accountId,
  );
  assert.equal(asked.length, asksBefore);
  const { url: page } = await one.upload(Buffer.from("<html></html>"), { key });
  const { url: small } = await one.upload(await picture(10), { key });
  await scene.leavesNothing(async () => {
    assert.equal(await outcome(page), "rejected: kind");
    assert.equal(await outcome(small), "rejected: min_side");
    assert.equal(await outcome(`${STATIC_URL}/${"a".repeat(32)}.png`), "refused: file_not_found");
    assert.equal(await outcome(`${STATIC_URL}/..%2f..%2fetc%2fpasswd`), "refused: file_not_found");
  });
  await scene.db.query(
    "UPDATE files.files SET expires_at = clock_timestamp() WHERE account_id = $1",
    [key.accountId],
  );
  assert.equal(await outcome(url), "refused: file_expired");
});

test("a file that could not be measured when it was stored is measured when it is taken", async () => {
  const blind = scene.process({
    storage: (real) => ({ ...real, localPath: () => "/nowhere/at/all.png" }),
  });
  const { url } = await blind.upload(await picture(40));
  const taken = await take(url);
  assert.ok(taken.kind === "taken" && taken.facts.kind === "image" && taken.facts.width === 40);
});

test("what has to be JPEG becomes a file of the one who needs it, held against the rules again; its source stays as it was", async () => {
  const rules: MediaRules = {
    kind: "image",
    contentTypes: ["image/jpeg"],
    webpToJpeg: true,
    maxMegabytes: 1,
    minSidePx: 20,
  };
  const webp = await sharp(await picture(64))
    .webp()
    .toBuffer();
  served.set("/cat.webp", webp);
  const { url } = await one.upload(webp, { fileName: "кот.webp" });
  for (const [address, fileName] of [
    [`${origin}/cat.webp`, "cat.jpg"],
    [url, "кот.jpg"],
  ] as const) {
    const before = (await scene.objects()).length;
    const accountId = newUuid();
    const taken = await take(address, { rules, accountId });
    assert.ok(taken.kind === "taken", JSON.stringify(taken));
    assert.deepEqual(
      [taken.file.contentType, taken.file.fileName, taken.file.accountId],
      ["image/jpeg", fileName, accountId],
    );
    assert.deepEqual(
      [taken.facts.contentType, taken.facts.kind === "image" && taken.facts.width],
      ["image/jpeg", 64],
    );
    const opened = await one.reader.openFile(taken.file.name);
    assert.ok(opened.state === "stored" && taken.file.name.endsWith(".jpg"));
    assert.equal(
      (await scene.objects()).length,
      before + 1,
      "the WebP that was fetched for it is not kept",
    );
  }
  assert.equal((await one.reader.openFile(nameOf(url))).state, "stored");
});

test("an account without room takes nothing, and a caller who gives up leaves nothing", async () => {
  const full = scene.process({ quotaBytes: 10 });
  await scene.leavesNothing(async () => {
    await assert.rejects(take(`${origin}/cat.png`, {}, full), isFault("storage_quota_exceeded"));
    const given = new Error("given up");
    await assert.rejects(take(`${origin}/cat.png`, { signal: AbortSignal.abort(given) }), given);
  });
});

test("only addresses directly below ours are our own", () => {
  for (const [address, base, name] of [
    ["https://files.test/static/a.png", STATIC_URL, "a.png"],
    ["HTTPS://FILES.test:443/static/a.png?x#y", STATIC_URL, "a.png"],
    ["https://files.test/a.png", "https://files.test", "a.png"],
    ["https://files.test/static/", STATIC_URL, null],
    ["https://files.test/static/b/a.png", STATIC_URL, null],
    ["https://files.test/static/../a.png", STATIC_URL, null],
    ["https://files.test/staticky/a.png", STATIC_URL, null],
    ["http://files.test/static/a.png", STATIC_URL, null],
    ["https://files.test.evil.com/static/a.png", STATIC_URL, null],
    ["https://files.test@evil.com/static/a.png", STATIC_URL, null],
    ["no address", STATIC_URL, null],
    ["/static/a.png", "", null],
  ] as const) {
    assert.equal(ownName(address, base), name, address);
  }
});
