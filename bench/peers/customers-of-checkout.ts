/**
 * Makes the customers of a measured gateway with the use cases of its own checkout, in a process of
 * its own: `customers-of-checkout.ts ROOT DATABASE_URL FOLDER`. Prints their files.
 */
import { pathToFileURL } from "node:url";
import type { openDatabase } from "../../src/db/database.ts";
import type { makeCustomers } from "./make-customers.ts";

const [, , root = "", url = "", folder = ""] = process.argv;

/** Both files have been where they are since there was a benchmark. */
async function load<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(`${root}/${path}`).href)) as T;
}

const database = await load<{ openDatabase: typeof openDatabase }>("src/db/database.ts");
const customers = await load<{ makeCustomers: typeof makeCustomers }>(
  "bench/peers/make-customers.ts",
);
const db = database.openDatabase({
  url,
  poolSize: 8,
  applicationName: "bench",
  onError: () => undefined,
});
try {
  console.log(JSON.stringify(await customers.makeCustomers(db, folder)));
} finally {
  await db.close();
}
