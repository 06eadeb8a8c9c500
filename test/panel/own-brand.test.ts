/**
 * Guarantee: what an operator decides about name and looks holds at once in every process: in the
 * page, its policy, its pictures and in mails; and no name or picture is more than that.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import sharp from "sharp";
import type { Installation } from "../../src/contract/panel/installation.ts";
import type {
  BrandImage,
  InstallationSettings,
  Settings,
} from "../../src/contract/panel/operator-settings.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { buildPanel } from "../support/panel-browser.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import {
  mailsTo,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
  type BrowserAnswer,
  type PanelPerson,
} from "../support/panel-session.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

const ENV = { NOBODY_KEY: "none", SESSION_SECRET: "s".repeat(40) };
/** What would be more than a name where it is not taken for one. */
const NAME = `Ромашка <script>alert(1)</script> "$&' AI`;

const opened = new AsyncDisposableStack();
let database: TestDatabase;
let gateway: Gateway;
let other: Gateway;
let operator: PanelPerson;
before(async () => {
  buildPanel();
  database = await testDatabase();
  opened.defer(() => database.drop());
  const start = (roles?: string): Promise<Gateway> =>
    startGateway({
      databaseUrl: database.url,
      catalogue: PANEL_CATALOGUE,
      env: ENV,
      ...(roles === undefined ? {} : { roles }),
    });
  gateway = opened.use(await start());
  other = opened.use(await start("api"));
  operator = await signUpAtPanel(gateway);
  await database.db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    operator.memberId,
  ]);
});
after(() => opened.disposeAsync());

const read = async (): Promise<InstallationSettings> =>
  (await operator.ask("GET", "operator/settings")).json<InstallationSettings>();

async function change(brand: Partial<Settings["brand"]>): Promise<BrowserAnswer> {
  const { version, settings } = await read();
  return operator.ask("POST", "operator/settings", {
    expectedVersion: version,
    settings: { ...settings, brand: { ...settings.brand, ...brand } },
  });
}

async function upload(use: "logo" | "favicon", bytes: Buffer): Promise<BrowserAnswer> {
  return operator.ask("POST", "operator/settings/images", { use, data: bytes.toString("base64") });
}

const page = async (url: string): Promise<{ html: string; policy: string }> => {
  const response = await fetch(`${url}/panel/log-in`);
  return {
    html: await response.text(),
    policy: response.headers.get("content-security-policy") ?? "",
  };
};

test("a name, a colour and pictures are in the page of the other process at once, and do nothing else there", async () => {
  const before = await page(other.url);
  assert.match(before.html, /<title>Tollgate<\/title>/);
  assert.doesNotMatch(before.html, /<style/);
  const drawn = await sharp({
    create: {
      width: 1200,
      height: 120,
      channels: 4,
      background: { r: 9, g: 99, b: 9, alpha: 0.5 },
    },
  })
    .png()
    .withExif({ IFD0: { Copyright: "kept nowhere" } })
    .toBuffer();
  const kept = await upload("logo", drawn);
  assert.equal(kept.status, 201, kept.text);
  const logo = kept.json<BrandImage>();
  assert.deepEqual([logo.width, logo.height], [480, 48]);
  const icon = (await upload("favicon", drawn)).json<BrandImage>();

  const changed = await change({
    name: ` ${NAME} `,
    colour: "#4263EB",
    logo: logo.picture,
    favicon: icon.picture,
    support: "help@romashka.test",
  });
  assert.equal(changed.status, 200, changed.text);

  const { html, policy } = await page(other.url);
  const escaped = "Ромашка &lt;script&gt;alert(1)&lt;/script&gt; &quot;$&amp;' AI";
  assert.ok(html.includes(`<title>${escaped}</title>`), html);
  assert.ok(html.includes(`<link rel="icon" href="${icon.url}" type="image/png" />`));
  assert.ok(!html.includes("<script>alert"));
  const style = /<style>(.*?)<\/style>/.exec(html)?.[1] ?? "";
  assert.match(style, /^:root\{--brand-h:2\d\d(\.\d)?;--brand-c:0\.15\}$/);
  const hash = createHash("sha256").update(style).digest("base64");
  assert.ok(policy.includes(`style-src 'self' 'sha256-${hash}';`), policy);
  const visible = (
    await openPanelBrowser(other.url).ask("GET", "installation")
  ).json<Installation>();
  assert.deepEqual(
    [visible.name, visible.support, visible.logo?.url],
    [NAME, "help@romashka.test", logo.url],
  );

  const picture = await fetch(`${other.url}${logo.url}`);
  const bytes = Buffer.from(await picture.arrayBuffer());
  assert.deepEqual(
    [picture.headers.get("content-type"), picture.headers.get("x-content-type-options")],
    ["image/png", "nosniff"],
  );
  const { format, hasAlpha, exif } = await sharp(bytes).metadata();
  assert.deepEqual([format, hasAlpha, exif], ["png", true, undefined]);
});

test("mails say the name and whom to ask, in both languages", async () => {
  for (const [language, text, support] of [
    ["ru", `войти в сервис ${NAME},`, "Поддержка: help@romashka.test"],
    ["en", `log in to ${NAME},`, "Support: help@romashka.test"],
  ] as const) {
    const email = newEmail();
    await openPanelBrowser(other.url).ask("POST", "sign-up", {
      email,
      password: PASSWORD,
      accountName: "x",
      language,
    });
    const [mail = ""] = await mailsTo(gateway, email);
    assert.ok(mail.includes(text) && mail.includes(support) && !mail.includes("Tollgate"), mail);
  }
});

test("what is no picture is none of ours: a drawing of vectors, a page, half a file, one too large", async () => {
  const svg = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
  );
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#123" } })
    .png()
    .toBuffer();
  for (const bytes of [svg, Buffer.from("<html>"), png.subarray(0, png.length - 9)]) {
    const answer = await upload("logo", bytes);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /no_picture/);
  }
  assert.equal((await upload("logo", Buffer.alloc(600_000))).status, 400);
  assert.equal((await change({ logo: "0".repeat(64) })).status, 400);
  assert.equal((await fetch(`${gateway.url}/panel/brand/${"0".repeat(64)}.png`)).status, 404);
});

test("two operators who change it at once: one is shown, and each change is in the audit log", async () => {
  const { version, settings } = await read();
  const send = (name: string): Promise<BrowserAnswer> =>
    operator.ask("POST", "operator/settings", {
      expectedVersion: version,
      settings: { ...settings, brand: { ...settings.brand, name } },
    });
  const answers = await Promise.all([send("One"), send("Two")]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  assert.equal((await change({})).status, 200);
  assert.equal((await read()).version, version + 1, "what changes nothing is no version");
  const rows = await database.db.query<{ actor: string; after: Record<string, unknown> }>(
    "SELECT actor, after FROM audit.actions WHERE action = 'settings.change' ORDER BY audit_id",
  );
  assert.equal(rows.length, version + 1);
  assert.deepEqual(rows.at(-1)?.actor, operator.email);
  assert.deepEqual(Object.keys(rows.at(-1)?.after ?? {}), ["brand.name"]);
});

test("links are of the web alone, and each field that is wrong is named", async () => {
  const answer = await change({ terms: "javascript:alert(1)", support: "x y", colour: "red" });
  assert.equal(answer.status, 400);
  for (const field of ["terms", "support", "colour"])
    assert.ok(answer.text.includes(`settings.brand.${field}`), answer.text);
});

test("an announcement has both languages and an end, and is shown until then", async () => {
  const { settings } = await read();
  const announce = async (announcement: Settings["announcement"]): Promise<BrowserAnswer> =>
    operator.ask("POST", "operator/settings", {
      expectedVersion: (await read()).version,
      settings: { ...settings, announcement },
    });
  const shown = async (): Promise<unknown> =>
    (await openPanelBrowser(other.url).ask("GET", "installation")).json<Installation>()
      .announcement;
  const half = await announce({ ru: "Сегодня работы", en: "", until: "2100-01-01T00:00:00Z" });
  assert.match(half.text, /announcement_whole/);
  const words = { ru: "Сегодня работы", en: "Works [today](https://x.test)" };
  assert.equal((await announce({ ...words, until: "2100-01-01T03:00:00+03:00" })).status, 200);
  assert.deepEqual(await shown(), { ...words, until: "2100-01-01T00:00:00.000Z" });
  assert.equal((await announce({ ...words, until: "2001-01-01T00:00:00Z" })).status, 200);
  assert.equal(await shown(), null);
  assert.equal((await announce({ ru: "", en: "", until: null })).status, 200);
  assert.equal(await shown(), null);
});

test("the command line shows and changes the same, and what it cannot be changes nothing", async () => {
  const tollgate = createTollgateCommand({ ...ENV, DATABASE_URL: database.url });
  const set = (await tollgate.json(
    "settings",
    "set",
    "--name",
    "Astra",
    "--support",
    "none",
  )) as InstallationSettings;
  assert.deepEqual([set.settings.brand.name, set.settings.brand.support], ["Astra", null]);
  assert.match((await page(gateway.url)).html, /<title>Astra<\/title>/);
  const refused = await tollgate.run("settings", "set", "--colour", "red");
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /colour/);
  const shown = (await tollgate.json("settings", "show")) as InstallationSettings;
  assert.deepEqual(shown, await read());
});
