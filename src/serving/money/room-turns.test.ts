/** Protects: no caller is refused by a look that began before the money was free. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { createRoomTurns } from "./room-turns.ts";

test("who asks while one runs waits for the next one, with the others; another account does not wait", async () => {
  const attempts: { readonly accountId: Uuid; end(error?: Error): void }[] = [];
  const makeRoom = createRoomTurns(
    (accountId) =>
      new Promise((resolve, reject) =>
        attempts.push({
          accountId,
          end: (error) => (error === undefined ? resolve() : reject(error)),
        }),
      ),
  );
  const [account, other] = [newUuid(), newUuid()];
  const first = makeRoom(account);
  const late = [makeRoom(account), makeRoom(account)];
  const elsewhere = makeRoom(other);
  assert.deepEqual(
    attempts.map(({ accountId }) => accountId),
    [account, other],
  );
  attempts[1]?.end();
  await elsewhere;
  attempts[0]?.end(new Error("no database"));
  await assert.rejects(first, /no database/);
  assert.equal(attempts.length, 3, "one for both, though the first one failed");
  const last = makeRoom(account);
  attempts[2]?.end();
  await Promise.all(late);
  assert.equal(attempts.length, 4);
  attempts[3]?.end();
  await last;
  const again = makeRoom(account);
  assert.equal(attempts.length, 5, "at once, as nothing runs");
  attempts[4]?.end();
  await again;
});
