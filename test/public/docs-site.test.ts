/**
 * Guarantee: the documentation of a running gateway is whole in both languages without a script:
 * each page is light, leads from one to the next, and every link of it arrives; the reference has
 * every endpoint once, and the changelog every version.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startTollgate, type Started } from "../support/start-tollgate.ts";

const LIMIT_BYTES = 120_000;
const LANGUAGES = ["ru", "en"] as const;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
}

const folder = mkdtempSync(join(tmpdir(), "docs-site-"));
const texts = new Map<string, string>();
let tollgate: Started;
let rests: string[];
before(async () => {
  tollgate = await startTollgate(folder, {});
  const map = await textOf("/sitemap.xml");
  const found = map.matchAll(/<loc>[^<]*\/ru(\/docs[^<]*)<\/loc>/g);
  rests = [...found].map(([, rest = ""]) => rest);
});
after(async () => {
  await tollgate.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** As a browser asks for it, once; fails where there is none. */
async function textOf(path: string): Promise<string> {
  const known = texts.get(path);
  if (known !== undefined) return known;
  const answer = await fetch(`${tollgate.url}${path}`, { headers: { accept: "text/html,*/*" } });
  assert.equal(answer.status, 200, path);
  const text = await answer.text();
  texts.set(path, text);
  return text;
}

async function apiOperations(): Promise<Operation[]> {
  const document = JSON.parse(await textOf("/openapi.json")) as {
    readonly paths: Record<string, Record<string, Operation>>;
  };
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

const idsOf = (text: string): string[] =>
  [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? "");

/** What a reader sees of it. What an English page quotes in Russian is said to be Russian. */
function seen(text: string): string {
  return text
    .replaceAll(/<span lang="ru">[^<]*<\/span>|Русский|<wbr>/g, "")
    .replaceAll(/<(style|script)[^>]*>[^]*?<\/\1>|<[^>]*>/g, " ");
}

test("every page is there in both languages, light, and English where it is English", async () => {
  assert.ok(rests.length > 40, String(rests.length));
  for (const rest of rests) {
    const [ru = "", en = ""] = await Promise.all(
      LANGUAGES.map((language) => textOf(`/${language}${rest}`)),
    );
    for (const text of [ru, en]) {
      assert.ok(Buffer.byteLength(text) <= LIMIT_BYTES, `${rest}: ${Buffer.byteLength(text)}`);
      assert.equal(text.match(/<script/g)?.length, 1, rest);
      assert.equal(text.match(/<h1[ >]/g)?.length, 1, rest);
      assert.match(text, /<a href="[^"]+" aria-current="page">/, rest);
    }
    assert.deepEqual(idsOf(ru), idsOf(en), `${rest}: one can go to the same places`);
    assert.equal(new Set(idsOf(en)).size, idsOf(en).length, `${rest}: each place once`);
    assert.doesNotMatch(seen(en), /[А-Яа-яЁё]/, rest);
    assert.match(seen(ru), /[А-Яа-яЁё]{4}/, rest);
  }
});

test("every link of the documentation arrives, at its place on the page too", async () => {
  const asked = new Set<string>();
  for (const rest of rests) {
    for (const language of LANGUAGES) {
      const path = `/${language}${rest}`;
      for (const [, target = ""] of (await textOf(path)).matchAll(/<a[^>]* href="([^"]+)"/g)) {
        if (/^(https?:|mailto:|\/panel)/.test(target) || asked.has(`${path} ${target}`)) continue;
        asked.add(`${path} ${target}`);
        const [page = "", place] = target.split("#");
        const text = await textOf(page === "" ? path : page);
        if (place !== undefined)
          assert.ok(idsOf(text).includes(place), `${path} links to ${target}`);
      }
    }
  }
  assert.ok(asked.size > 500, String(asked.size));
});

test("one reads from the first page to the last by its links", async () => {
  for (const language of LANGUAGES) {
    const read: string[] = [];
    let path: string | undefined = `/${language}/docs`;
    while (path !== undefined) {
      assert.ok(!read.includes(path), `twice: ${path}`);
      const text: string = await textOf(path);
      const earlier = /rel="prev" href="([^"]+)"/.exec(text)?.[1];
      assert.equal(earlier, read.at(-1), path);
      read.push(path);
      path = /rel="next" href="([^"]+)"/.exec(text)?.[1];
    }
    assert.deepEqual(read.toSorted(), rests.map((rest) => `/${language}${rest}`).toSorted());
  }
});

test("every endpoint is on one page of the reference, with words in Russian", async () => {
  const pages = rests.filter((rest) => rest.startsWith("/docs/api/"));
  const index = await textOf("/ru/docs/api");
  for (const { operationId, summary } of await apiOperations()) {
    const on: string[] = [];
    for (const rest of pages)
      if (idsOf(await textOf(`/ru${rest}`)).includes(operationId)) on.push(rest);
    assert.equal(on.length, 1, `${operationId}: ${on.join(", ")}`);
    assert.ok(index.includes(`href="/ru${on.join("")}#${operationId}"`), operationId);
    assert.ok(!index.includes(`<span lang="en">${summary}`), `${operationId} is not in Russian`);
  }
});

test("the reference tells fields, what they may be, and answers", async () => {
  const chat = seen(await textOf("/en/docs/api/chat-completions")).replaceAll(/\s+/g, " ");
  assert.match(chat, /POST \/v1\/chat\/completions/);
  assert.match(chat, /idempotency-key header string/);
  assert.match(chat, /model required string 1 … 256 A chat model of GET \/v1\/models/);
  assert.match(chat, /messages\[\]\.content\[\]\.image_url\.url string/);
  assert.match(chat, /200 The answer\. application\/json ChatCompletion/);
  assert.match(chat, /Errors : 400 , 401 , 402/);
  const tasks = await textOf("/en/docs/api/tasks");
  assert.ok(tasks.includes('<a href="/en/docs/tasks/t9">T9</a>'));
  assert.ok(idsOf(tasks).includes("taskEnded"));
});

test("the viewer is a link, and loads only for who follows it", async () => {
  const text = await textOf("/en/docs/api");
  assert.ok(text.includes('<a href="/docs" hreflang="en">'));
  assert.doesNotMatch(text, /viewer\.js/);
});

test("the changelog has every version, and no link to a file that is not here", async () => {
  const source = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const versions = [...source.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title);
  const items = source.match(/^- /gm) ?? [];
  for (const language of LANGUAGES) {
    const text = await textOf(`/${language}/docs/changelog`);
    for (const title of versions) assert.ok(text.includes(`<h2>${title}</h2>`), title);
    const main = text.slice(text.indexOf('<section class="guide"'));
    assert.equal(main.match(/<li>/g)?.length, items.length);
    assert.doesNotMatch(main, /href="docs\/|\*\*|`/);
  }
});

test("llms.txt names every page of the documentation", async () => {
  const text = await textOf("/llms.txt");
  for (const rest of rests) assert.match(text, new RegExp(`/en${rest}\\)`), rest);
});
