/**
 * What operators read of the gateway's own words: why a try failed, and what was expected of the
 * books and what was found; in Russian.
 */
import { formatMoney } from "./format-money.ts";
import { plural } from "./plural.ts";
import { sayByPattern, type Pattern } from "./sentence-patterns.ts";
import type { Language } from "../../../src/contract/enums/language.ts";

const TRANSPORT: Readonly<Record<string, string>> = {
  connect: "не удалось соединиться",
  "connect-timeout": "не соединился вовремя",
  "first-byte-timeout": "не начал отвечать вовремя",
  "idle-timeout": "замолчал посреди ответа",
  closed: "соединение оборвалось",
  protocol: "ответ не по протоколу",
  aborted: "обращение прервали мы",
};
const ENTRIES: Readonly<Record<string, string>> = {
  topup: "зачисление",
  adjust: "поправка",
  charge: "списание",
  release: "возврат удержанного",
  loss: "отдано без оплаты",
};
const entry = (kind = ""): string => ENTRIES[kind] ?? kind;
const roubles = (amount = ""): string => formatMoney(amount, "ru");
const tokensOf = (count = ""): string =>
  `${count} ${plural("ru", Number(count), { one: "токен", few: "токена", many: "токенов", other: "токена" })}`;
const times = (runs = ""): string => (runs === "" ? "" : `${runs.trim().replace(" times", "")} × `);

const PATTERNS: readonly Pattern[] = [
  // What an action was about.
  [/^version (\d+)$/, (version) => `версия ${version}`],
  // Why an upstream was passed over, or did not answer. Its own words stay as they are.
  [/^it rests after failures$/, () => "приходит в себя после ошибок"],
  [/^its circuit is open$/, () => "отключён предохранителем"],
  [/^every place is taken$/, () => "все места заняты"],
  [
    /^no credential of (\S+) is set \((.+)\)$/,
    (upstream, names) => `не задан ключ поставщика ${upstream} (${names})`,
  ],
  [/^status (\d+): (.*)$/s, (status, words) => `ответ ${status}: ${words}`],
  [/^error frame: (.*)$/s, (words) => `ошибка посреди ответа: ${words}`],
  [
    /^(connect|connect-timeout|first-byte-timeout|idle-timeout|closed|protocol|aborted): (.*)$/s,
    (kind, words) => `${TRANSPORT[kind ?? ""]}: ${words}`,
  ],
  [/^the answer is not JSON$/, () => "ответ — не JSON"],
  [/^the answer is not a (?:chat completion|message)$/, () => "ответ не того вида"],
  [/^the answer has no choice$/, () => "в ответе нет ни одного варианта"],
  [
    /^the answer is larger than (\d+) bytes$/,
    (bytes) =>
      `ответ больше ${bytes} ${plural("ru", Number(bytes), { one: "байта", other: "байт" })}`,
  ],
  [/^the stream carries something that is not JSON$/, () => "в потоке не JSON"],
  [/^the stream ended before it said anything$/, () => "поток кончился, ничего не сказав"],
  [/^the stream is long and says nothing$/, () => "поток длинный, а сказано ничего"],
  [/^an event of the stream is not JSON$/, () => "событие потока — не JSON"],
  [/^an event of the stream is not a JSON object$/, () => "событие потока — не объект JSON"],
  [/^an event of the stream has no type$/, () => "у события потока нет типа"],
  // Why its own count was not believed.
  [
    /^input of (\d+) tokens is above (\d+ times )?the context window of (\d+)$/,
    (tokens, runs, window) =>
      `вход в ${tokensOf(tokens)} больше окна модели: ${times(runs)}${window}`,
  ],
  [
    /^output of (\d+) tokens is above (\d+ times )?the limit of (\d+)$/,
    (tokens, runs, limit) => `ответ в ${tokensOf(tokens)} больше предела: ${times(runs)}${limit}`,
  ],
  [/^a token count is not a whole number from zero up$/, () => "число токенов — не целое от нуля"],
  [/^usage is not an object$/, () => "счёт токенов не того вида"],
  // What a task should have in the books, and what it has.
  [/^(-?[\d.]+) RUB held$/, (amount) => `удержано ${roubles(amount)}`],
  [/^(-?[\d.]+) RUB charged$/, (amount) => `списано ${roubles(amount)}`],
  [/^(-?[\d.]+) RUB$/, roubles],
  [/^no hold$/, () => "удержания нет"],
  [/^no entry$/, () => "записи нет"],
  [
    /^(completed|failed) in the books$/,
    (state) => `в книге: ${state === "completed" ? "готова" : "ошибка"}`,
  ],
  [/^a next step$/, () => "следующий шаг"],
  [/^none, or watching$/, () => "нет, или ждём позднего конца"],
  [/^none$/, () => "нет"],
  [/^a task$/, () => "задача"],
  // What the verification of the ledger expects.
  [/^not negative$/, () => "не меньше нуля"],
  [/^at most (-?\d+)$/, (most) => `не больше ${most}`],
  [
    /^(\w+) between an account and the operator's book for it$/,
    (kind) => `${entry(kind)}: между аккаунтом и нашей книгой для этого`,
  ],
  [/^from (\S+) to (\S+)$/, (debit, credit) => `из ${debit} в ${credit}`],
  [
    /^held = amount \+ released, nothing negative$/,
    () => "удержано = сумма + вернулось, ничего ниже нуля",
  ],
  [
    /^amount (-?\d+)(?: held (-?\d+))?(?: released (-?\d+))?$/,
    (amount, held, released) =>
      `сумма ${amount}, удержано ${held ?? "—"}, вернулось ${released ?? "—"}`,
  ],
  [/^a budget of the account (\S+)$/, (account) => `лимит аккаунта ${account}`],
  [/^an account$/, () => "аккаунт"],
  [/^not ended$/, () => "не закончено"],
  [/^(\w+) of (-?\d+) at (.+)$/, (kind, amount, at) => `${entry(kind)} на ${amount}, ${at}`],
];

/** Null: there is nothing better than the words as they are. */
export function operatorSentence(language: Language, words: string): string | null {
  return language === "ru" ? sayByPattern(PATTERNS, words) : null;
}
