/**
 * What is wrong with a catalogue file, in Russian: by the code of the mistake and what it names, as
 * it follows the place in the file.
 */
import type {
  CatalogueSentences,
  ExpectedMember,
  ExpectedValue,
  Meant,
  Nameable,
  YamlKind,
  YamlSlip,
} from "../../../src/contract/catalogue/catalogue-mistake.ts";
import { formatCount } from "./format-number.ts";
import { longerThanTokens } from "./longer-than-tokens.ts";
import { plural } from "./plural.ts";
import { characters } from "./characters.ts";

const KINDS: Readonly<Record<YamlKind, string>> = {
  nothing: "ничего",
  mapping: "набор «ключ: значение»",
  list: "список",
  value: "одно значение",
};

const WANTED = {
  mapping: "нужен набор «ключ: значение»",
  list: "нужен список",
  text: "нужно одно значение",
} as const;

const SLIPS: Readonly<Record<YamlSlip, string>> = {
  tab_indent: "отступ сделан табуляцией, а нужны пробелы",
  not_closed: "скобка не закрыта",
  uneven_indent: "отступ этой строки не такой, как у соседних",
  key_beside_value:
    "у этого значения не может быть ключа рядом: либо отступ следующей строки лишний, либо в этой строке второе «: »",
  key_expected: "нужен ключ, за ним двоеточие и пробел: «ключ: значение»",
  sign_missing: "не хватает знака: кавычки, запятой, двоеточия или пробела",
  bad_start: "с этого знака значение начинаться не может: возьмите его в кавычки",
  bad_anchor: "так записать ссылку & или * нельзя",
  bad_escape: "такого сочетания с \\ не бывает",
  unexpected: "здесь лишний знак",
  other: "так записать нельзя",
};

/** What comes before `, а не «…»`. */
const VALUES: Readonly<Record<ExpectedValue, string>> = {
  roubles: "нужна сумма в рублях, например 150 или 4.5",
  factor:
    "нужно положительное десятичное число, например 2 или 0.75, не больше девяти цифр до точки и девяти после",
  count_factor: "нужно десятичное число от 0.2 до 10",
  quantity: "нужен параметр или положительное число",
  number: "нужно число",
  json_value: "нужен текст, число, true или false",
  unit: "нужно слово для одной единицы, например second или image",
  date: "нужна дата, например 2026-01-31 или 2026-01-31T12:00:00Z",
  day: "нужен день, например 2026-01-01",
  family_word: "нужно слово строчными буквами, например claude",
  address: "нужен адрес http или https",
  host: "нужен хост или хост:порт, например 127.0.0.1:8090",
  path: "нужен путь, который начинается с / или {+path}, например /v1/tasks/{id}",
  table_path: "нужен путь, например /v1/videos/image2video",
  pointer: "нужен указатель JSON, например /data/taskId",
  pointer_key: "ключи здесь — указатели JSON, например /output_format",
  status: "нужен статус HTTP, например 409",
  image_type: "нужен тип содержимого image/…",
  video_type: "нужен тип содержимого video/…",
  audio_type: "нужен тип содержимого audio/…",
};

const MEMBERS: Readonly<Record<ExpectedMember, string>> = {
  upstream: "нужен хотя бы один поставщик",
  model: "нужна хотя бы одна модель",
  route: "нужен хотя бы один маршрут: без маршрута модель никто не обслужит",
  receipt: "нужна хотя бы одна запись; если магазин не выдаёт чеков, уберите payments",
  credential: "нужно имя хотя бы одной переменной окружения",
  value: "нужно хотя бы одно значение",
  parameter_value: "нужен хотя бы один параметр со значением",
  amount: "нужно хотя бы одно значение с суммой",
  exclusive: "нужны хотя бы два параметра, из которых можно дать только один",
};

const NAMEABLE: Readonly<Record<Nameable, (name: string) => string>> = {
  upstream: (name) => `поставщика «${name}» нет`,
  model: (name) => `модели «${name}» нет`,
  parameter: (name) => `у модели нет параметра «${name}»`,
  table: (name) => `таблицы параметров «${name}» нет`,
  table_parameter: (name) => `в таблице нет параметра «${name}»`,
  place: (name) => `подстановки «{${name}}» здесь нет`,
  kept_url: (name) => `в submit нет адреса «${name}»`,
};

const BAD_NAMES = {
  upstream:
    "не годится в имена поставщиков: можно латинские буквы, цифры и . _ -, не больше 64 знаков",
  model:
    "не годится в имена моделей: можно латинские буквы, цифры и . _ : / -, не больше 128 знаков, первый и последний — буква или цифра",
  header: "не годится в имена заголовков",
  tool: "не имя инструмента: нужен его тип без даты, например web_search",
} as const;

const count = (number: number): string => formatCount(number, "ru");

function meant({ near, known, more }: Meant): string {
  if (near !== null) return `возможно, «${near}»`;
  if (known.length === 0) return "здесь нет ни одного имени";
  return `есть: ${known.join(", ")}${more ? ", …" : ""}`;
}

function cacheWrites({
  kinds,
  upstream,
}: {
  readonly kinds: readonly string[];
  readonly upstream: string;
}): string {
  return `нужны цены ${kinds.join(" и ")}: поставщик «${upstream}» пишет в кэш, когда об этом просят`;
}

export const CATALOGUE_SENTENCES_RU: CatalogueSentences = {
  source_too_long: ({ max }) =>
    `текст длиннее ${count(max)} ${plural("ru", max, { one: "символа", other: "символов" })}`,
  zero_bytes: () => "это не текст: в файле нулевые байты",
  not_yaml: ({ column, slip, bracket }) =>
    `это не YAML, знак ${column}: ${SLIPS[slip]}${bracket === null ? "" : ` (${bracket})`}`,
  wrong_kind: ({ wanted, got }) => `${WANTED[wanted]}, а здесь ${KINDS[got]}`,
  empty_key: () => "ключ должен быть непустым текстом",
  key_twice: ({ key }) => `«${key}» стоит здесь второй раз`,
  unknown_key: ({ key, ...names }) => `ключ «${key}» неизвестен; ${meant(names)}`,
  missing: () => "обязательно, но не указано",
  type_missing: () => "нужен type: chat или task",
  none_given: ({ what }) => MEMBERS[what],
  no_endpoint: ({ known }) =>
    `нужен хотя бы один вид запросов; ${meant({ near: null, known, more: false })}`,
  too_deep: ({ what, max }) =>
    what === "values"
      ? `вложенность значений здесь не глубже ${max}`
      : `вложенность таблиц не глубже ${max}`,

  expected: ({ what, got }) => `${VALUES[what]}, а не «${got}»`,
  not_whole_number: ({ min, max, got }) =>
    `нужно целое число от ${count(min)} до ${count(max)}, а не «${got}»`,
  unknown_word: ({ got, ...names }) => `значение «${got}» неизвестно; ${meant(names)}`,
  unknown_name: ({ what, name, ...names }) => `${NAMEABLE[what](name)}; ${meant(names)}`,
  bad_name: ({ what, name }) => `«${name}» ${BAD_NAMES[what]}`,
  name_too_long: ({ max }) => `не длиннее ${characters(String(max))}`,
  upstream_model_length: ({ max }) =>
    `нужно имя модели у поставщика, от 1 до ${characters(String(max))}`,
  least_above_most: ({ min, max }) => `${min} больше, чем ${max}`,
  not_a_range: () => "нужны наименьшее и наибольшее, например [2, 15]",

  reference_outside_upstreams: () =>
    "${…} подставляется только в upstreams; напишите здесь само значение",
  bad_reference: ({ reference }) =>
    `«${reference}» — не ссылка на переменную окружения; она пишется так: \${NAME}`,
  variable_not_set: ({ variable }) => `переменная окружения ${variable} не задана`,
  not_a_variable_name: () =>
    "нужно имя переменной окружения, например EXAMPLE_API_KEY; сам ключ в каталоге не пишут",
  variable_twice: ({ variable }) => `переменная ${variable} названа дважды`,
  credential_not_set: ({ variable }) =>
    `переменная окружения ${variable} не задана; без неё поставщика не вызвать`,
  own_secret: ({ variable }) => `${variable} — секрет самого шлюза, поставщикам его не отправляют`,

  address_with_password: () =>
    "нужен адрес без имени и пароля; ключи берутся из переменных, названных в apiKeyEnv",
  address_with_fragment: () => "нужен адрес без #фрагмента",
  serves_no_chat: ({ protocol }) =>
    `по протоколу ${protocol} чата нет, а reportedCost — это usage.cost в ответах чата`,
  submit_rate_without_tasks: ({ protocol }) =>
    `по протоколу ${protocol} задач нет, а submitRate считает только новые задачи`,
  max_running_without_tasks: ({ protocol }) =>
    `по протоколу ${protocol} задач нет; его вызовы ограничивает maxConcurrent`,
  described_by_protocol: ({ protocol }) =>
    `протокол ${protocol} уже говорит, как вызывать API; описание нужно только протоколу http-task`,

  output_above_context: ({ output, context }) =>
    `${count(output)} больше, чем contextTokens (${count(context)}), а ответ тоже помещается в них`,
  endpoint_twice: ({ endpoint }) => `${endpoint} указан дважды`,
  family_match_taken: ({ match }) => `по слову «${match}» уже выбирается другая ступень`,
  listed_for_another: ({ id, model, picked }) =>
    `«${id}» показывается как «${model}», но ${picked === null ? "к семейству не относится" : `по нему выбирается «${picked}»`}`,
  serves_no_messages: ({ model }) =>
    `имена семейств вызывают через messages, а модель «${model}» его не обслуживает`,
  listed_as_model: ({ id }) => `«${id}» — это отдельная модель`,
  receipts_same_day: () => "с этого дня уже действует другая запись",

  second_route: ({ model, upstream }) =>
    `второй маршрут к «${model}» поставщика «${upstream}»; лучше дайте одному маршруту больший вес`,
  wrong_protocol: ({ upstream, protocol, needed }) =>
    `поставщик «${upstream}» работает по протоколу ${protocol}, а такой модели нужен ${needed.join(" или ")}`,
  concurrent_above_upstream: ({ got, upstream, max }) =>
    `${count(got)} больше, чем maxConcurrent поставщика «${upstream}» (${count(max)}), общий для всех его маршрутов`,
  no_cost: () => "это часть cost, а его здесь нет",
  flag_limit: ({ parameter }) =>
    `«${parameter}» бывает только true или false: ограничить его можно лишь в exclusive и needs`,

  negative_price: ({ got }) => `цена не бывает отрицательной, а здесь «${got}»`,
  price_too_high: ({ got, max }) => `${got} ₽ больше ${count(Number(max))} ₽: похоже на описку`,
  price_too_fine: ({ got }) =>
    `в «${got}» больше девяти цифр после точки; наименьшая цена — миллиардная доля рубля`,
  second_tier: ({ tokens }) =>
    `вторая ступень для промпта ${longerThanTokens(tokens, count(tokens))}`,
  price_incomplete: ({ kinds }) => `цена неполная: в основной есть ещё ${kinds.join(", ")}`,
  price_without_base: ({ kinds }) => `в основной цене нет ${kinds.join(", ")}: укажите и там`,
  cache_writes_missing: cacheWrites,
  cache_writes_at_input: (params) =>
    `${cacheWrites(params)}; пока их нет, запись в кэш стоит как вход`,
  price_form: ({ forms, given }) =>
    `в цене этого типа указывают ${forms.join(", или ")} и больше ничего${given.length === 0 ? "" : `; здесь указано ${given.join(", ")}`}`,
  parameter_twice: ({ parameter }) => `${parameter} указан дважды`,
  table_depth: ({ by }) =>
    `параметров в таблице: ${by}; здесь нужна ${by === 1 ? "одна сумма в рублях" : "сумма для каждого значения второго параметра"}`,
  tool_without_price: () => "нужна цена perCall или perRequest",
  multiply_or_price: () => "нужен либо multiply, либо своя цена price, но не оба сразу",
  tiers_beside_multiply: () =>
    "tiers бывают только у своей цены; multiply и так действует в каждой ступени основной",
  tiers_missing: () =>
    "цена неполная: у основной есть ступени, значит, и своей цене нужны tiers; [] — если их нет",
  not_a_quantity: ({ parameter }) => `«${parameter}» — не число, умножать не на что`,
  quantity_left_out: ({ parameter }) =>
    `«${parameter}» в запросе может не быть, и тогда у него не будет цены`,
  no_list_of_values: ({ parameter }) =>
    `у «${parameter}» нет списка значений, поэтому выбрать по нему сумму нельзя`,
  never_value: ({ parameter, value, ...names }) =>
    `у «${parameter}» не бывает значения «${value}»; ${meant(names)}`,

  place_hidden: () => "здесь есть неизвестная подстановка",
  brace_alone: ({ got }) =>
    `подстановка пишется «{name}» или «{+name}»; в «${got}» скобка без пары`,
  header_not_ascii: () => "значение заголовка пишется знаками ASCII",
  own_header: ({ header }) => `заголовок ${header} ставит сам вызов`,
  header_or_query: () => "нужен либо header (с prefix, если он есть), либо query",
  codes_without_place: () => "для codes нужно место, где искать код: добавьте рядом code: [/code]",
  path_or_url: () => "нужен path или url — один из тех, что вернула отправка задачи",
  path_without_id: () => "нет подстановки {id}, поэтому спросить об одной задаче нельзя",
  path_without_attempt: () => "нет подстановки {attempt}, а искать задачу в списке негде",
  path_without_tables: () =>
    "{path} берётся из таблицы параметров, а таблиц нет; добавьте tables: { T3: { path: … } }",
  table_without_path: () => "нет path, который подставляется в вызовах вместо {path}",
  no_success_state: () =>
    "ни одно состояние не означает succeeded: задача никогда не завершится успехом",
  at_without_item: () => "это место внутри item, а item нет",
  given_or_above: () => "нужно значение, { given: true } или { above: 12 }",
  schedule_reversed: ({ min, max }) => `minMs (${count(min)}) больше, чем maxMs (${count(max)})`,
};
