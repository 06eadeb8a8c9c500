/**
 * The page on which one pays, without money: what it is for, and a button for each way that it can
 * go.
 */
import type { PaymentAct } from "./payment-desk.ts";
import type { Payment } from "./payment.ts";

const WORDS = {
  ru: {
    title: "Тестовая оплата",
    note: "Это песочница: деньги не спишутся. Выберите, чем всё кончится.",
    amount: "Сумма",
    pay: "Оплатить",
    fail: "Не хватает денег на карте",
    cancel: "Отменить",
    refund: "Вернуть деньги",
    back: "Вернуться в магазин",
    other: "English",
    states: { pending: "Ждёт оплаты", succeeded: "Оплачено", canceled: "Не оплачено" },
  },
  en: {
    title: "Test payment",
    note: "This is a sandbox: no money moves. Choose how it ends.",
    amount: "Amount",
    pay: "Pay",
    fail: "Not enough money on the card",
    cancel: "Cancel",
    refund: "Give the money back",
    back: "Back to the shop",
    other: "По-русски",
    states: { pending: "Waits for payment", succeeded: "Paid", canceled: "Not paid" },
  },
} as const;

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem;color-scheme:light dark}" +
  "button{display:block;width:100%;font:inherit;padding:.7rem;margin:.5rem 0;cursor:pointer}.sum{font-size:2rem}";

export function paymentPage(payment: Payment, locale: "ru" | "en"): string {
  const words = WORDS[locale];
  const acts: readonly (PaymentAct | "refund")[] =
    payment.status === "pending"
      ? ["pay", "fail", "cancel"]
      : payment.status === "succeeded" && payment.refundedValue !== payment.value
        ? ["refund"]
        : [];
  const buttons = acts
    .map((act) => `<button name="do" value="${act}">${words[act]}</button>`)
    .join("");
  const sum = `${payment.value.replace(".", locale === "ru" ? "," : ".")} ${payment.currency === "RUB" ? "₽" : escaped(payment.currency)}`;
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.title}</title><style>${STYLE}</style></head><body>
<p><a href="?lang=${locale === "ru" ? "en" : "ru"}">${words.other}</a></p>
<h1>${words.title}</h1><p>${words.note}</p>
<p>${escaped(payment.description)}<br>${words.amount}: <span class="sum">${sum}</span><br><strong data-state="${payment.status}">${words.states[payment.status]}</strong></p>
<form method="post">${buttons}</form>
<p><a href="${escaped(payment.returnUrl)}">${words.back}</a></p>
</body></html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
