/** What operators are written of a trouble, in Russian and English. */
import type { Language } from "../../contract/enums/language.ts";
import type { OperatorAlertKind } from "../../contract/enums/operator-alert-kind.ts";
import type { Trouble } from "./find-troubles.ts";

interface Words {
  readonly subject: string;
  readonly lines: readonly string[];
}

const PAGES: Readonly<Record<OperatorAlertKind, string>> = {
  circuit_open: "operator/upstreams",
  receipts_parked: "operator",
  payments_late: "operator/payments",
  margin_below: "operator/margin",
  balance_below: "operator/upstreams",
};

/** `baseUrl`: without a slash at its end. `troubles`: one at least. */
export function troubleText(
  language: Language,
  kind: OperatorAlertKind,
  {
    troubles,
    percent,
    baseUrl,
  }: {
    readonly troubles: readonly Trouble[];
    /** Of the margin. */
    readonly percent: number | null;
    readonly baseUrl: string;
  },
): { readonly subject: string; readonly text: string } {
  const words = (language === "ru" ? russian : english)(kind, troubles, percent ?? 0);
  const change = language === "ru" ? "Настроить оповещения" : "Change these alerts";
  const parts = [
    ...words.lines,
    `${baseUrl}/panel/${PAGES[kind]}`,
    `${change}: ${baseUrl}/panel/operator/settings`,
  ];
  return { subject: words.subject, text: `${parts.join("\n\n")}\n` };
}

function russian(kind: OperatorAlertKind, troubles: readonly Trouble[], percent: number): Words {
  const subjects = troubles.map(({ subject }) => subject).join(", ");
  const figure = troubles[0]?.figure ?? 0;
  switch (kind) {
    case "circuit_open":
      return {
        subject: `Маршрут не работает: ${subjects}`,
        lines: [
          `Слишком много ошибок подряд: ${subjects}. Запросы идут другими маршрутами, если они есть; этот проверяется и вернётся сам.`,
        ],
      };
    case "receipts_parked":
      return {
        subject: `Не записаны квитанции: ${figure}`,
        lines: [
          `Квитанций ждёт в usage.parked: ${figure}. Деньги за них списаны верно; причина указана там же.`,
        ],
      };
    case "payments_late":
      return {
        subject: `Платежи ждут проверки: ${figure}`,
        lines: [
          `Вовремя не проверено платежей: ${figure}. Деньги могут прийти клиентам позже, чем они заплатили.`,
        ],
      };
    case "margin_below":
      return {
        subject: `Маржа за ${subjects}: ${figure} %`,
        lines: [`Маржа за ${subjects} — ${figure} %, это меньше ${percent} %.`],
      };
    case "balance_below":
      return {
        subject: `Кончаются деньги у поставщика: ${subjects}`,
        lines: troubles.map(
          ({ subject, balance }) =>
            `${subject}: осталось ${balance?.left ?? ""}, это меньше ${balance?.below ?? ""}. Когда они кончатся, его маршруты начнут отказывать.`,
        ),
      };
  }
}

function english(kind: OperatorAlertKind, troubles: readonly Trouble[], percent: number): Words {
  const subjects = troubles.map(({ subject }) => subject).join(", ");
  const figure = troubles[0]?.figure ?? 0;
  switch (kind) {
    case "circuit_open":
      return {
        subject: `A route does not work: ${subjects}`,
        lines: [
          `Too many failures in a row: ${subjects}. Requests take other routes where there are any; this one is probed and comes back by itself.`,
        ],
      };
    case "receipts_parked":
      return {
        subject: `Receipts are not written: ${figure}`,
        lines: [
          `Receipts that wait in usage.parked: ${figure}. Their money is settled; the reason stands there.`,
        ],
      };
    case "payments_late":
      return {
        subject: `Payments are late: ${figure}`,
        lines: [
          `Payments that were not asked about in time: ${figure}. Customers may be credited later than they paid.`,
        ],
      };
    case "margin_below":
      return {
        subject: `Margin of ${subjects}: ${figure}%`,
        lines: [`The margin of ${subjects} is ${figure}%, which is below ${percent}%.`],
      };
    case "balance_below":
      return {
        subject: `Little money is left with a provider: ${subjects}`,
        lines: troubles.map(
          ({ subject, balance }) =>
            `${subject}: ${balance?.left ?? ""} left, which is below ${balance?.below ?? ""}. Once it is used up, its routes fail.`,
        ),
      };
  }
}
