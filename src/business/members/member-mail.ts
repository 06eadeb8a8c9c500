/**
 * Mail to members: what is to be said becomes a subject, a text and a page, and waits in the outbox
 * with its cause.
 */
import type { Language } from "../../contract/enums/language.ts";
import type { Queryable } from "../../db/database.ts";
import type { Seal } from "../../kernel/seal.ts";
import { escapeHtml } from "../../kernel/escape-html.ts";
import { enqueueMail } from "../mail/outbox.store.ts";
import { readSettings } from "../settings/read-settings.ts";
import type { Settings } from "../../contract/panel/operator-settings.ts";
import { mailText, type MailMessage, type MailText } from "./mail-texts.ts";

export type MemberMail = (
  tx: Queryable,
  to: { readonly email: string; readonly language: Language },
  message: MailMessage,
) => Promise<void>;

/** `baseUrl`: where people reach the panel, without a slash at its end. */
export function createMemberMail(deps: { readonly seal: Seal; baseUrl(): string }): MemberMail {
  return async (tx, to, message) => {
    const { brand } = await readSettings(tx);
    const text = withSupport(mailText(to.language, message, brand.name), to.language, brand);
    const link = text.button === null ? null : `${deps.baseUrl()}${pathOf(message)}`;
    const content = {
      subject: text.subject,
      text: plain(text, link),
      html: page(text, link, to.language),
    };
    await enqueueMail(tx, deps.seal, { to: to.email, kind: message.kind, ...content });
  };
}

/** Whom to ask, where the operator says so. */
function withSupport(text: MailText, language: Language, { support }: Settings["brand"]): MailText {
  if (support === null) return text;
  const line = `${language === "ru" ? "Поддержка" : "Support"}: ${support}`;
  return { ...text, footnote: text.footnote === null ? line : `${text.footnote} ${line}` };
}

/**
 * Tokens stand behind the `#`: browsers keep that to themselves, so no log and no referrer has
 * them.
 */
function pathOf(message: MailMessage): string {
  switch (message.kind) {
    case "verify":
    case "reset":
    case "invite":
      return `/panel/${message.kind}#token=${message.token}`;
    case "passkey-changed":
    case "passkey-copied":
      return "/panel/settings/security";
    case "new-device":
      return "/panel/settings";
    default:
      return "/panel/";
  }
}

function plain({ paragraphs, footnote }: MailText, link: string | null): string {
  const parts = [
    ...paragraphs,
    ...(link === null ? [] : [link]),
    ...(footnote === null ? [] : [footnote]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function page(
  { subject, paragraphs, button, footnote }: MailText,
  link: string | null,
  language: Language,
): string {
  const parts = [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(link === null
      ? []
      : [`<p><a href="${escapeHtml(link)}">${escapeHtml(button ?? link)}</a></p>`]),
    ...(footnote === null ? [] : [`<p><small>${escapeHtml(footnote)}</small></p>`]),
  ];
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body>${parts.join("")}</body></html>`;
}
