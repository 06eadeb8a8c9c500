/**
 * Seals what signs webhooks and stands in the database as it is, from the time before secrets were
 * sealed.
 */
import { sealClear } from "./secrets.store.ts";
import type { SecretsDeps } from "./signing-secrets.ts";

/**
 * Any number of processes may do it at once; when it is done, nothing is left in the clear. Returns
 * how many it sealed itself.
 */
export async function sealOldSecrets({ db, seal }: SecretsDeps): Promise<number> {
  return db.transaction((tx) => sealClear(tx, seal));
}
