/**
 * Guarantee: what visitors and search engines read of the service is in both languages, is what the
 * catalogue says, and is no more than text, whatever names stand in it.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { Script } from "node:vm";
import { DEFAULT_INSTALLATION } from "../../src/business/settings/default-installation.ts";
import { GUIDES } from "../../src/http/site/guide-place.ts";
import { REFERENCE_GROUPS } from "../../src/http/site/reference-groups.ts";
import { FAULTS } from "../../src/kernel/faults.ts";
import { catalogueOf, ENV, openSiteScene, type SiteScene } from "./site-scene.ts";

/** What would be more than a name where it is not taken for one. */
const HOSTILE = `<script>alert(1)</script> "'><img src=x onerror=alert(2)> $& ]]>`;
const CATALOGUE = catalogueOf(`
families: { prefix: claude, large: { match: opus, model: large } }
upstreams:
  supplier-chat: { protocol: openai, baseUrl: "https://supplier.example", apiKeyEnv: KEY }
  supplier-media: { protocol: kie, baseUrl: "https://supplier.example", apiKeyEnv: KEY }
models:
  large: { type: chat, displayName: Large One, endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 32000, price: { input: "150", cachedInput: "15.5", output: "1600" }, routes: [ { upstream: supplier-chat, model: supplier-model } ] }
  vendor/small:free: { type: chat, displayName: ${JSON.stringify(HOSTILE)}, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "0.000001", output: "2" }, routes: [ { upstream: supplier-chat, model: supplier-model } ] }
  film: { type: task, parameters: T9, deadlineSeconds: 60, price: { unit: second, quantity: duration, amount: { by: resolution, values: { 480p: "4", 720p: "8", 1080p: "16" } } }, routes: [ { upstream: supplier-media, model: supplier-model } ] }
  words: { type: embedding, price: { input: "3" }, routes: [ { upstream: supplier-chat, model: supplier-model } ] }
`);
const SHIPPED = catalogueOf(readFileSync(new URL("../../catalogue.yaml", import.meta.url), "utf8"));
const LIMIT_BYTES = 120_000;
const PAGES = [
  "",
  "/models",
  "/models/large",
  "/models/vendor/small%3Afree",
  "/models/film",
  "/models/words",
  ...GUIDES.map(([, rest]) => rest),
  "/docs/tasks/t9",
  "/docs/api",
  "/docs/api/chat-completions",
  "/docs/api/embeddings",
  "/docs/changelog",
  "/status",
];
/** Of the documentation that is not of the catalogue: the index of the reference and the changelog. */
const OTHER_DOCS = 2;

let scene: SiteScene;
before(async () => {
  scene = await openSiteScene(CATALOGUE);
});
after(() => scene[Symbol.asyncDispose]());
beforeEach(() => {
  Object.assign(scene.shown, {
    catalogue: CATALOGUE,
    version: 7,
    installation: DEFAULT_INSTALLATION,
    status: null,
    ready: true,
  });
});

/** What a reader sees of it: no tags, one space between words. */
function seen(text: string): string {
  return text
    .replaceAll(/<span lang="ru">[^<]*<\/span>/g, "")
    .replaceAll(/<(style|script)[^>]*>[^]*?<\/\1>|<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/[\s\u00A0]+/g, " ");
}

/** As a table shows a figure in parts: `8 ,00` is 8,00. */
const closed = (text: string): string => seen(text).replaceAll(/ (?=[,.]\d| ?₽)/g, "");

test("every page is whole in both languages and names the other one", async () => {
  for (const language of ["ru", "en"] as const) {
    for (const rest of PAGES) {
      const path = `/${language}${rest}`;
      const { status, headers, text } = await scene.ask(path);
      assert.equal(status, 200, path);
      assert.equal(headers["content-language"], language);
      assert.match(text, new RegExp(`^<!doctype html>\n<html lang="${language}">`));
      assert.equal(text.match(/<h1[ >]/g)?.length, 1, path);
      assert.match(text, /<title>[^<]+ — Tollgate<\/title>/);
      assert.match(text, /<meta name="description" content="[^"]+">/);
      assert.match(text, /<meta property="og:title" content="[^"]+">/);
      const link = (rel: string, of: string): string => `<link rel="${rel}" ${of}>`;
      assert.ok(text.includes(link("canonical", `href="${scene.url}${path}"`)), path);
      for (const other of ["ru", "en"])
        assert.ok(
          text.includes(
            link("alternate", `hreflang="${other}" href="${scene.url}/${other}${rest}"`),
          ),
          `${path}: ${other}`,
        );
      if (language === "en") {
        const words = seen(text.replaceAll("Русский", ""));
        assert.doesNotMatch(words, /[А-Яа-яЁё]/, path);
      }
    }
  }
});

test("the address itself speaks the reader's language, and plain text to programs", async () => {
  const lang = async (asked: string | null): Promise<string | undefined> => {
    const { text } = await scene.ask("/", asked === null ? {} : { "accept-language": asked });
    return /<html lang="(\w+)"/.exec(text)?.[1];
  };
  assert.equal(await lang("en-US,en;q=0.9"), "en");
  assert.equal(await lang("de-DE, en;q=0.3, ru;q=0.8"), "ru");
  assert.equal(await lang("ru;q=0, en"), "en");
  assert.equal(await lang("de"), "ru");
  assert.equal(await lang(null), "ru");
  const { headers } = await scene.ask("/");
  assert.equal(headers["vary"], "accept, accept-language, accept-encoding");
  for (const accept of ["*/*", "application/json"]) {
    const program = await scene.ask("/", { accept });
    assert.match(String(program.headers["content-type"]), /^text\/plain/);
    assert.match(program.text, /\/v1\/chat\/completions[^]*\/docs[^]*\/llms\.txt/);
  }
});

test("prices are the catalogue's, on every page and for programs", async () => {
  const models = closed((await scene.ask("/ru/models")).text);
  assert.match(models, /Large One large 200 000 150 15,5 1 600/);
  assert.match(models, /film[^]*от 4 ?₽ за секунду/);
  const english = closed((await scene.ask("/en/models")).text);
  assert.match(english, /Large One large 200,000 150 15\.5 1,600/);
  const large = closed((await scene.ask("/ru/models/large")).text);
  assert.match(large, /Входные токены 150,00/);
  assert.match(large, /Входные из кэша 15,50/);
  assert.match(large, /Выходные токены 1 600,00/);
  assert.match(large, /claude-\*opus\*/);
  const film = closed((await scene.ask("/ru/models/film")).text);
  for (const sum of ["4,00", "8,00", "16,00"]) assert.ok(film.includes(sum), sum);
  const { text } = await scene.ask("/llms.txt");
  assert.match(text, /\(`large`\): input 150, cached input 15\.5, output 1600 RUB/);
  assert.match(text, /price list No\. 7/);
});

test("every error of the API has its words, with its status and whether it may be repeated", async () => {
  for (const language of ["ru", "en"]) {
    const page = seen((await scene.ask(`/${language}/docs/errors`)).text);
    for (const [code, { status, retryable }] of Object.entries(FAULTS)) {
      const row = new RegExp(` ${code} ${status} .*?(?= [a-z]+_[a-z_]+ \\d{3} |$)`).exec(page)?.[0];
      if (/^(session|wrong_cred|email|login|origin|top_ups)/.test(code)) {
        assert.equal(row, undefined, `${code} is the panel's`);
        continue;
      }
      assert.ok(row !== undefined && row.length > 40, `${language}: ${code}`);
      assert.equal(/можно повторить|may be repeated/.test(row), retryable, `${language}: ${code}`);
    }
  }
});

test("a table of tasks tells its models, their price, and what each parameter allows", async () => {
  const page = closed((await scene.ask("/ru/docs/tasks/t9")).text);
  assert.match(page, /film film от 4 ?₽ за секунду/);
  assert.match(page, /prompt обязательный .*? до 5\s000 символов\./i);
  assert.match(page, /duration обязательный .*? От 4 до 15\./);
  assert.match(page, /resolution [^]*? По умолчанию 720p\. 480p 720p 1080p /);
  assert.match(page, /Изображение JPEG, PNG, WEBP, до 30 МБ/);
  assert.match(page, /\/v1\/tasks\/film [^]*"duration": ?5/);
  const english = closed((await scene.ask("/en/docs/tasks/t9")).text);
  assert.match(english, /5,000 characters\./);
  const { text } = await scene.ask("/ru/docs/tasks");
  assert.match(text, /<a class="name" href="\/ru\/docs\/tasks\/t9">/);
});

test("the changelog is the file's, as text, with its links of the web alone", async () => {
  const { text } = await scene.ask("/en/docs/changelog");
  assert.ok(text.includes('<section class="guide" id="v-unreleased"><h2>Unreleased</h2>'));
  assert.ok(
    text.includes(
      '<li><code>POST /v1/rerank</code> as <b>Cohere</b> shaped it (the API, <a href="https://example.com/rerank">elsewhere</a>).</li>',
    ),
  );
  assert.ok(text.includes('«<span lang="ru">Песочница</span>» is text: &lt;script&gt;'));
  assert.ok(text.includes("<p>The first version: chat and tasks.</p>"));
  assert.doesNotMatch(text, /For those who write it/);
  assert.match((await scene.ask("/ru/docs/changelog")).text, /<div class="page" lang="en">/);
});

test("the example on the first page is marked as one, and adds up", async () => {
  const { text } = await scene.ask("/ru");
  const slip = closed(/<div class="slip">[^]*?<figcaption/.exec(text)?.[0] ?? "");
  assert.match(slip, /Квитанция пример/);
  // 53 × 150/M + 62 × 1600/M.
  assert.match(slip, /0,10715/);
  assert.match(slip, /53 × 150/);
  assert.match(slip, /0,00795[^]*0,09920/);
  assert.match(seen(text), /по действующей цене Large One/);
});

test("a search and a kind work without a script, and keep each other", async () => {
  const films = await scene.ask("/ru/models?kind=video");
  assert.match(films.text, /href="\/ru\/models\/film"/);
  assert.doesNotMatch(
    films.text,
    /class="name" href="\/ru\/models\/large">Large One<\/a><span class="id"/,
  );
  const found = await scene.ask("/ru/models?q=LARGE%20one");
  assert.match(found.text, /data-find="large one large/);
  assert.equal(found.text.match(/data-find=/g)?.length, 1);
  assert.match(found.text, /<meta name="robots" content="noindex, follow">/);
  const none = await scene.ask("/ru/models?kind=video&q=nothing%20like%20it");
  assert.match(none.text, /<p data-none>Такой модели нет/);
  assert.match(none.text, /<input type="hidden" name="kind" value="video">/);
  const unknown = await scene.ask("/ru/models?kind=nonsense");
  assert.equal(unknown.text.match(/data-find=/g)?.length, 4);
});

test("the calculator counts as the gateway charges, without a script", async () => {
  const { text } = await scene.ask(
    "/ru/models?requestsPerDay=1000&inputTokens=2000&outputTokens=100&cachedPercent=50",
  );
  // 30,000 × (1,000 × 150 + 1,000 × 15.5 + 100 × 1,600)/M = 30,000 × 0.3255.
  const costs = closed(/<div data-costs[^]*?<\/ol>/.exec(text)?.[0] ?? "");
  assert.match(costs, /Large One 9 765,00/);
  const odd = await scene.ask("/ru/models?requestsPerDay=-1&inputTokens=1e9&outputTokens=x");
  assert.equal(odd.status, 200);
  assert.match(odd.text, /name="inputTokens"[^>]*value="1200"/);
  const most = await scene.ask("/ru/models?inputTokens=999999999999&requestsPerDay=999999999999");
  assert.match(most.text, /name="inputTokens"[^>]*value="10000000"/);
});

test("whatever names, links and searches hold is text", async () => {
  scene.shown.installation = {
    ...DEFAULT_INSTALLATION,
    name: HOSTILE,
    support: `"><script>alert(3)</script>`,
    terms: `javascript:alert(4)`,
    privacy: `https://x.test/"><script>alert(5)</script>`,
    announcement: { ru: HOSTILE, en: HOSTILE, until: "2100-01-01T00:00:00Z" },
  };
  const paths = [
    ...PAGES.map((rest) => `/ru${rest}`),
    "/",
    `/ru/models?q=${encodeURIComponent(HOSTILE.slice(0, 90))}`,
    "/ru/models/no%22%3E%3Cscript%3Ealert(6)",
  ];
  for (const path of paths) {
    const { text } = await scene.ask(path);
    const [script = "", ...more] = text.match(/<script[^>]*>/g) ?? [];
    assert.match(script, /^<script src="\/site\/site-[0-9a-f]{16}\.js" defer>$/);
    assert.deepEqual(more, [], path);
    assert.doesNotMatch(text, /<img src=x|href="javascript:/, path);
  }
  const map = await scene.ask("/sitemap.xml");
  assert.doesNotMatch(map.text, /<script/);
  assert.doesNotMatch((await scene.ask("/llms.txt")).text, /<script/);
});

test("no page and no text tells whose models they are, where they are, or with which key", async () => {
  scene.shown.status = {
    days: ["2026-11-27"],
    models: [...CATALOGUE.models.keys()].map((id) => ({
      id,
      displayName: id,
      health: "impaired",
      days: [null],
      share: null,
      ...NO_SPEED,
    })),
  };
  const paths = ["ru", "en"].flatMap((language) => PAGES.map((rest) => `/${language}${rest}`));
  for (const path of [...paths, "/", "/llms.txt", "/sitemap.xml", "/robots.txt"]) {
    const { status, text } = await scene.ask(path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(text, /supplier/i, path);
    assert.ok(!text.includes(ENV.KEY), path);
  }
});

test("the policy lets in the page's own style and script, and nothing else", async () => {
  for (const rest of PAGES) {
    const { headers, text } = await scene.ask(`/ru${rest}`);
    const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? "";
    const digest = createHash("sha256").update(style).digest("base64");
    assert.equal(
      headers["content-security-policy"],
      `default-src 'none'; script-src 'self'; style-src 'sha256-${digest}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    // A style of an element would be refused.
    assert.doesNotMatch(text.replace(style, ""), / style=/);
  }
  const script = /src="(\/site\/[^"]+)"/.exec((await scene.ask("/ru")).text)?.[1] ?? "";
  const { headers, text } = await scene.ask(script);
  assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
  assert.doesNotThrow(() => new Script(text));
  assert.equal((await scene.ask("/site/other.js")).status, 404);
});

test("the colour of the brand is the page's", async () => {
  scene.shown.installation = { ...DEFAULT_INSTALLATION, tint: { hue: 295, chroma: 0.1 } };
  assert.match((await scene.ask("/ru")).text, /:root\{--brand-h:295;--brand-c:0\.1\}<\/style>/);
});

test("a page is sent once: its tag says that it is known until what it shows changes", async () => {
  for (const path of [
    "/ru",
    "/en/models",
    "/ru/models/large",
    "/",
    "/llms.txt",
    "/sitemap.xml",
    "/ru/status",
  ]) {
    const first = await scene.ask(path);
    const etag = String(first.headers["etag"]);
    assert.match(etag, /^"[\w-]{22}"$/, path);
    assert.equal(first.headers["cache-control"], "public, no-cache", path);
    const again = await scene.ask(path, { "if-none-match": etag });
    assert.deepEqual([again.status, again.text], [304, ""], path);
    const packed = await scene.ask(path, { "accept-encoding": "br", "if-none-match": etag });
    assert.equal(packed.status, 200, `${path}: other bytes have another tag`);
    assert.equal(packed.headers["content-encoding"], "br");
    assert.match(String(packed.headers["vary"]), /accept-encoding/);
    assert.equal(packed.text, first.text);
    const zipped = await scene.ask(path, { "accept-encoding": "gzip" });
    assert.equal(zipped.text, first.text);

    scene.shown.installation = { ...DEFAULT_INSTALLATION, name: "Another" };
    const renamed = await scene.ask(path, { "if-none-match": etag });
    if (path !== "/sitemap.xml") assert.equal(renamed.status, 200, path);
    scene.shown.installation = DEFAULT_INSTALLATION;
  }
  const { headers } = await scene.ask("/ru/models");
  scene.shown.version = 8;
  const dearer = await scene.ask("/ru/models", { "if-none-match": String(headers["etag"]) });
  assert.deepEqual([dearer.status, /Прайс № 8/.test(dearer.text)], [200, true]);
});

test("with all that is shipped no page is larger than 120 kB", async () => {
  scene.shown.catalogue = SHIPPED;
  scene.shown.version = 9;
  for (const language of ["ru", "en"]) {
    for (const rest of [
      "",
      "/models",
      "/status",
      "/models/sandbox-large",
      "/models/kling-3.0/video",
    ]) {
      const { text, status } = await scene.ask(`/${language}${rest}`);
      assert.equal(status, 200, rest);
      assert.ok(Buffer.byteLength(text) <= LIMIT_BYTES, `${rest}: ${Buffer.byteLength(text)}`);
    }
  }
});

test("every model that is shipped has a page, and the map names each", async () => {
  scene.shown.catalogue = SHIPPED;
  scene.shown.version = 10;
  const { text } = await scene.ask("/sitemap.xml");
  const places = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = ""]) => address);
  const tables = [...SHIPPED.models.values()].filter(({ type }) => type === "task").length;
  const docs = GUIDES.length + REFERENCE_GROUPS.length + tables + OTHER_DOCS;
  // Beside them the first page, the list of models and the status.
  assert.equal(places.length, 2 * (3 + docs + SHIPPED.models.size));
  for (const place of places) {
    const answer = await scene.ask(place.slice(scene.url.length));
    assert.equal(answer.status, 200, place);
  }
  const { text: robots } = await scene.ask("/robots.txt");
  assert.match(robots, new RegExp(`Sitemap: ${scene.url}/sitemap\\.xml`));
  assert.match(robots, /Disallow: \/panel/);
});

test("what there is none of is a page that says so, with a way on", async () => {
  for (const [path, says, on] of [
    ["/ru/models/none", /Такой модели нет/, "/ru/models"],
    ["/en/models/vendor/none", /There is no such model/, "/en/models"],
    ["/ru/none", /Такой страницы нет/, "/ru"],
    ["/en/docs/none/at/all", /There is no such page/, "/en"],
    ["/ru/docs/tasks/t1", /Такой страницы нет/, "/ru"],
    ["/en/docs/api/none", /There is no such page/, "/en"],
  ] as const) {
    const { status, headers, text } = await scene.ask(path);
    assert.equal(status, 404);
    assert.match(text, says);
    assert.ok(text.includes(`<p><a href="${on}">`), path);
    assert.match(text, /noindex/);
    const again = await scene.ask(path, { "if-none-match": String(headers["etag"]) });
    assert.deepEqual([again.status, again.text], [404, text], "known or not");
  }
  const long = await scene.ask(`/ru/models?q=${"x".repeat(500)}`);
  assert.equal(long.status, 200);
  assert.ok(long.text.includes(`value="${"x".repeat(100)}"`));
});

test("an installation that takes no strangers offers no sign-up, and a trial is named where there is one", async () => {
  const { signUp } = DEFAULT_INSTALLATION;
  scene.shown.installation = { ...DEFAULT_INSTALLATION, signUp: { ...signUp, trial: "50" } };
  assert.match(closed((await scene.ask("/ru")).text), /50 ?₽ на пробу/);
  scene.shown.installation = {
    ...DEFAULT_INSTALLATION,
    signUp: { ...signUp, mode: "closed", trial: "50" },
  };
  const { text } = await scene.ask("/ru");
  assert.doesNotMatch(text, /sign-up|на пробу/);
  assert.match(text, /href="\/panel\/log-in"/);
});

const NO_SPEED = { firstTokenMs: null, tokensPerSecond: null };

test("status says what is known, and leaves out what has no figure", async () => {
  const bare = seen((await scene.ask("/ru/status")).text);
  assert.match(bare, /Шлюз принимает запросы/);
  assert.match(bare, /Пока нет данных/);
  const days = Array.from({ length: 30 }, (_, at) => `2026-11-${String(at + 1).padStart(2, "0")}`);
  const unknown = days.map(() => null);
  scene.shown.status = {
    days,
    models: [
      {
        id: "large",
        displayName: "Large One",
        health: "impaired",
        days: unknown,
        share: null,
        ...NO_SPEED,
      },
      {
        id: "film",
        displayName: "Film",
        health: null,
        days: unknown,
        share: null,
        ...NO_SPEED,
      },
    ],
  };
  const young = await scene.ask("/ru/status");
  // The page of a model says the same of it, and of one that nothing is known of nothing.
  const fresh = seen((await scene.ask("/ru/models/large")).text);
  assert.match(fresh, /Как работает Сейчас Работает частично/);
  assert.doesNotMatch(fresh, /Получили ответ|первого токена|Скорость/);
  assert.doesNotMatch((await scene.ask("/ru/models/film")).text, /Как работает/);
  assert.match(seen(young.text), /Large One large Работает частично/);
  assert.doesNotMatch(young.text, /Получили ответ|<svg class="days"/);
  scene.shown.status = {
    days,
    models: [
      {
        id: "large",
        displayName: "Large One",
        health: "works",
        days: days.map((_, at) => (at < 28 ? null : at === 28 ? 0.85 : 1)),
        share: 0.99999,
        firstTokenMs: 1_234,
        tokensPerSecond: 56.7,
      },
    ],
  };
  const old = await scene.ask("/ru/status");
  assert.match(old.text, /aria-label="2 дня с данными, худший: 85\u00A0%"/);
  assert.match(seen(old.text), /99,99 %/, "never rounded up to a hundred");
  const known = await scene.ask("/ru/models/large");
  assert.match(known.text, /aria-label="2 дня с данными, худший: 85\u00A0%"/);
  assert.match(
    seen(known.text),
    /Сейчас Работает Получили ответ за 30 дней 99,99 %.*До первого токена в среднем 1 234 мс Скорость ответа 56,7 токенов в секунду/,
  );
});

test("nothing to sell is no fault", async () => {
  scene.shown.catalogue = { ...CATALOGUE, models: new Map() };
  scene.shown.version = 11;
  for (const path of ["/", "/ru", "/en/models", "/ru/status", "/llms.txt", "/sitemap.xml"])
    assert.equal((await scene.ask(path)).status, 200, path);
});
