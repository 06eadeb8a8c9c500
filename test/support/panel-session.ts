/**
 * People at the panel of a running gateway, for tests: they sign up, read their mail in
 * DATA_DIR/mail, log in and ask, as its pages would.
 */
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Session } from "../../src/contract/panel/sessions.ts";
import type { Settings } from "./tollgate-environment.ts";
import { until } from "./until.ts";

/** A running gateway, as startGateway() gives it. */
export interface PanelGateway {
  readonly url: string;
  /** With DATA_DIR. */
  readonly env: Settings;
}

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  json<T>(): T;
}

/** Keeps its cookies, as a browser does. */
export interface PanelBrowser {
  readonly url: string;
  /** `name=value` of the session; null: none. A test may set another. */
  cookie: string | null;
  /** `name=value` of what stays when the session ends; null: no member logged in here yet. */
  device: string | null;
  /** `name=value` of what is kept of a sign-up until its link comes back; null: nothing. */
  signUp: string | null;
  /** `name=value` of what a log-in by passkey was begun with; null: nothing. */
  passkey: string | null;
  /** `name=value` of what a change sets where lists have a replica; null: nothing. */
  changed: string | null;
  /** `name=value` of what an operator sees the panel as a customer with; null: nothing. */
  seeAs: string | null;
  /** `path` below /panel/api/. A body makes it JSON; POST without one sends `{}`. */
  ask(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<BrowserAnswer>;
}

export interface PanelPerson extends PanelBrowser {
  readonly email: string;
  readonly password: string;
  readonly memberId: string;
  readonly accountId: string;
}

export function openPanelBrowser(url: string, userAgent = "a test's browser"): PanelBrowser {
  const browser: PanelBrowser = {
    url,
    cookie: null,
    device: null,
    signUp: null,
    passkey: null,
    changed: null,
    seeAs: null,
    async ask(method, path, body, headers = {}) {
      const { cookie, device, signUp, passkey, changed, seeAs } = browser;
      const cookies = [cookie, device, signUp, passkey, changed, seeAs].filter(
        (pair) => pair !== null,
      );
      const sent = method === "POST" ? JSON.stringify(body ?? {}) : null;
      const response = await fetch(`${url}/panel/api/${path}`, {
        method,
        redirect: "manual",
        headers: {
          origin: url,
          "user-agent": userAgent,
          ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
          ...(sent === null ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(sent === null ? {} : { body: sent }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ""] = line.split(";");
        const kept = line.includes("Max-Age=0;") ? null : pair;
        if (/^[^=]*device=/.test(pair)) browser.device = kept;
        else if (/^[^=]*sign.up=/.test(pair)) browser.signUp = kept;
        else if (/^[^=]*passkey=/.test(pair)) browser.passkey = kept;
        else if (/^[^=]*changed=/.test(pair)) browser.changed = kept;
        else if (/^[^=]*see.as=/.test(pair)) browser.seeAs = kept;
        else browser.cookie = kept;
      }
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: <T>() => JSON.parse(text) as T,
      };
    },
  };
  return browser;
}

/** All mails to an address so far, oldest first, once there are so many. */
export async function mailsTo(gateway: PanelGateway, email: string, least = 1): Promise<string[]> {
  const folder = join(String(gateway.env["DATA_DIR"]), "mail");
  return until(`${least} mails to ${email}`, async () => {
    const names = (await readdir(folder).catch(() => [])).filter(
      (name) => name.includes(`-${email}-`) && name.endsWith(".eml"),
    );
    return names.length >= least
      ? Promise.all(names.toSorted().map((name) => readFile(join(folder, name), "utf8")))
      : null;
  });
}

/** What the newest mail's link carries behind `#token=`. */
export async function mailedToken(
  gateway: PanelGateway,
  email: string,
  mails = 1,
): Promise<string> {
  const newest = (await mailsTo(gateway, email, mails)).at(-1) ?? "";
  const token = /#token=([A-Za-z0-9_-]+)/.exec(newest)?.[1];
  if (token === undefined) throw new Error(`there is no link in:\n${newest}`);
  return token;
}

export function newEmail(): string {
  return `person-${randomBytes(6).toString("hex")}@example.test`;
}

export const PASSWORD = "correct horse battery staple";

/** Signs up, confirms the e-mail, logs in: the owner of a new account without money. */
export async function signUpAtPanel(
  gateway: PanelGateway,
  accountName = "A new account",
): Promise<PanelPerson> {
  const [email, password, browser] = [newEmail(), PASSWORD, openPanelBrowser(gateway.url)];
  insist(
    await browser.ask("POST", "sign-up", { email, password, accountName, language: "en" }),
    202,
  );
  insist(
    await browser.ask("POST", "verify-email", { token: await mailedToken(gateway, email) }),
    200,
  );
  return logInAtPanel(browser, email, password);
}

/** Insists that the password is enough. */
export async function logInAtPanel(
  browser: PanelBrowser,
  email: string,
  password: string,
): Promise<PanelPerson> {
  const { member, account } = insist(
    await browser.ask("POST", "log-in", { email, password }),
    200,
  ).json<Session>();
  return Object.assign(browser, {
    email,
    password,
    memberId: member.memberId,
    accountId: account.accountId,
  });
}

function insist(answer: BrowserAnswer, status: number): BrowserAnswer {
  if (answer.status !== status)
    throw new Error(`${status} was expected, not ${answer.status}: ${answer.text}`);
  return answer;
}
