/** Money with the providers of upstreams: whether too little is left, and whether they tell it. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { BalanceFailure } from "../../contract/enums/balance-kind.ts";
import type { UpstreamBalance } from "../../contract/panel/operator-upstreams.ts";
import type { Queryable } from "../../db/database.ts";
import { balanceView } from "../operate/balance-view.ts";
import { storedBalances } from "../operate/upstream-balances.store.ts";
import { fine, note, warning, type Remark } from "./finding.ts";

export async function remarksOnBalances(
  db: Queryable,
  { upstreams }: Pick<Catalogue, "upstreams">,
): Promise<Remark[]> {
  const asked = [...upstreams.values()].filter(({ balance }) => balance !== undefined);
  if (asked.length === 0) return [];
  const stored = await storedBalances(db);
  return asked.flatMap((upstream) => {
    const view = balanceView(upstream, stored);
    return view === null ? [] : remarksOn(upstream.name, view);
  });
}

function remarksOn(name: string, balance: UpstreamBalance): Remark[] {
  const { amount, currency, below, low, failure, failureStatus } = balance;
  const remarks: Remark[] = [];
  if (amount !== null && low)
    remarks.push(
      warning(
        {
          en: `${name}: ${amount} ${currency} are left with the provider, which is below ${below}`,
          ru: `${name}: у поставщика осталось ${amount} ${currency}, это меньше ${below}`,
        },
        {
          en: "Once it is used up, its routes fail.",
          ru: "Когда деньги кончатся, его маршруты начнут отказывать.",
        },
        { en: "Top it up at the provider.", ru: "Пополните баланс у поставщика." },
      ),
    );
  else if (amount !== null && failure === null)
    remarks.push(
      fine({
        en: `${name}: ${amount} ${currency} are left with the provider`,
        ru: `${name}: у поставщика осталось ${amount} ${currency}`,
      }),
    );
  if (failure !== null && failure !== "unlimited")
    remarks.push(
      warning(
        {
          en: `${name}: the provider does not tell its balance: ${reasonOf(failure, failureStatus).en}`,
          ru: `${name}: поставщик не сообщает баланс: ${reasonOf(failure, failureStatus).ru}`,
        },
        {
          en: "What is shown is old, and the alert of a low balance may not come.",
          ru: "Показанное устарело, и оповещение о низком балансе может не прийти.",
        },
        {
          en: "The upstream's balance in the catalogue: is its kind right, and does the credential have the right to it?",
          ru: "Раздел balance у поставщика в каталоге: верен ли kind и есть ли у ключа право на это?",
        },
      ),
    );
  if (amount === null && failure === null)
    remarks.push(
      note(
        {
          en: `${name}: the provider was not asked for its balance yet`,
          ru: `${name}: поставщика ещё не спрашивали о балансе`,
        },
        {
          en: "It is not known whether enough is left.",
          ru: "Неизвестно, хватит ли денег.",
        },
        {
          en: "Does a process with the role worker run?",
          ru: "Работает ли процесс с ролью worker?",
        },
      ),
    );
  return remarks;
}

function reasonOf(failure: BalanceFailure, status: number | null): { en: string; ru: string } {
  switch (failure) {
    case "no_credential":
      return { en: "its credential is not set", ru: "не задан ключ" };
    case "no_answer":
      return { en: "there is no answer", ru: "нет ответа" };
    case "refused":
      return { en: `it answers with ${status}`, ru: `ответ ${status}` };
    case "not_understood":
      return { en: "its answer is no balance", ru: "в ответе нет баланса" };
    case "unlimited":
      return { en: "the key has no limit", ru: "у ключа нет предела" };
  }
}
