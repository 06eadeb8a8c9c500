/**
 * A database on which a command of a member is written down in its own transaction: either both are
 * there, or neither. The command itself knows nothing of it.
 */
import type { Db, Tx } from "../../db/database.ts";
import { recordAct, type Act, type Actor } from "./account-actions.store.ts";

/** What a command was about, read in its transaction. */
interface Recording<Seen> {
  /** Before it begins. */
  look(tx: Tx): Promise<Seen>;
  /** When it is done, with its result; null: nothing was changed. */
  tell(tx: Tx, seen: Seen, result: unknown): Promise<Act | null>;
}

/**
 * The first transaction that changes something and commits is the command; what is asked for before
 * and after it, leases that are called back, is none. One that is run again, after a deadlock or by
 * the command, is written once, because what failed took its line with it.
 */
export function recordedDb<Seen>(db: Db, actor: Actor, { look, tell }: Recording<Seen>): Db {
  let recorded = false;
  return {
    ...db,
    async transaction(work) {
      if (recorded) return db.transaction(work);
      const { done, written } = await db.transaction(async (tx) => {
        const seen = await look(tx);
        const result = await work(tx);
        const act = await tell(tx, seen, result);
        if (act !== null) await recordAct(tx, actor, act);
        return { done: result, written: act !== null };
      });
      recorded = written;
      return done;
    },
  };
}
