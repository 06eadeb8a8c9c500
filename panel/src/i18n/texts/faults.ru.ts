/** What went wrong and what to do about it, in Russian, by the code of the API's fault. */
import type { FieldMistake, PanelErrorCode } from "../../../../src/contract/panel/panel-error.ts";
import { formatSize } from "../format-number.ts";
import { characters } from "../characters.ts";

/** What the API names beside a code that a sentence here tells. */
export type Params = Readonly<
  Partial<
    Record<
      "limit" | "values" | "model" | "freeBytes" | "quotaBytes" | "limitBytes",
      string | number | undefined
    >
  >
>;
export type Sentence = (params: Params) => string;
/** A code that has no words does not compile. */
type FaultSentences = Readonly<Record<PanelErrorCode | "network", Sentence>>;
type MistakeSentences = Readonly<Record<FieldMistake, Sentence>>;

const size = (bytes: string | number): string => formatSize(Number(bytes), "ru");

/** By `code`: every one of the API's faults, and `network` where there was no answer. */
const byCode: FaultSentences = {
  network: () => "Сервер не отвечает. Проверьте соединение и попробуйте снова.",
  invalid_request: () => "Проверьте поля: что-то заполнено не так.",
  session_required: () => "Сессия закончилась. Войдите ещё раз и повторите.",
  wrong_credentials: () => "Почта или пароль не подходят.",
  email_unverified: () => "Сначала подтвердите почту: откройте ссылку из нашего письма.",
  gone: () => "Этого больше нет: срок вышел, или это уже использовали.",
  key_limit_exceeded: () => "Лимит трат этого ключа исчерпан.",
  group_limit_exceeded: () => "Лимит трат группы этого ключа исчерпан.",
  model_not_found: ({ model }) =>
    model === undefined ? "Такой модели нет." : `Модели «${model}» нет.`,
  storage_quota_exceeded: ({ freeBytes, quotaBytes }) =>
    freeBytes === undefined || quotaBytes === undefined
      ? "Место для файлов закончилось. Удалите ненужные."
      : `Место для файлов закончилось: свободно ${size(freeBytes)} из ${size(quotaBytes)}. Удалите ненужные.`,
  request_too_large: ({ limitBytes }) =>
    limitBytes === undefined
      ? "Слишком большой файл или запрос."
      : `Слишком большой файл или запрос: можно до ${size(limitBytes)}.`,
  unsupported_media_type: () => "Файлы этого вида не принимаются.",
  login_unfinished: () => "Вход не завершён. Войдите ещё раз.",
  origin_refused: () =>
    "Браузер прислал запрос с чужого адреса. Откройте панель по её основному адресу.",
  permission_denied: () =>
    "Вашей роли в этом аккаунте для этого недостаточно. Попросите владельца.",
  not_found: () => "Такого здесь нет: возможно, это удалили или ссылка неполная.",
  conflict: () => "Кто-то изменил это раньше вас. Обновите страницу и повторите.",
  already_exists: () => "Точно такое же уже есть: второе ничего не добавит.",
  rate_limit_exceeded: () => "Слишком много попыток подряд. Подождите немного.",
  insufficient_balance: () => "На балансе не хватает денег. Пополните его.",
  top_ups_unavailable: () =>
    "Пополнить баланс пока нельзя: оператор ещё не закончил настройку платежей. Деньги не списаны.",
  internal_error: () => "У нас что-то сломалось. Мы уже записали это; попробуйте ещё раз.",
  overloaded: () => "Сервер сейчас перегружен. Попробуйте через минуту.",
  invalid_api_key: () => "Ключ не действует: его нет, он удалён или заморожен. Выберите другой.",
  method_not_allowed: () => "Так этот адрес не вызывают. Обновите страницу и повторите.",
  context_length_exceeded: () =>
    "Разговор длиннее, чем модель может прочесть. Начните новый или сократите сообщения.",
  previous_response_not_found: () =>
    "Прежний ответ этого разговора больше не хранится. Начните новый разговор.",
  wrong_endpoint: ({ model }) =>
    model === undefined
      ? "Эта модель здесь не работает. Выберите другую."
      : `Модель «${model}» здесь не работает. Выберите другую.`,
  idempotency_mismatch: () =>
    "С этим номером уже отправили другой запрос. Обновите страницу и повторите.",
  idempotency_in_progress: () => "Такой же запрос ещё выполняется. Дождитесь его.",
  idempotency_answer_gone: () =>
    "Этот запрос уже выполнен и оплачен, но его ответ был слишком большим и не сохранился. Отправьте его заново.",
  upgrade_required: () => "Здесь отвечают только на обычные запросы.",
  precondition_failed: () => "Пока вы смотрели, это изменилось. Обновите страницу.",
  range_not_satisfiable: () => "Такой части у файла нет.",
  request_timeout: () => "Запрос не успел дойти. Проверьте соединение и отправьте ещё раз.",
  upstream_error: () => "Ни один поставщик не смог выполнить запрос. За него ничего не списано.",
  upstream_timeout: () => "Поставщик модели не ответил вовремя.",
  storage_full: () => "Сейчас у нас нет места для файлов. Попробуйте позже.",
};

/** Of one field, by the code of its mistake. */
const byMistake: MistakeSentences = {
  required: () => "Заполните это поле.",
  minLength: ({ limit }) =>
    limit === undefined
      ? "Слишком коротко."
      : Number(limit) === 1
        ? "Заполните это поле."
        : `Нужно не меньше ${characters(limit)}.`,
  maxLength: ({ limit }) =>
    limit === undefined ? "Слишком длинно." : `Не длиннее ${characters(limit)}.`,
  format: () => "Не похоже на правильное значение.",
  pattern: () => "Не похоже на правильное значение.",
  minimum: ({ limit }) => (limit === undefined ? "Слишком мало." : `Не меньше ${limit}.`),
  maximum: ({ limit }) => (limit === undefined ? "Слишком много." : `Не больше ${limit}.`),
  exclusiveMinimum: ({ limit }) => (limit === undefined ? "Слишком мало." : `Больше ${limit}.`),
  exclusiveMaximum: ({ limit }) => (limit === undefined ? "Слишком много." : `Меньше ${limit}.`),
  minItems: ({ limit }) => (limit === undefined ? "Слишком мало." : `Нужно не меньше ${limit}.`),
  maxItems: ({ limit }) => (limit === undefined ? "Слишком много." : `Можно не больше ${limit}.`),
  uniqueItems: () => "Одно и то же указано дважды.",
  multipleOf: () => "Не то, что ожидается в этом поле.",
  enum: ({ values }) =>
    values === undefined ? "Выберите одно из значений." : `Выберите одно из: ${values}.`,
  const: () => "Не то, что ожидается в этом поле.",
  type: () => "Не то, что ожидается в этом поле.",
  rule: () => "Не похоже на правильное значение.",
  anyOf: () => "Не то, что ожидается в этом поле.",
  additionalProperties: () => "Такого поля нет.",
  unpriced: () => "Для этого значения нет цены. Выберите другое.",
  below_cost: () => "Что-то продаётся ниже себестоимости. Подтвердите это.",
  big_change: () => "Какая-то цена меняется сильно. Подтвердите это.",
  catalogue: () => "В каталоге ошибка.",
};

export const faultsRu = {
  byCode,
  byMistake,
  /** Of a form whose fields say the rest; `names`: of those that do. */
  checkFields: (names: string) => `Проверьте: ${names}.`,
  title: "Не получилось",
  requestId: "Номер запроса для поддержки:",
  retryIn: (seconds: number) => `Повторить можно через ${seconds} с.`,
  notFoundTitle: "Такой страницы нет",
  notFoundText: "Проверьте адрес или вернитесь на обзор.",
  brokenTitle: "Страница сломалась",
  brokenText: "Обновите её. Если не поможет, напишите нам, что вы делали.",
  offlineTitle: "Нет связи",
  offlineText: "Страница не загрузилась. Как только связь появится, она откроется сама.",
  offlineBanner: "Нет связи с сервером. Показано то, что успело загрузиться.",
};

export type FaultsTexts = typeof faultsRu;
