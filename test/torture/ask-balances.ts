/**
 * The API's own word on balances, receipts and kept answers, beside what the books say and what
 * clients got.
 */
import type { Db } from "../../src/db/database.ts";
import { formatRequestId } from "../../src/kernel/ids.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { readOwned, type Books } from "./books-view.ts";
import type { Key } from "./customers.ts";
import { responseText } from "./read-answer.ts";
import type { Stage } from "./stage.ts";
import type { Attempt, ChatTrace } from "./trace.ts";
import type { Violation } from "./violation.ts";

const RECEIPTS_OF_EACH = 5;
const ANSWERS_OF_EACH = 20;
/** Tasks that run yet may end between a balance and the books. Whatever ends, a look is quicker. */
const LOOKS = 5;

export async function askBalances(
  stage: Stage,
  db: Db,
  keys: readonly Key[],
  books: Books,
): Promise<Violation[]> {
  const url = Array.from({ length: stage.fleet.size }, (_, index) => stage.fleet.urlOf(index)).find(
    (found) => found !== null,
  );
  if (url === undefined) return [violation("no gateway is left", "none answers")];
  const found: Violation[] = [];
  for (const { accountId, keyId, secret } of keys) {
    const { answered, booked } = await askBalance(db, url, { accountId, secret });
    if (answered !== booked)
      found.push(
        violation(
          "another balance",
          `account ${accountId}: ${answered} answered, ${booked} booked`,
        ),
      );
    const own = books.endings.filter(
      (ending) => ending.keyId === keyId && ending.reference.startsWith("request:"),
    );
    for (const { entryId, amountNano } of own.slice(-RECEIPTS_OF_EACH)) {
      const receipt = await ask(url, secret, `/v1/requests/${formatRequestId(entryId)}`);
      const cost = parseRoubles(String(receipt["charged"]));
      if (cost !== amountNano)
        found.push(
          violation("another receipt", `${entryId}: ${cost} answered, ${amountNano} taken`),
        );
    }
  }
  for (const { keyId, secret } of keys) {
    const chats = stage.trace.chats.filter((chat) => chat.keyId === keyId);
    for (const { keptId, text } of keptAnswers(chats).slice(-ANSWERS_OF_EACH)) {
      const answered = await ask(url, secret, `/v1/responses/${keptId}`);
      if (responseText(answered) !== text)
        found.push(violation("kept answer lost", `${keptId}: ${JSON.stringify(answered)}`));
    }
  }
  return found;
}

/** As the books had it before and after it was asked. */
async function askBalance(
  db: Db,
  url: string,
  { accountId, secret }: Pick<Key, "accountId" | "secret">,
): Promise<{ readonly answered: bigint | null; readonly booked: bigint | null }> {
  for (let look = 1; ; look++) {
    const before = await readOwned(db, accountId);
    const balance = await ask(url, secret, "/v1/balance");
    const answered = parseRoubles(String(balance["balance"]));
    const booked = await readOwned(db, accountId);
    if (before === booked || look === LOOKS) return { answered, booked };
  }
}

function keptAnswers(chats: readonly ChatTrace[]): readonly Attempt[] {
  return chats.flatMap(({ attempts }) => attempts.filter(({ keptId }) => keptId !== null));
}

function violation(what: string, why: string): Violation {
  return { what, why, marker: null, chat: null };
}

async function ask(
  url: string,
  secret: string,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}${path}`, { headers: { "x-api-key": secret } });
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
