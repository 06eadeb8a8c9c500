/** `tollgate ledger verify`: recomputes the ledger and names what does not agree. */
import { verifyLedger } from "../../gateway/verify-ledger.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command, Outcome } from "../command.ts";
import { done } from "../command.ts";
import { withDb } from "../with-db.ts";

export const ledgerVerify: Command = {
  name: "ledger verify",
  summary: "Recompute every balance, hold and key total from the entries; exit code 1 names the rows that do not agree",
  positionals: [],
  options: {},
  async run({ deps }): Promise<Outcome> {
    const { checked, mismatches } = await withDb(deps, verifyLedger);
    const counts = Object.fromEntries(Object.entries(checked).map(([what, count]) => [what, Number(count)]));
    const json = { ok: mismatches.length === 0, checked: counts, mismatches };
    const said = `${checked.accounts} accounts, ${checked.budgets} keys, ${checked.holds} holds and ${checked.entries} entries`;
    if (mismatches.length === 0) return done(json, `The ledger agrees: ${said} checked.`);
    const rows = mismatches.map(({ where, id, expected, found }) => [where, id, expected, found]);
    const table = alignColumns([["WHERE", "ROW", "EXPECTED", "FOUND"], ...rows]);
    return {
      kind: "bad",
      json,
      text: [...table, `The ledger does not agree in ${mismatches.length} places, of ${said} checked.`].join("\n"),
    };
  },
};
