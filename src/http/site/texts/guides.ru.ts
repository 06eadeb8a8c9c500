/** The documentation in Russian: how to begin, money, errors, and the guides of the files beside. */
import type { ApiFaultCode, GuideName } from "../guide-place.ts";
import type { Guide } from "./guide.ts";
import { aroundGuidesRu } from "./guides-around.ru.ts";
import { modelGuidesRu } from "./guides-models.ru.ts";

export interface GuideTexts extends Readonly<Record<Exclude<GuideName, "errors">, Guide>> {
  readonly menu: string;
  readonly groups: Readonly<Record<"first" | "models" | "files" | "reference", string>>;
  /** What is on the page. */
  readonly contents: string;
  readonly neighbours: string;
  readonly before: string;
  readonly after: string;
  /** Heads of tables. */
  readonly name: string;
  readonly meaning: string;
  /** Of tables of parameters. */
  readonly tables: string;
  readonly task: string;
  readonly rules: string;
  readonly filesOfSample: string;
  readonly changelog: {
    readonly title: string;
    readonly description: string;
    readonly lead: string;
    readonly none: string;
  };
  readonly errors: Guide & {
    readonly status: string;
    readonly code: string;
    readonly codes: string;
    readonly what: string;
    readonly remedy: string;
    readonly again: string;
    /** What happened, and what to do about it. */
    readonly byCode: Readonly<Record<ApiFaultCode, readonly [what: string, remedy: string]>>;
  };
}

export const guidesRu: GuideTexts = {
  ...modelGuidesRu,
  ...aroundGuidesRu,
  menu: "Документация",
  groups: {
    first: "Начало",
    models: "Модели",
    files: "Файлы и события",
    reference: "Справочник",
  },
  contents: "На этой странице",
  neighbours: "Соседние страницы",
  before: "Назад",
  after: "Дальше",
  name: "Что",
  meaning: "Значение",
  tables: "Таблицы параметров",
  task: "Задача",
  rules: "Что должно сходиться",
  filesOfSample:
    "`$IMAGE_URL`, `$VIDEO_URL` и `$AUDIO_URL` — адреса ваших файлов, загруженных к нам или публичных.",
  changelog: {
    title: "Что изменилось",
    description: "Изменения шлюза по версиям.",
    lead: "По версиям, новое сверху. Журнал ведётся по-английски.",
    none: "Пока ничего.",
  },
  start: {
    title: "Быстрый старт",
    description: "Три шага до первого ответа и настройки для каждого клиента.",
    lead: "Три шага до первого ответа.",
    sections: [
      {
        id: "key",
        title: "1. Ключ",
        texts: [
          "Зарегистрируйтесь и создайте ключ в панели. Он виден один раз, при создании: сохраните его там, где хранятся секреты. Ключу можно задать лимит, модели и адреса IP.",
        ],
      },
      {
        id: "first-request",
        title: "2. Первый запрос",
        texts: [
          "Ключ передаётся в `Authorization: Bearer …` или в `x-api-key`. Работают протоколы OpenAI Chat Completions, OpenAI Responses и Anthropic Messages: любая модель чата по любому из них.",
        ],
        sample: "chat",
      },
      {
        id: "clients",
        title: "3. Свой клиент",
        texts: ["Поменяйте адрес и ключ: остальной код остаётся прежним."],
        sample: "clients",
      },
      {
        id: "models",
        title: "Какие модели есть",
        texts: ["Список с ценами отвечает и по API."],
        sample: "models",
      },
    ],
  },
  money: {
    title: "Деньги и квитанции",
    description: "Как узнать цену заранее, что удерживается и списывается, как повторять запросы.",
    lead: "За что списывается, как узнать это заранее и как не заплатить дважды.",
    sections: [
      {
        id: "quote",
        title: "Узнать цену до запроса",
        texts: [
          "То же тело по адресу `/v1/quote/…` ничего не списывает и не вызывает поставщика. Ответ говорит, сколько запрос удержит и сколько может стоить самое большее, и хватает ли денег.",
        ],
        sample: "quote",
      },
      {
        id: "held",
        title: "Удержали, списали, вернули",
        texts: [
          "До ответа удерживается не больше, чем он может стоить; удержание потока растёт вместе с ответом. После ответа списывается ровно по токенам и прайсу, остальное сразу доступно.",
          "Запрос, на который ничего не пришло, не стоит ничего. Оборванный ответ стоит столько, сколько из него дошло.",
          'Нехватка денег — это 402, и никогда 429: официальные SDK повторяют 429 сами. Если денег не хватает посреди потока, он заканчивается как положено: `finish_reason: "length"` или `stop_reason: "max_tokens"`.',
        ],
      },
      {
        id: "receipts",
        title: "Баланс и квитанции",
        texts: [
          "У каждого ответа есть `x-request-id`: по этому номеру находится квитанция. Квитанции складываются ровно в то, что списано.",
        ],
        sample: "receipts",
      },
      {
        id: "repeat",
        title: "Повторить и не заплатить дважды",
        texts: [
          "Заголовок `Idempotency-Key` (свой для каждого запроса): тот же ключ с тем же телом в течение 24 часов получает тот же ответ, поток тоже, и оплачивается один раз. Другое тело с тем же ключом — это 400. [Подробнее](/docs/idempotency).",
        ],
      },
    ],
  },
  errors: {
    title: "Ошибки",
    description: "Коды ошибок API, что они значат и что делать.",
    lead: "У каждой ошибки есть статус HTTP и код. Тело приходит в форме того протокола, по которому пришёл запрос; номер запроса стоит в `x-request-id`.",
    sections: [
      {
        id: "when",
        title: "Когда повторять",
        texts: [
          "Где повтор поможет, есть `retry-after`; где не поможет, стоит `x-should-retry: false`. Официальные SDK понимают и то, и другое.",
        ],
      },
    ],
    status: "HTTP",
    code: "Код",
    codes: "Коды",
    what: "Что случилось",
    remedy: "Что делать",
    again: "можно повторить",
    byCode: {
      invalid_request: ["Тело запроса неверно.", "`param` называет поле; исправьте его."],
      context_length_exceeded: [
        "Разговор длиннее, чем модель может прочесть.",
        "Сократите его или возьмите модель с большим контекстом.",
      ],
      previous_response_not_found: [
        "Ответ, который продолжает этот разговор, здесь не хранится.",
        "Пришлите разговор целиком: ответы хранятся ограниченное время, а с `store: false` не хранятся совсем.",
      ],
      wrong_endpoint: [
        "Эта модель по этому адресу не отвечает.",
        "Протоколы модели названы на её странице и в `GET /v1/models`.",
      ],
      idempotency_mismatch: [
        "Этот `Idempotency-Key` уже был с другим телом.",
        "Новому запросу нужен новый ключ повтора.",
      ],
      invalid_api_key: [
        "Ключа нет, он неверен, удалён, заморожен или истёк.",
        "Возьмите действующий ключ из панели.",
      ],
      insufficient_balance: ["На балансе не хватает денег.", "Пополните баланс."],
      key_limit_exceeded: [
        "Лимит трат этого ключа исчерпан.",
        "Дождитесь нового периода, поднимите лимит или возьмите другой ключ.",
      ],
      group_limit_exceeded: [
        "Лимит трат группы этого ключа исчерпан.",
        "Дождитесь нового периода, поднимите лимит группы или возьмите ключ не из неё.",
      ],
      permission_denied: [
        "Ключу это не разрешено: модель, адрес или аккаунт закрыт.",
        "Проверьте настройки ключа в панели.",
      ],
      storage_quota_exceeded: [
        "Файлы заняли всё место аккаунта.",
        "Удалите ненужные или подождите, пока их срок выйдет.",
      ],
      model_not_found: ["Такой модели нет.", "Сверьте идентификатор со списком моделей."],
      not_found: ["По этому адресу ничего нет.", "Сверьте путь со справочником API."],
      method_not_allowed: ["Этот путь не принимает такой метод.", "Методы названы в `Allow`."],
      request_timeout: ["Тело запроса не пришло вовремя.", "Проверьте связь и повторите."],
      idempotency_in_progress: [
        "Первый запрос с этим `Idempotency-Key` ещё выполняется.",
        "Подождите, сколько сказано в `retry-after`, и повторите.",
      ],
      conflict: ["Это уже изменили, или оно уже есть.", "Прочтите заново и решите."],
      already_exists: ["Точно такое уже есть.", "Второе ничего не добавит."],
      gone: ["Этого больше нет.", "Срок вышел, или это уже использовали."],
      idempotency_answer_gone: [
        "На запрос с этим ключом повтора уже ответили, но ответ был слишком велик, чтобы его сохранить.",
        "Спросите заново с другим ключом повтора.",
      ],
      precondition_failed: [
        "То, для чего был запрос, изменилось.",
        "Прочтите заново и повторите с новой меткой.",
      ],
      request_too_large: ["Тело запроса слишком велико.", "Уменьшите его."],
      unsupported_media_type: [
        "Тело не того вида.",
        "Пришлите JSON с `content-type: application/json` или форму там, где она нужна.",
      ],
      range_not_satisfiable: ["Такого диапазона в файле нет.", "Сверьте его с размером файла."],
      upgrade_required: ["Здесь говорят только по HTTP.", "Пришлите запрос без WebSocket."],
      rate_limit_exceeded: [
        "Слишком много запросов.",
        "Подождите, сколько сказано в `retry-after`. Пределы видны в заголовках ответов.",
      ],
      internal_error: ["Сломалось у нас.", "Повторите; если не проходит, напишите номер запроса."],
      upstream_error: [
        "Ни один поставщик не ответил.",
        "Повторите или возьмите другую модель. Деньги не списаны.",
      ],
      overloaded: [
        "Шлюз перегружен или перезапускается.",
        "Подождите, сколько сказано в `retry-after`. В Messages это 529.",
      ],
      upstream_timeout: ["Поставщик не ответил вовремя.", "Повторите. Деньги не списаны."],
      storage_full: ["Сейчас нет места для файлов.", "Повторите позже."],
    },
  },
};
