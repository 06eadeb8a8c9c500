/**
 * Hashes and compares passwords, few at a time: each takes a thread and 19 MiB for a while, and the
 * gateway has other things to do.
 */
import { hashPassword, newOneTimePassword, verifyPassword } from "../../accounts/password.ts";
import { Fault } from "../../kernel/faults.ts";
import { createSlots } from "../../net/slots.ts";

export interface PasswordWork {
  hash(password: string): Promise<string>;
  /** `stored` null: there is no member to compare with, and it takes as long all the same. */
  verify(password: string, stored: string | null): Promise<boolean>;
}

/** Of the four threads that Node has for such work; files and names of hosts need the others. */
const AT_A_TIME = 2;
/** About two seconds of waiting. */
const MOST_WAITING = 50;

/** Both throw Fault("overloaded") when too many wait already. */
export function createPasswordWork(): PasswordWork {
  const slots = createSlots();
  let waiting = 0;
  let nobody: Promise<string> | null = null;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= MOST_WAITING) throw new Fault("overloaded", { retryAfterSeconds: 2 });
    waiting += 1;
    const done = await slots.take("passwords", AT_A_TIME).finally(() => (waiting -= 1));
    try {
      return await work();
    } finally {
      done();
    }
  }

  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    async verify(password, stored) {
      if (stored !== null) return inTurn(() => verifyPassword(password, stored));
      nobody ??= hashPassword(newOneTimePassword());
      const hash = await nobody;
      await inTurn(() => verifyPassword(password, hash));
      return false;
    },
  };
}
