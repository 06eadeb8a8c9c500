/**
 * The built panel in a real browser, over a real gateway: for tests that look at pages as a member
 * does.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { openBrowser } from "./browser.ts";
import { signUpAtPanel, type PanelGateway, type PanelPerson } from "./panel-session.ts";
import { until } from "./until.ts";

export interface PanelView {
  readonly language?: "ru" | "en";
  readonly theme?: "light" | "dark";
  /** A wide screen by default; 390 is a phone. */
  readonly width?: number;
}

export interface PanelTab {
  readonly page: Page;
  /** All that the browser complained of: errors of scripts, and what the policy refused. */
  readonly complaints: readonly string[];
  /** Goes to `/panel${path}` and waits until its heading is there and nothing is being loaded. */
  open(path: string): Promise<void>;
  /** Waits until nothing is asked for but what is live, and what came is drawn. */
  settled(): Promise<void>;
  /** Into the folder named by PANEL_SCREENSHOTS; without it nothing is written. */
  screenshot(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface PanelBrowserScene {
  readonly browser: Browser;
  /** A tab of a visitor, or of a member who is logged in. */
  openTab(person: PanelPerson | null, view?: PanelView): Promise<PanelTab>;
  /** Signs up at the gateway and opens a tab of that person. */
  openMember(view?: PanelView): Promise<PanelTab & { readonly person: PanelPerson }>;
  close(): Promise<void>;
}

const ROOT = join(import.meta.dirname, "../..");
const HEIGHT = 900;
/** What came in this turn is in the page, and what that asks for is asked. */
const DRAWN = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`;

export async function openPanelBrowserScene(gateway: PanelGateway): Promise<PanelBrowserScene> {
  assert.ok(
    existsSync(join(ROOT, "panel/dist/index.html")),
    "the panel is not built: call buildPanel() before the gateway starts",
  );
  const browser = await openBrowser();

  async function openTab(person: PanelPerson | null, view: PanelView = {}): Promise<PanelTab> {
    const context = await browser.newContext({
      viewport: { width: view.width ?? 1280, height: HEIGHT },
      colorScheme: view.theme ?? "light",
      // What moves is looked at by people; a test would meet it half-way on a busy machine.
      reducedMotion: "reduce",
      locale: view.language === "en" ? "en-GB" : "ru-RU",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    if (person !== null) await logIn(context, gateway.url, person);
    // The language of the page is its reader's, whatever the account's was when it was made.
    await context.addInitScript(
      `localStorage.getItem("tollgate.language") ?? localStorage.setItem("tollgate.language", "${view.language ?? "ru"}")`,
    );
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      // An answer that is a refusal is one of the API's, and shown on the page.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        complaints.push(message.text());
    });
    const underWay = new Set<Request>();
    let asked = 0;
    page.on("request", (request) => {
      if (request.resourceType() === "eventsource") return;
      underWay.add(request);
      asked += 1;
    });
    for (const end of ["requestfinished", "requestfailed"] as const)
      page.on(end as "requestfinished", (request) => void underWay.delete(request));
    return {
      page,
      complaints,
      async settled() {
        for (let drawn = -1; drawn !== asked || underWay.size > 0;) {
          await until("the page to ask for nothing more", async () => underWay.size === 0);
          drawn = asked;
          await page.evaluate(DRAWN);
        }
      },
      async open(path) {
        await page.goto(`${gateway.url}/panel${path}`);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
      },
      async screenshot(name) {
        const folder = process.env["PANEL_SCREENSHOTS"];
        if (folder === undefined) return;
        mkdirSync(folder, { recursive: true });
        await page.screenshot({
          path: join(folder, `${name}.png`),
          fullPage: true,
          animations: "disabled",
        });
      },
      close: () => context.close(),
    };
  }

  return {
    browser,
    openTab,
    async openMember(view) {
      const person = await signUpAtPanel(gateway);
      return { ...(await openTab(person, view)), person };
    },
    close: () => browser.close(),
  };
}

/** The session that the person has already, put where a log-in would put it. */
async function logIn(context: BrowserContext, url: string, person: PanelPerson): Promise<void> {
  const pairs = [person.cookie, person.device].filter((pair) => pair !== null);
  await context.addCookies(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return {
        name,
        value: value.join("="),
        url,
        httpOnly: true,
        sameSite: "Lax" as const,
        secure: name.startsWith("__Host-"),
      };
    }),
  );
}

/**
 * Builds the panel when its sources changed, as `npm test` does before all tests: for a test file
 * that is run by itself.
 */
export function buildPanel(): void {
  const program = `import { buildPanelWhenNeeded } from "./tools/build-panel-when-needed.mjs";
    await buildPanelWhenNeeded({ root: process.cwd(), runtime: process.execPath, say: (line) => console.error(line) });`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /could not be built/);
}
