/**
 * Guarantee: every page of the panel, with something on it, is whole in both languages and both
 * themes and on a phone: no fault, nothing to scroll sideways, no text cut off that is told nowhere,
 * nothing to press too small for a finger.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { layoutFaults } from "../support/layout-faults.ts";
import { pageFaults } from "../support/page-faults.ts";
import {
  buildPanel,
  openPanelBrowserScene,
  type PanelBrowserScene,
  type PanelTab,
  type PanelView,
} from "../support/panel-browser.ts";
import type { PanelGateway } from "../support/panel-session.ts";
import { startTollgate } from "../support/start-tollgate.ts";
import { liveIn, type LivedInAccount } from "./lived-in-account.ts";

const ROUTER = join(import.meta.dirname, "../../panel/src/app/router.tsx");
/** As many pages are looked at at the same time. */
const TABS = 2;

const COLOURS_HAVE_CHANGED = `Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished.catch(() => {})))`;

/** How the pages are looked at, and in which theme they are checked. */
interface Look extends PanelView {
  readonly language: "ru" | "en";
  readonly checked: "light" | "dark";
}

const LOOKS: readonly Look[] = [
  { language: "ru", checked: "light" },
  { language: "en", checked: "dark" },
  { language: "ru", width: 390, checked: "light" },
];

interface Visit {
  /** As the router has it. */
  readonly route: string;
  readonly path: string;
  /** By a visitor who is not logged in. */
  readonly outside?: boolean;
}

const folder = mkdtempSync(join(tmpdir(), "tour-"));
const opened = new AsyncDisposableStack();
let scene: PanelBrowserScene;
let account: LivedInAccount;
let visits: readonly Visit[];
before(async () => {
  buildPanel();
  const tollgate = await startTollgate(folder, { FETCH_ALLOW: "127.0.0.0/8" });
  opened.defer(async () => void (await tollgate.stop()));
  const gateway: PanelGateway = { url: tollgate.url, env: { DATA_DIR: join(folder, "data") } };
  account = await liveIn(tollgate, gateway);
  scene = await openPanelBrowserScene(gateway);
  opened.defer(() => scene.close());
  visits = visitsOf(account);
});
after(async () => {
  await opened.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

function visitsOf(of: LivedInAccount): Visit[] {
  const plain = (route: string): Visit => ({ route, path: route });
  const outside = (route: string): Visit => ({
    route,
    path: `${route}#token=of-a-mail`,
    outside: true,
  });
  return [
    ...[
      "/",
      "/keys",
      "/groups",
      "/requests",
      "/tasks",
      "/batches",
      "/files",
      "/playground",
      "/billing",
      "/alerts",
    ].map(plain),
    ...["/settings/profile", "/settings/security", "/settings/members", "/settings/log"].map(plain),
    { route: "/", path: "/?range=24h&by=key" },
    { route: "/requests", path: `/requests?period=7d&receipt=${of.chatId}` },
    { route: "/billing", path: "/billing?fold=days" },
    { route: "/keys/$hash", path: `/keys/${of.keyHash}` },
    { route: "/requests/$id", path: `/requests/${of.chatId}` },
    { route: "/requests/$id", path: `/requests/${of.failedId}` },
    { route: "/tasks/$id", path: `/tasks/${of.pictureTask}` },
    { route: "/tasks/$id", path: `/tasks/${of.failedTask}` },
    { route: "/tasks", path: "/tasks?tab=webhooks" },
    { route: "/models/", path: "/models" },
    { route: "/models/", path: "/models?tab=tasks" },
    { route: "/models/$", path: "/models/sandbox-large" },
    { route: "/models/$", path: "/models/kling-3.0/video" },
    {
      route: "/playground",
      path: `/playground?tab=tasks&key=${of.keyHash}&model=seedance-2&from=${of.filmTask}&ordered=${of.filmTask}`,
    },
    { route: "/billing", path: "/billing?tab=top-ups" },
    { route: "/billing/top-ups/$id", path: `/billing/top-ups/${of.topUpId}` },
    ...[
      "/operator",
      "/operator/accounts",
      "/operator/payments",
      "/operator/requests",
      "/operator/tasks",
      "/operator/catalogue",
    ].map(plain),
    ...[
      "/operator/upstreams",
      "/operator/margin",
      "/operator/ledger",
      "/operator/audit",
      "/operator/settings",
    ].map(plain),
    { route: "/operator/accounts/$id", path: `/operator/accounts/${of.otherAccount}` },
    { route: "/operator/requests/$id", path: `/operator/requests/${of.chatId}` },
    { route: "/operator/tasks/$id", path: `/operator/tasks/${of.filmTask}` },
    ...["/log-in", "/sign-up", "/forgot", "/verify", "/reset", "/invite"].map(outside),
  ];
}

test("the tour leaves out no page", () => {
  const source = readFileSync(ROUTER, "utf8");
  const routes = [...source.matchAll(/\b(?:page|operatorPage|outsidePage)\(\s*"([^"]+)"/g)].map(
    ([, route]) => route,
  );
  assert.ok(routes.length > 30);
  assert.deepEqual(new Set(visits.map(({ route }) => route)), new Set(routes));
});

async function look(
  { route, path }: Visit,
  tab: PanelTab,
  view: Look,
  name: string,
): Promise<readonly string[]> {
  const { page, complaints } = tab;
  const before = complaints.length;
  await tab.open(path);
  await tab.settled();
  const found: string[] = [];
  const lang = await page.evaluate("document.documentElement.lang");
  if (lang !== view.language) found.push(`the page is in '${String(lang)}'`);
  if ((await page.getByRole("heading", { level: 1 }).count()) !== 1)
    found.push("it has not one heading");
  if ((await page.locator(".error-state, .notice-page").count()) > 0)
    found.push(await page.locator("main").innerText());
  found.push(...(await layoutFaults(page)));
  for (const theme of ["light", "dark"] as const) {
    if (theme === "dark" && view.width !== undefined) continue;
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate(COLOURS_HAVE_CHANGED);
    // Each theme once: what a checker finds is hardly ever of one language.
    if (theme === view.checked) found.push(...(await pageFaults(page)));
    await tab.screenshot(`${name}-${theme}-${path.replaceAll(/[^a-z0-9]+/gi, "-")}`);
  }
  return [...found, ...complaints.slice(before)].map((what) => `${route} (${path}): ${what}`);
}

for (const view of LOOKS) {
  const name = `${view.language}-${view.width ?? 1280}`;
  test(`every page is whole: ${name}`, { timeout: 400_000 }, async () => {
    const waiting = visits.values();
    const looks = Array.from({ length: TABS }, async () => {
      const found: string[] = [];
      const inside = await scene.openTab(account.operator, view);
      const outside = await scene.openTab(null, view);
      for (const visit of waiting)
        found.push(...(await look(visit, visit.outside === true ? outside : inside, view, name)));
      await Promise.all([inside.close(), outside.close()]);
      return found;
    });
    assert.deepEqual((await Promise.all(looks)).flat(), []);
  });
}
