/** Deletes a key of the member's account, exactly; again is as once. */
import type { Db } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { deleteKey } from "../../keys/delete-key.ts";

/** Throws Fault("not_found") for a key that is not the account's. */
export async function deleteAccountKey(db: Db, accountId: Uuid, hash: string): Promise<void> {
  const { kind } = await deleteKey(db, { hash, accountId });
  if (kind === "unknown-key")
    throw new Fault("not_found", { message: "This account has no such key." });
}
