/** Payments: whether the provider takes our credentials, and whether it can reach us. */
import { checkUrl } from "../../net/check-url.ts";
import { createYooKassa } from "../../upstreams/payments/yookassa.ts";
import type { Check, Installation, Scene } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";

/** No payment has it: to be asked about one that there is not moves no money. */
const NO_PAYMENT = "00000000-0000-0000-0000-000000000000";
const TIMEOUTS_MS = { connect: 4_000, firstByte: 4_000, idle: 2_000 };

export const checkPayments: Check = {
  name: "payments",
  async run(scene, signal) {
    const { installation, catalogue } = scene;
    if (installation.payments === null)
      return [
        note(
          {
            en: "PAYMENTS_SHOP_ID is not set: operators credit accounts by hand",
            ru: "PAYMENTS_SHOP_ID не задан: счета пополняют операторы вручную",
          },
          { en: "No customer can top up.", ru: "Ни один клиент не может пополнить баланс." },
          {
            en: "Set PAYMENTS_SHOP_ID and PAYMENTS_SECRET_KEY of the shop at YooKassa.",
            ru: "Задайте PAYMENTS_SHOP_ID и PAYMENTS_SECRET_KEY магазина в ЮKassa.",
          },
        ),
      ];
    const remarks = [
      await remarkOnProvider(scene, installation.payments, signal),
      remarkOnCallback(installation),
    ];
    if (catalogue !== null && (catalogue.receipts ?? []).length === 0)
      remarks.push(
        note(
          { en: "the catalogue has no payments.receipts", ru: "в каталоге нет payments.receipts" },
          {
            en: "Where the shop issues fiscal receipts through us, it refuses payments without them.",
            ru: "Если чеки магазин выдаёт через нас, без них он платежи не примет.",
          },
          {
            en: "Say what receipts have in them (docs/catalogue.md), unless another program issues them.",
            ru: "Опишите, что стоит в чеках (docs/catalogue.ru.md), если их не выдаёт другая программа.",
          },
        ),
      );
    return remarks;
  },
};

async function remarkOnProvider(
  { outgoing }: Pick<Scene, "outgoing">,
  payments: NonNullable<Installation["payments"]>,
  signal: AbortSignal,
): Promise<Remark> {
  const provider = createYooKassa({
    ...payments,
    outgoing,
    name: "yookassa",
    sandbox: false,
    timeoutsMs: TIMEOUTS_MS,
  });
  const { origin } = new URL(payments.baseUrl);
  const answer = await provider.readPayment(NO_PAYMENT, signal);
  if (answer.kind !== "unknown")
    return fine({
      en: `${origin} takes our credentials`,
      ru: `${origin} принимает наши данные для входа`,
    });
  return fault(
    {
      en: `${origin} gave no answer that counts: ${answer.reason}`,
      ru: `${origin} не дал годного ответа: ${answer.reason}`,
    },
    {
      en: "No top-up can be begun, and what was paid is not credited until it answers.",
      ru: "Начать пополнение нельзя, а оплаченное не зачислится, пока он не ответит.",
    },
    {
      en: "401: the shop's id and its secret key, as its cabinet shows them. No answer: the way there from this machine.",
      ru: "401: номер магазина и секретный ключ — как в его личном кабинете. Нет ответа: путь туда с этой машины.",
    },
  );
}

/** Payments are asked about anyway, so that a lost report makes them later and loses nothing. */
function remarkOnCallback({ baseUrl }: Installation): Remark {
  const address = `${baseUrl ?? "http://127.0.0.1"}/payments/notify/yookassa`;
  const means = {
    en: "A payment is credited when it is asked about next, not when it is paid.",
    ru: "Платёж зачислится, когда о нём спросят в следующий раз, а не когда его оплатят.",
  };
  const verdict = checkUrl(address, { allow: [], ports: [443, 8443] });
  if (!verdict.ok || verdict.url.protocol !== "https:")
    return warning(
      {
        en: `the provider cannot report payments to ${address}`,
        ru: `платёжный сервис не может сообщать о платежах на ${address}`,
      },
      means,
      {
        en: "Set BASE_URL to the public https:// address of the gateway, and enter this address in the shop's cabinet (HTTP notifications).",
        ru: "Задайте в BASE_URL публичный адрес шлюза с https:// и впишите этот адрес в личном кабинете магазина (HTTP-уведомления).",
      },
    );
  return fine({
    en: `payments are reported to ${address}, where the shop's cabinet has it`,
    ru: `о платежах сообщают на ${address}, если этот адрес вписан в личном кабинете магазина`,
  });
}
