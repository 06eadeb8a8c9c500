/** Why an upstream was passed over, failed or was not believed, in Russian: by the code. */
import type {
  ReasonSentences,
  TransportTrouble,
} from "../../../src/contract/operator/upstream-reason.ts";
import type { Figures } from "../../../src/contract/figures.ts";
import { plural } from "./plural.ts";
import { TASK_REASONS_RU } from "./task-reasons-ru.ts";

const TRANSPORT: Readonly<Record<TransportTrouble, string>> = {
  connect: "не удалось соединиться",
  "connect-timeout": "не соединился вовремя",
  "first-byte-timeout": "не начал отвечать вовремя",
  "idle-timeout": "замолчал посреди ответа",
  closed: "соединение оборвалось",
  protocol: "ответ не по протоколу",
  aborted: "обращение прервали мы",
  exhausted: "у нас не осталось соединений",
};

const tokensOf = (tokens: number, { count }: Figures): string =>
  `${count(tokens)} ${plural("ru", tokens, { one: "токен", few: "токена", many: "токенов", other: "токена" })}`;
const times = (runs: number): string => (runs === 1 ? "" : `${runs} × `);

export const REASONS_RU: ReasonSentences = {
  ...TASK_REASONS_RU,
  cooldown: () => "приходит в себя после ошибок",
  circuit_open: () => "отключён предохранителем",
  taken_out: () => "выведен оператором",
  credentials_refused: () => "поставщик только что не принял его ключи",
  places_taken: () => "все места заняты",
  no_credential: ({ upstream, names }) => `не задан ключ поставщика ${upstream} (${names})`,
  status: ({ status, words }) => `ответ ${status}: ${words}`,
  error_frame: ({ words }) => `ошибка посреди ответа: ${words}`,
  transport: ({ trouble, words }) => `${TRANSPORT[trouble] ?? trouble}: ${words}`,
  answer_not_json: () => "ответ — не JSON",
  no_answer: () => "ответ не того вида",
  no_choice: () => "в ответе нет ни одного варианта",
  answer_too_large: ({ limitBytes }, { count }) =>
    `ответ больше ${count(limitBytes)} ${plural("ru", limitBytes, { one: "байта", other: "байт" })}`,
  stream_not_json: () => "в потоке не JSON",
  stream_without_words: () => "поток кончился, ничего не сказав",
  stream_long_without_words: () => "поток длинный, а сказано ничего",
  stream_without_end: () => "поток кончился, не сказав, чем",
  event_not_json: () => "событие потока — не JSON",
  event_no_object: () => "событие потока — не объект JSON",
  event_without_type: () => "у события потока нет типа",
  second_message: () => "в потоке начинается второе сообщение",
  end_without_message: () => "поток кончает сообщение, которого не начинал",
  input_above_window: ({ tokens, limit, runs }, figures) =>
    `вход в ${tokensOf(tokens, figures)} больше окна модели: ${times(runs)}${figures.count(limit)}`,
  output_above_limit: ({ tokens, limit, runs }, figures) =>
    `ответ в ${tokensOf(tokens, figures)} больше предела: ${times(runs)}${figures.count(limit)}`,
  count_not_whole: () => "число токенов — не целое от нуля",
  counts_do_not_fit: () => "числа токенов не сходятся между собой",
  total_alone: () => "сказано только, сколько токенов всего",
  usage_no_object: () => "счёт токенов не того вида",
};
