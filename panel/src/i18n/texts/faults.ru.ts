/** What went wrong and what to do about it, in Russian, by the code of the API's fault. */

export const faultsRu = {
  /** By `code`; what is not here shows the API's own sentence. */
  byCode: {
    network: "Сервер не отвечает. Проверьте соединение и попробуйте снова.",
    invalid_request: "Проверьте поля: что-то заполнено не так.",
    session_required: "Сессия закончилась. Войдите ещё раз и повторите.",
    wrong_credentials: "Почта или пароль не подходят.",
    email_unverified: "Сначала подтвердите почту: откройте ссылку из нашего письма.",
    gone: "Эта ссылка уже не действует. Запросите новую.",
    key_limit_exceeded: "Лимит трат этого ключа исчерпан.",
    model_not_found: "Такой модели нет.",
    storage_quota_exceeded: "Место для файлов закончилось. Удалите ненужные.",
    request_too_large: "Слишком большой файл или запрос.",
    unsupported_media_type: "Файлы этого вида не принимаются.",
    login_unfinished: "Вход не завершён. Войдите ещё раз.",
    origin_refused: "Браузер прислал запрос с чужого адреса. Откройте панель по её основному адресу.",
    permission_denied: "Вашей роли в этом аккаунте для этого недостаточно. Попросите владельца.",
    not_found: "Такого здесь нет: возможно, это удалили или ссылка неполная.",
    conflict: "Кто-то изменил это раньше вас. Обновите страницу и повторите.",
    rate_limit_exceeded: "Слишком много попыток подряд. Подождите немного.",
    insufficient_balance: "На балансе не хватает денег. Пополните его.",
    internal_error: "У нас что-то сломалось. Мы уже записали это; попробуйте ещё раз.",
    overloaded: "Сервер сейчас перегружен. Попробуйте через минуту.",
  } as Readonly<Record<string, string>>,
  /** Of one field, by the code of its mistake. */
  byMistake: {
    required: "Заполните это поле.",
    minLength: "Слишком коротко.",
    maxLength: "Слишком длинно.",
    format: "Не похоже на правильное значение.",
    pattern: "Не похоже на правильное значение.",
    minimum: "Слишком мало.",
    maximum: "Слишком много.",
    enum: "Выберите одно из значений.",
    type: "Не то, что ожидается в этом поле.",
  } as Readonly<Record<string, string>>,
  title: "Не получилось",
  requestId: "Номер запроса для поддержки:",
  retryIn: (seconds: number) => `Повторить можно через ${seconds} с.`,
  notFoundTitle: "Такой страницы нет",
  notFoundText: "Проверьте адрес или вернитесь на обзор.",
  brokenTitle: "Страница сломалась",
  brokenText: "Обновите её. Если не поможет, напишите нам, что вы делали.",
};

export type FaultsTexts = typeof faultsRu;
