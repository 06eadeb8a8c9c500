/** Opens the heaviest pages of the panel in a real browser, and takes the time until they are there. */
import { openPanelBrowserScene, type PanelBrowserScene } from "../../test/support/panel-browser.ts";
import type { PanelGateway } from "../../test/support/panel-session.ts";
import type { PanelPeople } from "./ask-panel.ts";

export interface OpenedPage {
  readonly page: string;
  /** What went wrong, in words; null: nothing. */
  readonly trouble: string | null;
  /** With an empty cache; its heading is there, and nothing is a placeholder any more. */
  readonly firstMs: number;
  /** The same once more. */
  readonly againMs: number;
  /** Of the second time: until nothing more is asked for. Up to 0.15 s too long, by how it is watched. */
  readonly settledMs: number;
}

const MEMBERS_PAGES = [
  "/",
  "/?range=7d&by=key",
  "/requests",
  "/requests?period=30d",
  "/requests?state=failed",
  "/keys",
  "/groups",
  "/billing",
  "/billing?fold=days",
  "/settings/members",
  "/settings/log",
  "/alerts",
];
const OPERATORS_PAGES = [
  "/operator",
  "/operator/accounts",
  "/operator/accounts?sort=spent",
  "/operator/requests",
  "/operator/payments",
  "/operator/tasks",
  "/operator/margin",
  "/operator/upstreams?window=24h",
  "/operator/audit",
];

export async function openPages(
  gateway: PanelGateway,
  { member, operator }: PanelPeople,
  say: (page: string) => void,
): Promise<OpenedPage[]> {
  const scene = await openPanelBrowserScene(gateway);
  const opened: OpenedPage[] = [];
  try {
    for (const [person, pages] of [
      [member, MEMBERS_PAGES],
      [operator, OPERATORS_PAGES],
    ] as const) {
      for (const page of pages) {
        say(page);
        opened.push(await openPage(scene, person, page));
      }
    }
  } finally {
    await scene.close();
  }
  return opened;
}

/** In a context of its own, so that the first time finds nothing in the cache. */
async function openPage(
  scene: PanelBrowserScene,
  person: PanelPeople["member"],
  page: string,
): Promise<OpenedPage> {
  let [firstMs, againMs, settledMs] = [Number.NaN, Number.NaN, Number.NaN];
  const tab = await scene.openTab(person, { language: "en" });
  let trouble: string | null = null;
  try {
    let began = performance.now();
    await tab.open(page);
    firstMs = performance.now() - began;
    await tab.settled();
    began = performance.now();
    await tab.open(page);
    againMs = performance.now() - began;
    await tab.settled();
    settledMs = performance.now() - began;
    if ((await tab.page.locator(".error-state, .notice-page").count()) > 0)
      trouble = "the page shows an error";
    else trouble = tab.complaints[0] ?? null;
  } catch (error) {
    trouble = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  } finally {
    await tab.close();
  }
  return { page, trouble, firstMs, againMs, settledMs };
}
