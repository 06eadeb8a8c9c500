/** What mails to members say, in Russian and English. */
import type { Language } from "../../contract/enums/language.ts";
import { quotedName } from "../../contract/quoted-name.ts";

/** Paragraphs; where there is a link, it stands behind them on a line of its own. */
export interface MailText {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** What its button says; null: there is no link. */
  readonly button: string | null;
  /** In small letters at the end. */
  readonly footnote: string | null;
}

export type MailMessage =
  /** Confirm your e-mail. */
  | { readonly kind: "verify"; readonly token: string }
  /** A visitor signed up, or asked to confirm, with an e-mail that has its account already. */
  | { readonly kind: "known" }
  | { readonly kind: "reset"; readonly token: string }
  /** A visitor asked for a new password for an e-mail that no member has. */
  | { readonly kind: "unknown" }
  | {
      readonly kind: "invite";
      readonly token: string;
      readonly accountName: string;
      readonly inviter: string;
    }
  /** Invited, but a member of another account already. */
  | { readonly kind: "invite-known"; readonly accountName: string; readonly inviter: string }
  /** `at`: as it is to be read, in the member's time zone. */
  | {
      readonly kind: "new-device";
      readonly address: string;
      readonly userAgent: string;
      readonly at: string;
    }
  | { readonly kind: "password-changed" }
  | { readonly kind: "totp-changed"; readonly on: boolean }
  | { readonly kind: "passkey-changed"; readonly added: boolean; readonly name: string }
  /** A log-in was refused: its signatures are counted backwards. */
  | { readonly kind: "passkey-copied"; readonly name: string; readonly address: string };

type Texts = {
  readonly [Kind in MailMessage["kind"]]: (
    message: Extract<MailMessage, { kind: Kind }>,
    /** What the installation is called. */
    service: string,
  ) => MailText;
};

const RU: Texts = {
  verify: (_, service) => ({
    subject: "Подтвердите почту",
    paragraphs: [`Чтобы войти в сервис ${service}, подтвердите, что этот адрес — ваш.`],
    button: "Подтвердить почту",
    footnote: "Ссылка действует сутки. Если вы не регистрировались, просто не открывайте её.",
  }),
  known: (_, service) => ({
    subject: "У вас уже есть аккаунт",
    paragraphs: [
      `Кто-то указал этот адрес при регистрации в сервисе ${service}, но аккаунт с ним уже есть.`,
      "Войдите с вашим паролем. Если вы его не помните, на странице входа можно задать новый.",
    ],
    button: "Войти",
    footnote: "Если это были не вы, ничего делать не нужно.",
  }),
  reset: () => ({
    subject: "Новый пароль",
    paragraphs: [
      "Кто-то попросил задать новый пароль для этого адреса. Если это вы, откройте ссылку.",
    ],
    button: "Задать новый пароль",
    footnote:
      "Ссылка действует час. Если вы об этом не просили, ничего делать не нужно: пароль остаётся прежним.",
  }),
  unknown: (_, service) => ({
    subject: "Аккаунта с этим адресом нет",
    paragraphs: [
      `Кто-то попросил новый пароль для этого адреса, но аккаунта сервиса ${service} с ним нет.`,
      "Возможно, вы регистрировались с другим адресом.",
    ],
    button: `Открыть ${service}`,
    footnote: "Если это были не вы, ничего делать не нужно.",
  }),
  invite: ({ accountName, inviter }, service) => ({
    subject: `Приглашение: ${accountName}`,
    paragraphs: [
      `${inviter} приглашает вас в аккаунт ${quotedName("ru", accountName)} в сервисе ${service}.`,
    ],
    button: "Принять приглашение",
    footnote: "Ссылка действует неделю. Если вы не знаете, о чём речь, просто не открывайте её.",
  }),
  "invite-known": ({ accountName, inviter }, service) => ({
    subject: `Приглашение: ${accountName}`,
    paragraphs: [
      `${inviter} приглашает вас в аккаунт ${quotedName("ru", accountName)} в сервисе ${service}.`,
      "С этим адресом у вас уже есть другой аккаунт, а один адрес может быть только в одном. Попросите пригласить вас на другой адрес.",
    ],
    button: null,
    footnote: null,
  }),
  "new-device": ({ address, userAgent, at }, service) => ({
    subject: "Вход с нового устройства",
    paragraphs: [
      `В ваш аккаунт сервиса ${service} вошли с устройства, которого мы раньше не видели.`,
      `Время: ${at}`,
      `Адрес: ${address}`,
      `Браузер: ${userAgent}`,
    ],
    button: "Проверить сессии",
    footnote: "Если это были не вы, завершите эту сессию и смените пароль.",
  }),
  "password-changed": (_, service) => ({
    subject: "Пароль изменён",
    paragraphs: [`Пароль вашего аккаунта сервиса ${service} изменён, остальные сессии завершены.`],
    button: null,
    footnote: "Если это были не вы, сразу задайте новый пароль на странице входа.",
  }),
  "totp-changed": ({ on }, service) => ({
    subject: on ? "Второй фактор включён" : "Второй фактор выключен",
    paragraphs: [
      on
        ? `Теперь при входе в сервис ${service} нужен код из приложения.`
        : `Теперь для входа в сервис ${service} достаточно пароля.`,
    ],
    button: null,
    footnote: "Если это были не вы, сразу смените пароль.",
  }),
  "passkey-changed": ({ added, name }, service) => ({
    subject: added ? "Добавлен ключ доступа" : "Ключ доступа удалён",
    paragraphs: [
      added
        ? `Теперь в сервис ${service} можно войти с ключом доступа ${quotedName("ru", name)}, без пароля и кода.`
        : `Войти в сервис ${service} с ключом доступа ${quotedName("ru", name)} больше нельзя.`,
    ],
    button: "Проверить ключи доступа",
    footnote: "Если это были не вы, сразу смените пароль и удалите чужие ключи доступа.",
  }),
  "passkey-copied": ({ name, address }, service) => ({
    subject: "Вход с ключом доступа не разрешён",
    paragraphs: [
      `В сервис ${service} пытались войти с вашим ключом доступа ${quotedName("ru", name)}, но его счётчик подписей пошёл назад. Так бывает, когда ключ скопировали.`,
      `Адрес: ${address}`,
      "Мы не пустили. Удалите этот ключ доступа и добавьте новый.",
    ],
    button: "Проверить ключи доступа",
    footnote: null,
  }),
};

const EN: Texts = {
  verify: (_, service) => ({
    subject: "Confirm your e-mail",
    paragraphs: [`To log in to ${service}, confirm that this address is yours.`],
    button: "Confirm e-mail",
    footnote: "The link works for a day. If you did not sign up, just do not open it.",
  }),
  known: (_, service) => ({
    subject: "You have an account already",
    paragraphs: [
      `Somebody gave this address to sign up to ${service}, but it has an account already.`,
      "Log in with your password. If you do not remember it, set a new one from the log-in page.",
    ],
    button: "Log in",
    footnote: "If it was not you, there is nothing to do.",
  }),
  reset: () => ({
    subject: "A new password",
    paragraphs: [
      "Somebody asked to set a new password for this address. If it was you, open the link.",
    ],
    button: "Set a new password",
    footnote:
      "The link works for an hour. If you did not ask for it, there is nothing to do: your password stays as it is.",
  }),
  unknown: (_, service) => ({
    subject: "There is no account for this address",
    paragraphs: [
      `Somebody asked for a new password for this address, but there is no ${service} account for it.`,
      "Maybe you signed up with another address.",
    ],
    button: `Open ${service}`,
    footnote: "If it was not you, there is nothing to do.",
  }),
  invite: ({ accountName, inviter }, service) => ({
    subject: `Invitation: ${accountName}`,
    paragraphs: [`${inviter} invites you to the account "${accountName}" in ${service}.`],
    button: "Accept the invitation",
    footnote:
      "The link works for a week. If you do not know what this is about, just do not open it.",
  }),
  "invite-known": ({ accountName, inviter }, service) => ({
    subject: `Invitation: ${accountName}`,
    paragraphs: [
      `${inviter} invites you to the account "${accountName}" in ${service}.`,
      "This address has another account already, and an address can be in one only. Ask to be invited by another address.",
    ],
    button: null,
    footnote: null,
  }),
  "new-device": ({ address, userAgent, at }, service) => ({
    subject: "Log-in from a new device",
    paragraphs: [
      `Somebody logged in to your ${service} account from a device that we had not seen before.`,
      `Time: ${at}`,
      `Address: ${address}`,
      `Browser: ${userAgent}`,
    ],
    button: "Look at the sessions",
    footnote: "If it was not you, end that session and change your password.",
  }),
  "password-changed": (_, service) => ({
    subject: "Your password was changed",
    paragraphs: [
      `The password of your ${service} account was changed, and the other sessions were ended.`,
    ],
    button: null,
    footnote: "If it was not you, set a new one from the log-in page at once.",
  }),
  "totp-changed": ({ on }, service) => ({
    subject: on ? "The second factor is on" : "The second factor is off",
    paragraphs: [
      on
        ? `A code of your app is needed to log in to ${service} from now on.`
        : `The password alone is enough to log in to ${service} from now on.`,
    ],
    button: null,
    footnote: "If it was not you, change your password at once.",
  }),
  "passkey-changed": ({ added, name }, service) => ({
    subject: added ? "A passkey was added" : "A passkey was removed",
    paragraphs: [
      added
        ? `The passkey "${name}" logs in to ${service} from now on, without password and code.`
        : `The passkey "${name}" does not log in to ${service} any more.`,
    ],
    button: "Look at the passkeys",
    footnote:
      "If it was not you, change your password at once and remove passkeys that are not yours.",
  }),
  "passkey-copied": ({ name, address }, service) => ({
    subject: "A log-in by passkey was refused",
    paragraphs: [
      `Somebody tried to log in to ${service} by your passkey "${name}", but its count of signatures went backwards. That happens when a passkey was copied.`,
      `Address: ${address}`,
      "It was not let in. Remove this passkey and add a new one.",
    ],
    button: "Look at the passkeys",
    footnote: null,
  }),
};

export function mailText(language: Language, message: MailMessage, service: string): MailText {
  const texts = language === "ru" ? RU : EN;
  // Each text takes the message of its own kind, which the compiler cannot follow through the
  // table.
  return (texts[message.kind] as (message: MailMessage, service: string) => MailText)(
    message,
    service,
  );
}
