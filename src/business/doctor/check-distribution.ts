/** Where accounts are spread over the servers of Citus: whether that is done, and whole. */
import { readCitusState, type CitusState } from "../operate/citus.store.ts";
import { distributionState } from "../operate/distribution-state.ts";
import { ANCHOR } from "../operate/distribution-steps.store.ts";
import { readTables } from "../operate/tables.store.ts";
import type { TableShape } from "../operate/tables.store.ts";
import type { Check } from "./doctor-deps.ts";
import { fault, fine, note, type Remark } from "./finding.ts";

/** The report has lines, not pages. */
const NAMED = 5;

export const checkDistribution: Check = {
  name: "distribution",
  async run({ db }) {
    if (db === null) return [];
    const tables = await readTables(db);
    // Not migrated yet, which has a finding of its own.
    if (!tables.some(({ name }) => name === ANCHOR)) return [];
    return distributionRemarks(tables, await readCitusState(db));
  },
};

export function distributionRemarks(
  tables: readonly Pick<TableShape, "name">[],
  citus: CitusState,
): Remark[] {
  if (citus.version === null) return [];
  const { spread, unfinished, misplaced } = distributionState(tables, citus);
  if (misplaced.length > 0) {
    const named = firstOf(misplaced.map(({ name }) => name));
    return [
      fault(
        {
          en: `Citus has these tables where they may not be: ${named}`,
          ru: `у Citus эти таблицы лежат не там, где им можно: ${named}`,
        },
        {
          en: "Rows of one account lie on several servers: statements are refused, and what is read may lack some.",
          ru: "Строки одного аккаунта лежат на разных серверах: команды отклоняются, а прочитанное может быть неполным.",
        },
        {
          en: "Stop the gateways, bring the tables back by undistribute_table, then tollgate database distribute --dry-run.",
          ru: "Остановите шлюзы, верните таблицы функцией undistribute_table, затем tollgate database distribute --dry-run.",
        },
      ),
    ];
  }
  if (unfinished.length > 0) {
    const named = firstOf(unfinished);
    return [
      fault(
        {
          en: `accounts are spread over servers in part; still to do: ${named}`,
          ru: `аккаунты разложены по серверам не до конца; осталось: ${named}`,
        },
        {
          en: "Statements that meet spread and unspread tables are refused, or lock all servers.",
          ru: "Команды, которым нужны и разложенные, и неразложенные таблицы, отклоняются или запирают все серверы.",
        },
        {
          en: "Stop the gateways and run tollgate database distribute --yes again: it goes on where it broke off.",
          ru: "Остановите шлюзы и ещё раз выполните tollgate database distribute --yes: она продолжит с места, где оборвалась.",
        },
      ),
    ];
  }
  if (spread === 0)
    return [
      fine({
        en: `Citus ${citus.version} is there, and all tables lie on its coordinator`,
        ru: `есть Citus ${citus.version}, и все таблицы лежат на его координаторе`,
      }),
    ];
  return [
    note(
      {
        en: `accounts are spread by Citus ${citus.version}, in ${spread} tables`,
        ru: `аккаунты разложены по серверам Citus ${citus.version}, таблиц: ${spread}`,
      },
      {
        en: "No test of this version ran on a real Citus (docs/decisions/0042-growth.md).",
        ru: "На настоящем Citus эта версия тестами не проверена (docs/decisions/0042-growth.md).",
      },
      {
        en: "Let tollgate ledger verify speak while no gateway works; beside traffic it may name differences that are none.",
        ru: "Запускайте tollgate ledger verify, когда шлюзы стоят: рядом с работой он может назвать расхождения, которых нет.",
      },
    ),
  ];
}

function firstOf(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (more > 0 ? ` … (+${more})` : "");
}
