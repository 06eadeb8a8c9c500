/**
 * Guards the moment between the comparison of a password and the session: who was shut out in it
 * does not get in.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { systemClock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { createSeal } from "../../kernel/seal.ts";
import { changePassword, deleteMember, findPasswordHash } from "../../accounts/members.store.ts";
import { hashPassword } from "../../accounts/password.ts";
import { createAccount } from "../accounts/create-account.ts";
import { logIn } from "./log-in.ts";
import { createMemberMail } from "./member-mail.ts";
import type { MembersDeps } from "./members-deps.ts";
import { createPasswordWork } from "./password-work.ts";
import { createThrottle } from "./throttle.ts";

const SECRET = "a secret of at least thirty-two characters";
const hashToken = createTokenHash(SECRET);
const seal = createSeal(SECRET);
let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

/** `meanwhile` happens when the password was found right, and before anything is done about it. */
function depsWith(meanwhile: () => Promise<unknown>): MembersDeps {
  const { db } = database;
  const work = createPasswordWork();
  return {
    db,
    clock: systemClock,
    seal,
    hashToken,
    throttle: createThrottle({ db, hashToken }),
    mail: createMemberMail({ seal, baseUrl: () => "https://x.test" }),
    passwords: {
      hash: work.hash,
      async verify(password, stored) {
        const right = await work.verify(password, stored);
        await meanwhile();
        return right;
      },
    },
  };
}

const VISITOR = { address: "203.0.113.7", userAgent: "a browser", device: null };

test("a password that was changed, or a member that was removed, while it was compared opens nothing", async () => {
  const { db } = database;
  const sessions = async (): Promise<bigint | undefined> =>
    (await db.query<{ count: bigint }>("SELECT count(*) FROM accounts.sessions"))[0]?.count;
  for (const [email, meanwhile] of [
    ["same@example.test", async () => undefined],
    [
      "changed@example.test",
      async (memberId: string) =>
        changePassword(db, { memberId, was: null, passwordHash: await hashPassword("y") }),
    ],
    ["removed@example.test", (memberId: string) => deleteMember(db, memberId)],
  ] as const) {
    const account = await createAccount(db, { name: "x", email, operator: false });
    assert.ok(account.kind === "created" && account.oneTimePassword !== null);
    const memberId = (await findPasswordHash(db, email))?.memberId ?? "";
    const before = (await sessions()) ?? 0n;
    const attempt = logIn(
      depsWith(() => meanwhile(memberId)),
      { email, password: account.oneTimePassword, visitor: VISITOR, token: null },
    );
    if (email.startsWith("same")) {
      assert.ok((await attempt).token);
      assert.equal(await sessions(), before + 1n);
    } else {
      await assert.rejects(
        attempt,
        (error) => error instanceof Fault && error.code === "wrong_credentials",
      );
      assert.equal(await sessions(), before);
    }
  }
});

test("from a public address many e-mails are not tried without end", async () => {
  const deps = depsWith(async () => undefined);
  const quick = { ...deps, passwords: { ...deps.passwords, verify: async () => false } };
  const codes: string[] = [];
  for (let tries = 0; tries < 70; tries++) {
    await logIn(quick, {
      email: `nobody${tries}@example.test`,
      password: "x",
      visitor: { ...VISITOR, address: "8.8.4.4" },
      token: null,
    }).catch((error: unknown) => {
      codes.push(error instanceof Fault ? error.code : String(error));
    });
  }
  assert.ok(codes.slice(0, 60).every((code) => code === "wrong_credentials"));
  assert.ok(codes.includes("rate_limit_exceeded"));
});
