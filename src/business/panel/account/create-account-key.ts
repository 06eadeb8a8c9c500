/** Makes a key of the member's account: its secret is in this answer and nowhere else. */
import type { PanelKeyMade } from "../../../contract/panel/panel-key.ts";
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { Db, Tx } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { createKey, type NewKeyRequest } from "../../keys/create-key.ts";
import { keyView } from "./key-view.ts";

/**
 * `record` writes down in the transaction that it was made. Faults: `invalid_request`; `conflict` for
 * a form that was sent before.
 */
export async function createAccountKey(
  db: Db,
  clock: Clock,
  request: NewKeyRequest,
  record?: (tx: Tx, key: KeyRecord) => Promise<void>,
): Promise<PanelKeyMade> {
  const made = await createKey(db, clock, request, record);
  switch (made.kind) {
    case "created":
      return { secret: made.secret, key: await keyView(db, clock, made.key) };
    case "made-before":
      throw new Fault("conflict", sayRefusal("key_made"));
    case "unknown-account":
      throw new Fault("not_found");
  }
}
