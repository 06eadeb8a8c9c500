/** Why a task was not submitted, not finished or has no files, in Russian: by the code. */
import type { SentencesOf } from "../../../src/contract/operator/upstream-reason.ts";
import type { TaskReasons } from "../../../src/contract/operator/task-reason.ts";

const after = (words: string): string => (words === "" ? "" : `: ${words}`);

const KINDS: Readonly<Record<string, string>> = {
  image: "картинка",
  video: "видео",
  audio: "звук",
  "video or image": "видео или картинка",
};
const kindOf = (kind: string): string => KINDS[kind] ?? kind;

const OUTCOMES: Readonly<Record<string, string>> = {
  running: "она ещё делается",
  missing: "такой задачи нет",
  busy: "он занят",
  operator: "ему мешает наш аккаунт у него",
  unknown: "непонятно что",
};

export const TASK_REASONS_RU: SentencesOf<TaskReasons> = {
  api_not_described: () => "API поставщика не описан",
  takes_no_tasks: () => "не берёт задачи",
  no_upstream_left: () => "не осталось поставщика, у которого можно спросить",
  upstream_gone: ({ upstream }) => `поставщика ${upstream} для задач больше нет в каталоге`,
  credential_not_set: ({ name }) => `не задан ключ ${name}`,
  credential_unfit: () => "ключ пустой или не годится для заголовка",
  call_without_address: ({ template }) =>
    `не составить адрес обращения: в «${template}» есть место без значения`,
  model_without_place: ({ model, parameter }) =>
    `в модели маршрута «${model}» нет места {${parameter}}, от которого зависит, какая модель работает`,
  model_not_filled: ({ model }) =>
    `в модели маршрута «${model}» есть место, которое не заполняет ни один параметр задачи`,
  constant_without_place: ({ pointer }) => `для постоянной «${pointer}» нет места`,
  body_constant_taken: () => "постоянная тела стоит там, где уже стоят параметры",
  parameter_without_form: ({ parameter, form }) =>
    `параметр «${parameter}» не отправить: к виду «${form}» он не приводится`,
  parameter_without_place: ({ parameter, pointer }) =>
    `параметр «${parameter}» не отправить: в «${pointer}» для него нет места`,
  stopped_unsent: () => "остановлено до отправки",
  stopped: () => "обращение остановили мы",
  answer_too_slow: ({ limitMs }, { count }) => `ответ не пришёл целиком за ${count(limitMs)} мс`,
  status_alone: ({ status }) => `ответ ${status}`,
  status_not_json: ({ status }) => `ответ ${status}: не JSON`,
  success_without_id: ({ status }) => `ответ ${status}: принято, но без номера задачи`,
  no_state: () => "в ответе нет состояния",
  state_not_known: ({ state }) => `неизвестное состояние «${state}»`,
  made_nothing: ({ words }) => `поставщик не сделал: ${words}`,
  success_without_file: ({ words }) => `готово, но файла нет${after(words)}`,
  task_not_known: () => "поставщик не знает этой задачи",
  never_submitted: () => "задачу никому не отправляли",
  no_handle: () => "не записано, под каким номером она у поставщика",
  submitter_ended: () => "процесс, который её отправлял, завершился или завис",
  submission_not_known: () => "неизвестно, взял ли её поставщик",
  end_withdrawn: ({ outcome }) =>
    `задача была готова, а теперь поставщик отвечает: ${OUTCOMES[outcome] ?? outcome}`,
  end_without_file: () => "поставщик закончил её без файла",
  file_not_fetched: ({ words }) => `файл не скачать: ${words}`,
  file_status: ({ status }) => `файл не скачать: ответ ${status}`,
  file_too_slow: () => "файл не пришёл вовремя",
  file_too_large: () => "файл слишком большой",
  file_empty: () => "файл пустой",
  file_begins_otherwise: ({ contentType, wanted }) =>
    `файл начинается как ${contentType}, а нужно: ${kindOf(wanted)}`,
  file_of_another_kind: ({ media, wanted }) =>
    `в файле ${kindOf(media)}, а нужно: ${kindOf(wanted)}`,
  file_not_measured: ({ words }) => `файл не измерить: ${words}`,
  own_fault: ({ words }) => `ошибка у нас: ${words}`,
};
