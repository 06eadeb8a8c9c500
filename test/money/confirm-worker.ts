/**
 * A process that confirms e-mails by the links of mails, all at once when it is begun to; or kills
 * itself behind the given statement of one.
 */
import { openDatabase, type Db } from "../../src/db/database.ts";
import { verifyEmail } from "../../src/business/members/verify-email.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createTokenHash } from "../../src/kernel/opaque-token.ts";
import { queryableThrough } from "../support/queryable-through.ts";

export interface ConfirmOrder {
  readonly url: string;
  readonly secret: string;
  readonly tokens: readonly string[];
  /** Null: it lives. */
  readonly lastStatement: number | null;
}

const { url, secret, tokens, lastStatement } = JSON.parse(process.argv[2] ?? "") as ConfirmOrder;
const db = openDatabase({
  url,
  poolSize: lastStatement === null ? 8 : 1,
  applicationName: "confirm worker",
  onError: () => undefined,
});
let statements = 0;

const dying: Db = {
  ...db,
  transaction: (work) =>
    db.transaction((tx) =>
      work(
        queryableThrough(async (text, parameters) => {
          const rows = await tx.query(text, parameters);
          statements++;
          if (statements === lastStatement) process.kill(process.pid, "SIGKILL");
          return rows;
        }),
      ),
    ),
};

const begun = new Promise((resolve) => process.once("message", resolve));
process.send?.("ready");
await begun;
const deps = {
  db: lastStatement === null ? db : dying,
  clock: systemClock,
  hashToken: createTokenHash(secret),
  mail: async () => undefined,
};
const visitor = { address: "127.0.0.1", userAgent: "a test", device: null };
await Promise.all(tokens.map((token) => verifyEmail(deps, { token, visitor, signUpToken: null })));
await db.close();
process.disconnect?.();
