/** Mail: whether the server takes our log-in, who the sender is, and whether mail waits. */
import { countLateMail } from "../mail/outbox.store.ts";
import type { Check, Installation, Scene } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";

const ANSWER_MS = 6_000;
/** `Name <box@host.tld>` or the address alone. */
const SENDER = /(?:^|<)[^\s<>@]+@([^\s<>@]+\.[^\s<>@]+)>?\s*$/;

export const checkMail: Check = {
  name: "mail",
  async run(scene) {
    const { installation, db } = scene;
    const remarks = [await remarkOnServer(scene), ...remarksOnSender(installation)];
    const late = db === null ? 0 : await countLateMail(db);
    if (late > 0)
      remarks.push(
        warning(
          {
            en: `${late} mails have waited for more than ten minutes`,
            ru: `писем, которые ждут дольше десяти минут: ${late}`,
          },
          {
            en: "Members do not get their links and codes.",
            ru: "Люди не получают своих ссылок и кодов.",
          },
          {
            en: 'Lines of the log with "a mail" say what the server answered; does a process with the role worker run?',
            ru: "Что ответил сервер — в строках лога со словами «a mail»; работает ли процесс с ролью worker?",
          },
        ),
      );
    return remarks;
  },
};

async function remarkOnServer({
  installation: { smtpUrl, production },
  checkMailServer,
}: Scene): Promise<Remark> {
  if (smtpUrl === null) {
    const found = {
      en: "SMTP_URL is not set: mail goes into files in DATA_DIR/mail",
      ru: "SMTP_URL не задан: письма складываются в файлы в DATA_DIR/mail",
    };
    const means = {
      en: "No member gets a link to confirm an address or to make a new password.",
      ru: "Никто не получит ссылку, чтобы подтвердить адрес или задать новый пароль.",
    };
    const next = {
      en: "Set SMTP_URL=smtps://USER:PASSWORD@HOST and MAIL_FROM.",
      ru: "Задайте SMTP_URL=smtps://USER:PASSWORD@HOST и MAIL_FROM.",
    };
    return production ? warning(found, means, next) : note(found, means, next);
  }
  const { protocol, host } = new URL(smtpUrl);
  const answer = await checkMailServer(smtpUrl, ANSWER_MS);
  if (answer.kind === "accepts")
    return fine({
      en: `${protocol}//${host} takes our log-in`,
      ru: `${protocol}//${host} нас впускает`,
    });
  return fault(
    {
      en: `${protocol}//${host} does not take mail from us: ${answer.reason}`,
      ru: `${protocol}//${host} не принимает от нас почту: ${answer.reason}`,
    },
    {
      en: "No mail leaves: links, codes and alerts wait.",
      ru: "Письма не уходят: ждут ссылки, коды и оповещения.",
    },
    {
      en: "Is the host right, the port open from here (465 with smtps, 587 with smtp), user name and password percent-encoded?",
      ru: "Верен ли хост, открыт ли отсюда порт (465 для smtps, 587 для smtp), записаны ли имя и пароль в процентной кодировке?",
    },
  );
}

function remarksOnSender({ smtpUrl, mailFrom, baseUrl }: Installation): Remark[] {
  if (smtpUrl === null) return [];
  const next = {
    en: "Set MAIL_FROM=NAME <ADDRESS>, of a domain whose SPF and DKIM allow that server.",
    ru: "Задайте MAIL_FROM=ИМЯ <АДРЕС> домена, чьи SPF и DKIM разрешают этот сервер.",
  };
  if (mailFrom === null) {
    const host = baseUrl === null ? "localhost" : new URL(baseUrl).hostname;
    return [
      warning(
        {
          en: `MAIL_FROM is not set: mail comes from no-reply@${host}`,
          ru: `MAIL_FROM не задан: письма идут от no-reply@${host}`,
        },
        {
          en: "Servers that ask that domain may refuse it, or take it for spam.",
          ru: "Серверы, которые спросят этот домен, могут их не принять или счесть спамом.",
        },
        next,
      ),
    ];
  }
  if (SENDER.test(mailFrom))
    return [fine({ en: `mail comes from ${mailFrom}`, ru: `письма идут от ${mailFrom}` })];
  return [
    fault(
      { en: "MAIL_FROM has no address of a domain", ru: "в MAIL_FROM нет адреса с доменом" },
      {
        en: "Mail servers refuse such a sender.",
        ru: "Почтовые серверы такого отправителя не примут.",
      },
      next,
    ),
  ];
}
