/** `tollgate ledger verify`: recomputes the ledger and names what does not agree. */
import { alignColumns } from "../align-columns.ts";
import type { Command, Outcome } from "../command.ts";
import { done } from "../command.ts";
import { countNouns } from "../count-nouns.ts";
import { withDb } from "../with-db.ts";

export const ledgerVerify: Command = {
  name: "ledger verify",
  summary:
    "Recompute every balance, hold, key total and hourly sum from the entries; exit code 1 names the rows that do not agree",
  positionals: [],
  options: {},
  async run({ deps }): Promise<Outcome> {
    const { verifyLedger } = await import("../../business/operate/verify-ledger.ts");
    const { checked, mismatches } = await withDb(deps, verifyLedger);
    const counts = Object.fromEntries(
      Object.entries(checked).map(([what, count]) => [what, Number(count)]),
    );
    const json = { ok: mismatches.length === 0, checked: counts, mismatches };
    const { accounts, budgets, holds, entries } = checked;
    const first = [
      countNouns(accounts, "account"),
      countNouns(budgets, "key"),
      countNouns(holds, "hold"),
    ].join(", ");
    const checkedText = `${first} and ${countNouns(entries, "entry", "entries")}`;
    if (mismatches.length === 0) return done(json, `The ledger agrees: ${checkedText} checked.`);
    const rows = mismatches.map(({ where, id, expected, found }) => [where, id, expected, found]);
    const table = alignColumns([["WHERE", "ROW", "EXPECTED", "FOUND"], ...rows]);
    return {
      kind: "bad",
      json,
      text: [
        ...table,
        `The ledger does not agree in ${countNouns(mismatches.length, "place")}, of ${checkedText} checked.`,
      ].join("\n"),
    };
  },
};
