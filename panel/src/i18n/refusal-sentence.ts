/** What forms and the playground are refused for, as the API says it, in the language of the page: a closed list of sentences. */
import { formatMoney } from "./format-money.ts";
import type { Language } from "./language.ts";
import { plural } from "./plural.ts";
import { characters, sayByPattern, type Pattern } from "./sentence-patterns.ts";

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
const whose = (of: string): string => (of === "This API key" ? "У этого ключа" : "У аккаунта, на все ключи вместе,");
const TASK_STATES: Readonly<Record<string, string>> = { completed: "готова", failed: "закончилась ошибкой" };

const PATTERNS: readonly Pattern[] = [
  // Passwords and the second factor.
  [/^At least (\d+) characters are needed\.$/, (least) => `Нужно не меньше ${characters(least ?? "")}.`],
  [/^At most (\d+) characters are taken\.$/, (most) => `Не длиннее ${characters(most ?? "")}.`],
  [/^The e-mail itself is the first thing that anybody would try\.$/, () => "Почту в пароле угадают первой. Придумайте другой."],
  [
    /^This is one of the passwords that are tried first\..*$/,
    () => "Этот пароль — из самых частых, его подбирают первым. Придумайте другой, например из нескольких слов.",
  ],
  [/^This is the password that you have\.$/, () => "Это ваш нынешний пароль. Нужен другой."],
  [/^The current password is wrong\.$/, () => "Текущий пароль не подходит."],
  [/^The password is wrong\.$/, () => "Пароль не подходит."],
  [/^The code is wrong, or was used already\.$/, () => "Код не подходит или уже использован."],
  [/^The second factor is on already\..*$/, () => "Второй фактор уже включён. Сначала выключите его."],
  [/^No code is asked of this session\.$/, () => "Код здесь больше не нужен: обновите страницу."],
  // Members and the profile.
  [/^This is not an e-mail address\.$/, () => "Это не адрес почты."],
  [/^A name of 1 to (\d+) characters on one line is expected\.$/, (most) => `Нужно название в одну строку, до ${characters(most ?? "")}.`],
  [/^This is no time zone; .*$/, () => "Такого часового пояса нет."],
  [/^This person is a member already\.$/, () => "Этот человек уже участник вашего аккаунта."],
  [/^This e-mail has an account already\..*$/, () => "С этой почтой уже есть аккаунт. Попросите пригласить вас на другую."],
  [
    /^The last owner of an account stays its owner\..*$/,
    () => "У аккаунта должен остаться владелец. Сначала сделайте владельцем кого-нибудь ещё.",
  ],
  [/^Only owners give roles\.$/, () => "Роли меняют только владельцы."],
  [/^Only owners remove others\.$/, () => "Удалять других могут только владельцы."],
  // Keys.
  [/^This (?:API )?key was deleted\..*$/, () => "Этот ключ уже удалён."],
  [/^This key was rolled before: .*$/, () => "Этот ключ уже заменяли. Замените тот, что занял его место."],
  [/^This key has expired: .*$/, () => "Срок этого ключа вышел. Сначала продлите его или создайте новый ключ."],
  // Alerts, files and long lists.
  [/^An account has (\d+) alerts at most\..*$/, (most) => `Правил может быть не больше ${most}. Сначала удалите лишнее.`],
  [/^Too many tests in an hour\..*$/, () => "За час слишком много проверок."],
  [/^The file is empty\.$/, () => "Файл пустой."],
  [/^There are more than (\d+) rows\..*$/, (most) => `Строк больше ${most}. Выберите время покороче и скачайте по частям.`],
  [
    /^(?:From )?1 to (\d+) days are expected.*$/,
    (most) => `Выберите от 1 до ${most} ${plural("ru", Number(most), { one: "дня", other: "дней" })}, начиная с первого.`,
  ],
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
    (of, most) => `${whose(of ?? "")} лимит одновременных запросов: ${most}. Дождитесь, когда один закончится.`,
  ],
  [
    /^This API key was deleted or frozen\..*$/,
    () => "Этот ключ удалён или заморожен. Выберите другой или разберитесь с ним на странице ключей.",
  ],
  [/^This API key is frozen: .*$/, () => "Этот ключ заморожен. Разморозьте его на странице ключей или выберите другой."],
  [/^This API key has expired\..*$/, () => "Срок этого ключа вышел. Создайте новый."],
  [/^This account is blocked\. .*$/, () => "Этот аккаунт заблокирован. Обратитесь к оператору сервиса."],
  [/^This API key may not be used from the address (\S+)\.$/, (address) => `Этим ключом нельзя пользоваться с адреса ${address}.`],
  [/^This API key may not call the model "(.+)"\.$/, (model) => `Этому ключу модель «${model}» не разрешена.`],
  [
    /^Every upstream of this model is failing or busy .*$/,
    () => "Все поставщики этой модели сейчас заняты или не отвечают. Попробуйте ещё раз.",
  ],
  [/^The upstream is overloaded\. Try again\.$/, () => "Поставщик модели перегружен. Попробуйте ещё раз."],
  [/^No upstream could serve this request\.$/, () => "Ни один поставщик не смог выполнить запрос. За него ничего не списано."],
  [/^The upstream did not answer in time\.$/, () => "Поставщик модели не ответил вовремя."],
  // Operators.
  [/^This account is blocked already\.$/, () => "Этот аккаунт уже заблокирован."],
  [/^This account is not blocked\.$/, () => "Этот аккаунт не заблокирован."],
  [/^An amount other than 0, of at most (\S+) roubles, is expected\.$/, (most) => `Нужна сумма не 0 и не больше ${roubles(most ?? "")}.`],
  [/^An amount above 0 and up to (\S+) roubles is expected\.$/, (most) => `Нужна сумма больше 0 и до ${roubles(most ?? "")}.`],
  [/^An amount in roubles is expected, .*$/, () => "Нужна сумма в рублях, например 12,34."],
  [
    /^Only (\S+) roubles are available: .*$/,
    (available) => `Свободно только ${roubles(available ?? "")}: удержанное за то, что выполняется, забрать нельзя.`,
  ],
  [/^This reference belongs to another booking\..*$/, () => "Под этой ссылкой уже есть другая запись. Ничего не изменилось."],
  [
    /^The task is (\S+) already; .*$/,
    (state) => `Задача уже ${TASK_STATES[state ?? ""] ?? "закончилась"}; что закончилось, остаётся как есть.`,
  ],
  [/^The catalogue has mistakes\..*$/, () => "В каталоге есть ошибки. Ничего не изменилось."],
  [
    /^Version (\d+) is in force by now, not (\d+)\..*$/,
    (now, before) => `Сейчас действует версия ${now}, а не ${before}. Сначала сравните с ней. Ничего не изменилось.`,
  ],
];

/** Null: it says no more than its code does, and the page has words for that. */
export function refusalSentence(language: Language, message: string): string | null {
  const russian = sayByPattern(PATTERNS, message);
  return russian === null || language === "ru" ? russian : message;
}
