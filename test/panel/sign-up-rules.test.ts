/**
 * Guarantee: the rules of sign-up that an operator set hold on the server, at once, in every process
 * and for every way of becoming a member: codes are used as often as they may be, a proof of work is
 * good once, and what was agreed to is kept in its wording.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Installation } from "../../src/contract/panel/installation.ts";
import type { InstallationSettings, Settings } from "../../src/contract/panel/operator-settings.ts";
import type { CaptchaAnswer, CaptchaChallenge } from "../../src/contract/panel/sessions.ts";
import type { SignUpCodeList, SignUpCodeMade } from "../../src/contract/panel/sign-up-codes.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import {
  mailedToken,
  newEmail,
  openPanelBrowser,
  PASSWORD,
  signUpAtPanel,
  type BrowserAnswer,
  type PanelPerson,
} from "../support/panel-session.ts";

const ENV = { NOBODY_KEY: "none", SESSION_SECRET: "s".repeat(40) };
const OPEN: Settings["signUp"] = {
  mode: "open",
  domains: [],
  captcha: false,
  consents: [],
  trial: "0",
};

const opened = new AsyncDisposableStack();
let database: TestDatabase;
let gateway: Gateway;
let other: Gateway;
let operator: PanelPerson;
before(async () => {
  database = await testDatabase();
  opened.defer(() => database.drop());
  const start = { databaseUrl: database.url, catalogue: PANEL_CATALOGUE, env: ENV };
  gateway = opened.use(await startGateway(start));
  other = opened.use(await startGateway({ ...start, roles: "api" }));
  operator = await signUpAtPanel(gateway);
  await database.db.query("UPDATE accounts.members SET operator = true WHERE member_id = $1", [
    operator.memberId,
  ]);
});
after(() => opened.disposeAsync());
beforeEach(async () => {
  await rule(OPEN);
  await database.db.query("DELETE FROM accounts.attempts");
});

async function rule(
  signUp: Omit<Partial<Settings["signUp"]>, "consents"> & { consents?: readonly object[] },
): Promise<Settings["signUp"]> {
  const { version, settings } = (
    await operator.ask("GET", "operator/settings")
  ).json<InstallationSettings>();
  const answer = await operator.ask("POST", "operator/settings", {
    expectedVersion: version,
    settings: { ...settings, signUp: { ...settings.signUp, ...signUp } },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<InstallationSettings>().settings.signUp;
}

interface Form {
  readonly email?: string;
  readonly code?: string;
  readonly consents?: readonly { readonly consentId: string; readonly version: number }[];
  readonly captcha?: CaptchaAnswer;
}

/** At the process that did not change the rules. */
const signUp = (form: Form = {}): Promise<BrowserAnswer> =>
  openPanelBrowser(other.url).ask("POST", "sign-up", {
    email: newEmail(),
    password: PASSWORD,
    accountName: "x",
    language: "ru",
    ...form,
  });

const refusal = (answer: BrowserAnswer): string => {
  const { code, reason } = answer.json<{ error: { code: string; reason: string | null } }>().error;
  return `${answer.status} ${code} ${reason}`;
};

const verify = async (email: string, mails = 1): Promise<BrowserAnswer> =>
  openPanelBrowser(other.url).ask("POST", "verify-email", {
    token: await mailedToken(gateway, email, mails),
  });

test("closed is closed at once, and visitors are shown so before they fill a form in", async () => {
  const email = newEmail();
  assert.equal((await signUp({ email })).status, 202);
  await rule({ mode: "closed" });
  assert.equal(refusal(await signUp()), "403 permission_denied sign_up_closed");
  const visible = (
    await openPanelBrowser(other.url).ask("GET", "installation")
  ).json<Installation>();
  assert.equal(visible.signUp.mode, "closed");
  // Who signed up before may still come in.
  assert.equal((await verify(email)).status, 200);
});

test("only e-mails of the listed domains come in, invited people too, and no other name ends like one", async () => {
  await rule({ mode: "domains", domains: ["example.test", "Romashka.test"] });
  assert.equal((await signUp({ email: "a@romashka.test" })).status, 202);
  for (const email of [
    "a@evil.test",
    "a@sub.example.test",
    "example.test@evil.test",
    "a@evilexample.test",
  ])
    assert.equal(refusal(await signUp({ email })), "403 permission_denied sign_up_domain", email);
  const invite = (email: string): Promise<BrowserAnswer> =>
    operator.ask("POST", "members/invite", { email, role: "viewer" });
  assert.equal(refusal(await invite("b@evil.test")), "403 permission_denied sign_up_domain");
  await rule(OPEN);
  assert.equal((await invite("b@evil.test")).status, 202);
  const token = await mailedToken(gateway, "b@evil.test");
  await rule({ mode: "domains", domains: ["example.test"] });
  const accept = await openPanelBrowser(other.url).ask("POST", "members/accept", {
    token,
    password: PASSWORD,
  });
  assert.equal(refusal(accept), "403 permission_denied sign_up_domain");
});

test("a code lets in as many as it may, however many confirm at once at two processes; guesses are slowed down", async () => {
  await rule({ mode: "code" });
  assert.equal(refusal(await signUp()), "400 invalid_request sign_up_code_wrong");
  const make = async (body: object): Promise<SignUpCodeMade> =>
    (
      await operator.ask("POST", "operator/sign-up-codes", { mostUses: null, days: null, ...body })
    ).json<SignUpCodeMade>();
  const { code, codeId } = await make({ mostUses: 2, note: "for two" });
  const emails = Array.from({ length: 5 }, newEmail);
  for (const email of emails)
    assert.equal((await signUp({ email, code: ` ${code.toUpperCase()} ` })).status, 202);
  const tokens = await Promise.all(emails.map((email) => mailedToken(gateway, email)));
  const answers = await Promise.all(
    tokens.map((token, at) =>
      openPanelBrowser(at % 2 === 0 ? gateway.url : other.url).ask("POST", "verify-email", {
        token,
      }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 410, 410, 410]);
  const [refused = answers[0]] = answers.filter(({ status }) => status === 410);
  assert.ok(refused !== undefined);
  assert.equal(refusal(refused), "410 gone sign_up_code_used_up");
  // Another link of the same sign-up is no way around it.
  const late = emails[answers.findIndex(({ status }) => status === 410)] ?? "";
  await openPanelBrowser(gateway.url).ask("POST", "password/forgot", { email: late });
  const reset = await openPanelBrowser(gateway.url).ask("POST", "password/reset", {
    token: await mailedToken(gateway, late, 2),
    password: PASSWORD,
  });
  assert.equal(refusal(reset), "410 gone sign_up_code_used_up");
  assert.equal(refusal(await signUp({ code })), "400 invalid_request sign_up_code_wrong");
  const { data } = (await operator.ask("GET", "operator/sign-up-codes")).json<SignUpCodeList>();
  assert.deepEqual(
    data.map(({ uses, mostUses, note, hint }) => [uses, mostUses, note, hint]),
    [[2, 2, "for two", `${code.slice(0, 4)}…`]],
  );

  const withdrawn = await make({});
  await operator.ask("POST", `operator/sign-up-codes/${withdrawn.codeId}/withdraw`);
  const old = await make({ days: 1 });
  await database.db.query(
    "UPDATE installation.sign_up_codes SET expires_at = clock_timestamp() WHERE code_id = $1",
    [old.codeId],
  );
  for (const bad of [withdrawn.code, old.code, codeId])
    assert.equal(refusal(await signUp({ code: bad })), "400 invalid_request sign_up_code_wrong");
  const guesses = await Promise.all(Array.from({ length: 10 }, () => signUp({ code: "aaaa" })));
  assert.ok(guesses.some(({ status }) => status === 429));
  // The code itself is nowhere.
  const rows = JSON.stringify(await database.db.query("SELECT * FROM installation.sign_up_codes"));
  assert.ok(!rows.includes(code) && !rows.includes(code.replaceAll("-", "")));
  assert.ok(!gateway.output().includes(code) && !other.output().includes(code));
});

test("what was agreed to is kept with its wording and time, and another wording is asked for anew", async () => {
  const [terms, news] = (
    await rule({
      consents: [
        {
          consentId: null,
          required: true,
          ru: "[Условия](https://x.test/1)",
          en: "[Terms](https://x.test/1)",
        },
        { consentId: null, required: false, ru: "Новости", en: "News" },
      ],
    })
  ).consents;
  assert.ok(terms !== undefined && news !== undefined);
  assert.equal(refusal(await signUp()), "400 invalid_request consent_needed");
  assert.equal(
    refusal(await signUp({ consents: [{ consentId: news.consentId, version: 1 }] })),
    "400 invalid_request consent_needed",
  );
  const email = newEmail();
  const agreed = { consentId: terms.consentId, version: 1 };
  assert.equal((await signUp({ email, consents: [agreed, { ...agreed }] })).status, 202);
  const kept = () =>
    database.db.query<{ id: string; version: number; ago: number }>(
      `SELECT consent_id AS id, version, extract(epoch FROM clock_timestamp() - agreed_at)::float8 AS ago
       FROM accounts.consents JOIN accounts.members USING (member_id) WHERE email = $1`,
      [email],
    );
  const [row] = await kept();
  assert.deepEqual([row?.id, row?.version], [terms.consentId, 1]);
  assert.ok(row !== undefined && row.ago >= 0 && row.ago < 60);

  const [again] = (await rule({ consents: [{ ...terms, en: "New [terms](https://x.test/2)" }] }))
    .consents;
  assert.deepEqual([again?.consentId, again?.version], [terms.consentId, 2]);
  assert.equal(refusal(await signUp({ consents: [agreed] })), "409 conflict consents_changed");
  // Who signs up again agrees again.
  assert.equal((await signUp({ email, consents: [{ ...agreed, version: 2 }] })).status, 202);
  assert.deepEqual(
    (await kept()).map(({ version }) => version),
    [2],
  );

  // Invited people are asked the same.
  await operator.ask("POST", "members/invite", { email: "guest@example.test", role: "viewer" });
  const token = await mailedToken(gateway, "guest@example.test");
  const accept = (consents: readonly object[]): Promise<BrowserAnswer> =>
    openPanelBrowser(other.url).ask("POST", "members/accept", {
      token,
      password: PASSWORD,
      consents,
    });
  assert.equal(refusal(await accept([])), "400 invalid_request consent_needed");
  assert.equal((await accept([{ ...agreed, version: 2 }])).status, 200);
});

test("a proof of work is asked for, good once at either process, and nothing else is one", async () => {
  await rule({ captcha: true });
  assert.equal(refusal(await signUp()), "400 invalid_request captcha_needed");
  const solve = async (): Promise<CaptchaAnswer> => {
    const challenge = (
      await openPanelBrowser(gateway.url).ask("POST", "sign-up/captcha")
    ).json<CaptchaChallenge>();
    const solution = await solveChallenge({
      challenge: challenge as unknown as Parameters<typeof solveChallenge>[0]["challenge"],
      deriveKey,
    });
    assert.ok(solution !== null);
    return { challenge, solution: { counter: solution.counter, derivedKey: solution.derivedKey } };
  };
  const captcha = await solve();
  const twice = await Promise.all([signUp({ captcha }), signUp({ captcha })]);
  assert.deepEqual(twice.map(({ status }) => status).toSorted(), [202, 400]);
  assert.equal(refusal(await signUp({ captcha })), "400 invalid_request captcha_wrong");
  const { challenge, solution } = await solve();
  const forged: readonly CaptchaAnswer[] = [
    { challenge, solution: { ...solution, derivedKey: solution.derivedKey.replaceAll(/./g, "0") } },
    // Without the signature of the answer it would have to be derived anew, with the caller's cost.
    {
      challenge: {
        ...challenge,
        parameters: { ...challenge.parameters, keySignature: undefined, keyPrefix: "" },
      },
      solution,
    },
    { challenge: { ...challenge, parameters: { ...challenge.parameters, cost: 1 } }, solution },
    {
      challenge: { ...challenge, parameters: { ...challenge.parameters, expiresAt: 9e9 } },
      solution,
    },
    { challenge: { parameters: {}, signature: "" }, solution },
  ];
  for (const wrong of forged)
    assert.equal(refusal(await signUp({ captcha: wrong })), "400 invalid_request captcha_wrong");
  assert.equal((await signUp({ captcha: { challenge, solution } })).status, 202);
});
