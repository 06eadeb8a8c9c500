/**
 * What a form of the panel, or a request of its playground, is refused for, in Russian: by the
 * reason and what it names.
 */
import type { CreditClass } from "../../../src/contract/enums/credit-class.ts";
import type {
  LimitedBy,
  PanelRefusals,
  RefusalSentences,
  WebhookAddressMistakes,
} from "../../../src/contract/panel/panel-refusal.ts";
import { characters } from "./characters.ts";
import { plural } from "./plural.ts";

const TASK_STATES: Readonly<Partial<Record<PanelRefusals["task_ended"]["state"], string>>> = {
  completed: "готова",
  failed: "закончилась ошибкой",
};

const LIMITS: Readonly<Record<LimitedBy, string>> = {
  requests: "лимит запросов в минуту",
  tokens: "лимит токенов в минуту",
  concurrent: "лимит одновременных запросов",
  tasks: "лимит незаконченных задач",
};
const NUMBERS: Readonly<Record<LimitedBy, string>> = {
  requests: "запросов в минуту",
  tokens: "токенов в минуту",
  concurrent: "одновременных запросов",
  tasks: "незаконченных задач",
};
const AFTER: Readonly<Record<LimitedBy, string>> = {
  requests: "",
  tokens: "",
  concurrent: " Дождитесь, когда один закончится.",
  tasks: " Дождитесь, когда одна из них закончится.",
};
const AT_GATE: Readonly<Record<PanelRefusals["gate_full"]["gate"], string>> = {
  tasks: "Заказов задач",
  uploads: "Загрузок файлов",
  api: "Запросов",
  panel: "Запросов к панели",
  operator: "Запросов к страницам оператора",
};

const CREDIT: Readonly<Record<CreditClass, string>> = {
  paid: "Из оплаченного",
  trial: "Из пробных денег",
  bonus: "Из бонуса",
};

const FUNDS: Readonly<Record<PanelRefusals["funds_short"]["of"], string>> = {
  balance: "На балансе не хватает денег",
  key: "Остатка лимита этого ключа не хватает",
  group: "Остатка лимита группы этого ключа не хватает",
};

const WHAT_NEXT: Readonly<Record<PanelRefusals["funds_short"]["next"], string>> = {
  top_up: "Пополните баланс.",
  raise_limit: "Поднимите лимит или дождитесь его следующего периода, если он задан на период.",
  wait: "Попробуйте, когда они закончатся.",
};
const ADDRESSES: Readonly<Record<keyof WebhookAddressMistakes, string>> = {
  blob_url: "Адрес blob: есть только в браузере, который его создал.",
  file_url: "Адрес file: указывает на ваш компьютер.",
  data_url: "Адрес data: не подойдёт: по нему ничего не отправить.",
  base64: "Это не адрес, а файл в base64.",
  relative_url: "Адрес неполный: он начинается с http:// или https://.",
  scheme: "Принимаются только адреса http:// и https://.",
  url_too_long: "Адрес слишком длинный.",
  url_characters: "В адресе пробел, управляющий символ или обратная косая черта. Закодируйте их.",
  not_a_url: "Это не адрес.",
  credentials: "В адресе есть имя или пароль. Укажите его без них.",
  internal_name: "Такое имя бывает только в частной сети. Нужен открытый адрес.",
  host_name: "Имя сервера в адресе неправильное.",
  address_not_public: "Адрес ведёт не в открытую сеть.",
  port: "Этот порт не принимается.",
};

export const REFUSALS_RU: RefusalSentences = {
  password_short: ({ limit }) => `Нужно не меньше ${characters(limit)}.`,
  password_long: ({ limit }) => `Не длиннее ${characters(limit)}.`,
  password_is_email: () => "Почту в пароле угадают первой. Придумайте другой.",
  password_common: () =>
    "Этот пароль — из самых частых, его подбирают первым. Придумайте другой, например из нескольких слов.",
  password_same: () => "Это ваш нынешний пароль. Нужен другой.",
  current_password_wrong: () => "Текущий пароль не подходит.",
  password_wrong: () => "Пароль не подходит.",
  code_wrong: () => "Код не подходит или уже использован.",
  second_factor_on: () => "Второй фактор уже включён. Сначала выключите его.",
  no_code_asked: () => "Код здесь больше не нужен: обновите страницу.",
  sign_up_closed: () => "Сейчас регистрация закрыта. Обратитесь к оператору сервиса.",
  sign_up_domain: ({ domains }) => `Здесь подходит только почта на этих доменах: ${domains}.`,
  sign_up_code_wrong: () => "Такого кода нет, он использован или его срок вышел.",
  sign_up_code_used_up: () =>
    "Код, с которым вы регистрировались, уже использован. Зарегистрируйтесь заново с другим.",
  consent_needed: () => "Отметьте то, без чего нельзя зарегистрироваться.",
  consents_changed: () =>
    "У согласий новая редакция. Обновите страницу, прочитайте её и отправьте форму ещё раз.",
  captcha_needed: () => "Сначала браузер должен показать, что регистрируется не робот.",
  captcha_wrong: () => "Проверка на робота устарела или уже использована. Отправьте ещё раз.",
  no_email: () => "Это не адрес почты.",
  name_expected: ({ limit }) => `Нужно название в одну строку, до ${characters(limit)}.`,
  no_timezone: () => "Такого часового пояса нет.",
  member_already: () => "Этот человек уже участник вашего аккаунта.",
  email_taken: () => "С этой почтой уже есть аккаунт. Попросите пригласить вас на другую.",
  last_owner: () =>
    "У аккаунта должен остаться владелец. Сначала сделайте владельцем кого-нибудь ещё.",
  owners_give_roles: () => "Роли меняют только владельцы.",
  owners_remove: () => "Удалять других могут только владельцы.",
  own_factor_first: () => "Сначала включите второй фактор у себя.",
  factor_wanted: () => "Аккаунт требует второй фактор от всех участников.",
  managers_give_keys: () => "Чей ключ, решают только менеджеры и владельцы.",
  managers_group_keys: () => "Ключи по группам раскладывают только менеджеры и владельцы.",
  changed_meanwhile: () => "Пока вы правили, это изменили. Посмотрите ещё раз и повторите.",
  key_deleted: () => "Этот ключ уже удалён.",
  key_rolled: () => "Этот ключ уже заменяли. Замените тот, что занял его место.",
  key_expired: () => "Срок этого ключа вышел. Сначала продлите его или создайте новый ключ.",
  group_deleted: () => "Эта группа уже удалена.",
  group_made: () => "Эта группа уже создана.",
  groups_most: ({ limit }, { count }) =>
    `Групп может быть не больше ${count(limit)}. Удалите ту, что больше не нужна.`,
  key_made: () => "Этот ключ уже создан, и секрет был показан тогда же.",
  spend_limit_above_zero: () => "Нужен лимит больше 0 рублей; чтобы не ограничивать, уберите его.",
  moment_ahead: () => "Нужно время в будущем.",
  entries_expected: ({ limit }) =>
    `Нужно от 1 до ${limit}; чтобы не ограничивать, оставьте поле пустым.`,
  no_model_id: ({ got }) => `«${got}» — не имя модели.`,
  no_ip_range: ({ got }) =>
    `«${got}» — не адрес и не диапазон адресов вроде 10.0.0.0/8 или 2001:db8::/32.`,
  rate_limit_range: ({ kind, limit }, { count }) =>
    `Нужно целое число ${NUMBERS[kind]} от 1 до ${count(limit)}.`,
  alerts_most: ({ limit }) => `Правил может быть не больше ${limit}. Сначала удалите лишнее.`,
  tests_most: () => "За час слишком много проверок.",
  threshold_above_zero: () => "Нужна сумма в рублях больше 0.",
  factor_of_spike: ({ wanted }) =>
    wanted === "given"
      ? "Для всплеска нужно указать, во сколько раз больше обычного часа."
      : "Во сколько раз — бывает только у всплеска.",
  percent_of_limit: ({ wanted }) =>
    wanted === "given"
      ? "Укажите, сколько процентов лимита: целое число от 1 до 100."
      : "Проценты бывают только у оповещения о лимите.",
  percent_of_margin: () => "Проценты бывают только у оповещения о марже.",
  limit_of_one: () =>
    "Оповещение о лимите — об одной группе или об одном ключе; других оповещений о группе нет.",
  no_such_group: () => "Такой группы нет.",
  telegram_off: () => "Бота Telegram здесь нет: оператор его не настроил.",
  balance_of_account: () => "Баланс один на весь аккаунт, у ключа его нет.",
  no_such_key: () => "Такого ключа нет.",
  members_expected: () => "Выберите участников этого аккаунта.",
  webhook_address: ({ rule, reported }) => ADDRESSES[rule] ?? reported,
  top_up_range: ({ least, limit }, { roubles }) =>
    `Нужна сумма от ${roubles(least)} до ${roubles(limit)}, не мельче копейки.`,
  top_ups_open: () =>
    "Слишком много незаконченных пополнений. Закончите одно из них или попробуйте позже.",
  payment_silent: () =>
    "Платёжная система не отвечает. Деньги не списаны; попробуйте через минуту.",
  empty_file: () => "Файл пустой.",
  no_day: () => "Такого дня в календаре нет.",
  rows_most: ({ limit }) => `Строк больше ${limit}. Выберите время покороче или другой фильтр.`,
  days_expected: ({ limit }) =>
    `Выберите от 1 до ${limit} ${plural("ru", limit, { one: "дня", other: "дней" })}, начиная с первого.`,
  sort_one_day: () => "По цене и длительности сортируем внутри одного дня: сначала выберите день.",
  weigh_archived: () =>
    "Часть этого времени в архиве, там по цене и длительности не ищем: выберите время позже.",
  sort_archived: () => "Этот день в архиве: его можно смотреть только по времени.",
  blocked_already: () => "Этот аккаунт уже заблокирован.",
  not_blocked: () => "Этот аккаунт не заблокирован.",
  seeing_as: () =>
    "Вы смотрите панель как клиент: менять ничего нельзя, а секреты, файлы и содержимое не показываются.",
  see_as_over: () => "Просмотр панели как клиент закончился: его время вышло.",
  correction_amount: ({ limit }, { roubles }) => `Нужна сумма не 0 и не больше ${roubles(limit)}.`,
  top_up_amount: ({ limit }, { roubles }) => `Нужна сумма больше 0 и до ${roubles(limit)}.`,
  no_amount: () => "Нужна сумма в рублях, например 12,34.",
  available_only: ({ available, of }, { roubles }) =>
    `${CREDIT[of]} доступно только ${roubles(available)}: удержанное за то, что выполняется, забрать нельзя.`,
  reference_expected: ({ limit }) => `Нужна ссылка в одну строку, до ${characters(limit)}.`,
  reference_taken: () => "Под этой ссылкой уже есть другая запись. Ничего не изменилось.",
  task_ended: ({ state }) =>
    `Задача уже ${TASK_STATES[state] ?? "закончилась"}; что закончилось, остаётся как есть.`,
  catalogue_mistakes: () => "В каталоге есть ошибки. Ничего не изменилось.",
  version_in_force: ({ now, expected }) =>
    `Сейчас действует версия ${now}, а не ${expected}. Сначала сравните с ней. Ничего не изменилось.`,
  no_picture: () =>
    "Нужна картинка PNG, JPEG или WebP не больше 500 КБ, которую удаётся прочитать.",
  domains_needed: () =>
    "Назовите хотя бы один домен, с почтой на котором можно зарегистрироваться.",
  trial_needs_captcha: () =>
    "Если зарегистрироваться может каждый, пробным деньгам нужна проверка на робота: иначе их соберут роботы.",
  announcement_whole: () =>
    "У объявления есть текст на обоих языках и время, когда оно закончится.",
  picture_gone: () => "Эта картинка здесь больше не хранится. Выберите её ещё раз.",
  funds_short: ({ of, needed, available, held, next }, { roubles }) => {
    const what = FUNDS[of];
    const running = held === "0" ? "" : `, удержано за то, что выполняется, ${roubles(held)}`;
    return `${what}: нужно ${roubles(needed)}, доступно ${roubles(available)}${running}. ${WHAT_NEXT[next]}`;
  },
  rate_limit_reached({ of, kind, limit }, { count }) {
    const whose = of === "key" ? "У этого ключа" : "У аккаунта, на все ключи вместе,";
    return `${whose} ${LIMITS[kind]}: ${count(limit)}.${AFTER[kind]}`;
  },
  api_key_deleted: () => "Этот ключ уже удалён.",
  api_key_frozen: () =>
    "Этот ключ заморожен. Разморозьте его на странице ключей или выберите другой.",
  api_key_expired: () => "Срок этого ключа вышел. Создайте новый.",
  api_key_stopped: () =>
    "Этот ключ удалён или заморожен. Выберите другой или разберитесь с ним на странице ключей.",
  account_blocked: () => "Этот аккаунт заблокирован. Обратитесь к оператору сервиса.",
  group_frozen: () =>
    "Группа этого ключа выключена. Включите её на странице групп или выберите другой ключ.",
  address_not_allowed: ({ address }) => `Этим ключом нельзя пользоваться с адреса ${address}.`,
  model_not_allowed: ({ model }) => `Этому ключу модель «${model}» не разрешена.`,
  model_not_in_group: ({ model }) => `Ключам этой группы модель «${model}» не разрешена.`,
  upstreams_busy: () =>
    "Все поставщики этой модели сейчас заняты или не отвечают. Попробуйте ещё раз.",
  upstream_overloaded: () => "Поставщик модели перегружен. Попробуйте ещё раз.",
  gate_full: ({ gate }) =>
    `${AT_GATE[gate]} сейчас больше, чем сервер успевает обработать. Ничего не сделано и не списано: попробуйте ещё раз.`,
};
