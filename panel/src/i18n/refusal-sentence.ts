/**
 * What forms and the playground are refused for, as the API says it, in the language of the page: a
 * closed list of sentences.
 */
import type { PanelErrorBody } from "../../../src/contract/panel/panel-error.ts";
import { formatMoney } from "./format-money.ts";
import { REFUSALS_RU } from "./refusals-ru.ts";
import { sayByPattern, type Pattern } from "./sentence-patterns.ts";
import type { Language } from "../../../src/contract/enums/language.ts";

const roubles = (amount: string): string => formatMoney(amount, "ru");
const TOO_LITTLE: Readonly<Record<string, string>> = {
  "The balance": "На балансе не хватает денег",
  "The spend limit of this API key": "Остатка лимита этого ключа не хватает",
};
const WHAT_NEXT: Readonly<Record<string, string>> = {
  "Top the balance up": "Пополните баланс.",
  "Raise the limit, or wait for its next period if it has one":
    "Поднимите лимит или дождитесь его следующего периода, если он задан на период.",
  "Try again when they have ended": "Попробуйте, когда они закончатся.",
};
const whose = (of: string): string =>
  of === "This API key" ? "У этого ключа" : "У аккаунта, на все ключи вместе,";

const PATTERNS: readonly Pattern[] = [
  // Files.
  [/^The file is empty\.$/, () => "Файл пустой."],
  // The playground: money, limits and what the key may do.
  [
    /^(The balance|The spend limit of this API key) cannot cover this request: it needs (\S+) RUB, (\S+) RUB is available(?: and (\S+) RUB is held by requests that still run)?\. (.+)\.$/,
    (what, needed, there, held, next) =>
      `${TOO_LITTLE[what ?? ""]}: нужно ${roubles(needed ?? "")}, свободно ${roubles(there ?? "")}${held === undefined ? "" : `, удержано за то, что выполняется, ${roubles(held)}`}. ${WHAT_NEXT[next ?? ""] ?? ""}`.trim(),
  ],
  [
    /^(This API key|This account, over all its API keys,) may make (\d+) requests per minute\..*$/,
    (of, most) => `${whose(of ?? "")} лимит запросов в минуту: ${most}.`,
  ],
  [
    /^(This API key|This account, over all its API keys,) may use (\d+) tokens per minute.*$/,
    (of, most) => `${whose(of ?? "")} лимит токенов в минуту: ${most}.`,
  ],
  [
    /^(This API key|This account, over all its API keys,) may have (\d+) requests running at once.*$/,
    (of, most) =>
      `${whose(of ?? "")} лимит одновременных запросов: ${most}. Дождитесь, когда один закончится.`,
  ],
  [
    /^This API key was deleted or frozen\..*$/,
    () =>
      "Этот ключ удалён или заморожен. Выберите другой или разберитесь с ним на странице ключей.",
  ],
  [
    /^This API key is frozen: .*$/,
    () => "Этот ключ заморожен. Разморозьте его на странице ключей или выберите другой.",
  ],
  [/^This API key was deleted\. .*$/, () => "Этот ключ уже удалён."],
  [/^This API key has expired\..*$/, () => "Срок этого ключа вышел. Создайте новый."],
  [
    /^This account is blocked\. .*$/,
    () => "Этот аккаунт заблокирован. Обратитесь к оператору сервиса.",
  ],
  [
    /^This API key may not be used from the address (\S+)\.$/,
    (address) => `Этим ключом нельзя пользоваться с адреса ${address}.`,
  ],
  [
    /^This API key may not call the model "(.+)"\.$/,
    (model) => `Этому ключу модель «${model}» не разрешена.`,
  ],
  [
    /^Every upstream of this model is failing or busy .*$/,
    () => "Все поставщики этой модели сейчас заняты или не отвечают. Попробуйте ещё раз.",
  ],
  [
    /^The upstream is overloaded\. Try again\.$/,
    () => "Поставщик модели перегружен. Попробуйте ещё раз.",
  ],
  [
    /^No upstream could serve this request\.$/,
    () => "Ни один поставщик не смог выполнить запрос. За него ничего не списано.",
  ],
  [/^The upstream did not answer in time\.$/, () => "Поставщик модели не ответил вовремя."],
];

/**
 * The API names no reason where a refusal came by a public protocol, as those of the playground do.
 */
export interface Refusal {
  readonly reason: string | null;
  readonly params: PanelErrorBody["error"]["params"];
  readonly message: string;
}

/** Null: it says no more than its code does, and the page has words for that. */
export function refusalSentence(
  language: Language,
  { reason, params, message }: Refusal,
): string | null {
  const russian = sayReason(reason, params) ?? sayByPattern(PATTERNS, message);
  return russian === null || language === "ru" ? russian : message;
}

function sayReason(reason: string | null, params: Refusal["params"]): string | null {
  if (reason === null || !Object.hasOwn(REFUSALS_RU, reason)) return null;
  // The compiler does not see that the params are those of the reason.
  const say = REFUSALS_RU[reason as keyof typeof REFUSALS_RU] as (
    named: Refusal["params"],
  ) => string;
  return say(params);
}
