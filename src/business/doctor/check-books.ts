/** The books: whether they were verified, and whether receipts or payments wait for an operator. */
import { countParked } from "../../usage/receipts.store.ts";
import { findLast } from "../operate/verifications.store.ts";
import { countDue } from "../payments/due-payments.store.ts";
import type { Check } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";

/** It is due every hour while a gateway works. */
const VERIFIED_WITHIN_MS = 3 * 3_600_000;

export const checkBooks: Check = {
  name: "books",
  async run({ db, clock }) {
    if (db === null) return [];
    const remarks = [remarkOnVerification(await findLast(db), clock.now())];
    const parked = await countParked(db);
    if (parked > 0)
      remarks.push(
        warning(
          {
            en: `${parked} receipts are parked in usage.parked`,
            ru: `квитанций отложено в usage.parked: ${parked}`,
          },
          {
            en: "Their money is settled; their customers do not see them in their lists.",
            ru: "Деньги за них списаны верно, но клиенты не видят их в своих списках.",
          },
          {
            en: "Why: psql, SELECT parked_id, reason FROM usage.parked. Mend the cause; the row keeps the whole receipt.",
            ru: "Почему: psql, SELECT parked_id, reason FROM usage.parked. Устраните причину; квитанция хранится в строке целиком.",
          },
        ),
      );
    const { late } = await countDue(db);
    if (late > 0)
      remarks.push(
        fault(
          {
            en: `${late} payments should have been asked about a minute ago`,
            ru: `платежей, о которых пора было спросить минуту назад: ${late}`,
          },
          {
            en: "Customers have paid, and may not be credited.",
            ru: "Клиенты заплатили и могли не получить деньги на баланс.",
          },
          {
            en: "Does a process with the role worker run, and does the payment provider answer (payments, below)?",
            ru: "Работает ли процесс с ролью worker и отвечает ли платёжный сервис (payments, ниже)?",
          },
        ),
      );
    return remarks;
  },
};

function remarkOnVerification(last: Awaited<ReturnType<typeof findLast>>, now: Date): Remark {
  if (last === null || last.finishedAt === null)
    return note(
      { en: "the ledger was never verified", ru: "книги ещё ни разу не проверялись" },
      {
        en: "The balances were not recomputed from their entries yet.",
        ru: "Балансы ещё не пересчитывали по записям.",
      },
      {
        en: "It is done every hour while a gateway works; now: tollgate ledger verify.",
        ru: "Шлюз, пока работает, делает это каждый час; сейчас: tollgate ledger verify.",
      },
    );
  const when = last.finishedAt.toISOString();
  const mismatches = last.mismatchCount ?? 0;
  if (mismatches > 0)
    return fault(
      {
        en: `the ledger did not agree in ${mismatches} places on ${when}`,
        ru: `книги не сошлись ${when}, расхождений: ${mismatches}`,
      },
      {
        en: "Some balance is not the sum of its entries.",
        ru: "Какой-то баланс не равен сумме своих записей.",
      },
      {
        en: "Make a backup first; then tollgate ledger verify names the rows.",
        ru: "Сначала сделайте резервную копию; затем tollgate ledger verify назовёт строки.",
      },
    );
  if (now.getTime() - last.finishedAt.getTime() > VERIFIED_WITHIN_MS)
    return warning(
      {
        en: `the ledger was last verified on ${when}`,
        ru: `книги последний раз проверялись ${when}`,
      },
      {
        en: "It is due every hour; no gateway with the role worker works, or it cannot come to an end.",
        ru: "Проверка положена каждый час; шлюз с ролью worker не работает, или она не может закончиться.",
      },
      {
        en: "tollgate ledger verify; the log says why it was broken off.",
        ru: "tollgate ledger verify; почему она прервалась, сказано в логе.",
      },
    );
  return fine({ en: `the ledger agreed on ${when}`, ru: `книги сошлись ${when}` });
}
