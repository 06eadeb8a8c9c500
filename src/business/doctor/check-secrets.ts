/** Secrets: whether they can be guessed, and whether others on this machine can read them. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { credentialNames } from "../../catalogue/catalogue.ts";
import { orMissing } from "../../storage/disk.ts";
import { usedUpstreams } from "./check-upstreams.ts";
import type { Check, Installation, Scene } from "./doctor-deps.ts";
import { fault, fine, warning, type Remark } from "./finding.ts";
import { slipOf, weaknessOf } from "./secret-strength.ts";

/** Read or write for the group or for everybody. */
const OTHERS = 0o066;
const SHORTEST_PASSWORD = 12;
const SHORT = { en: "is short", ru: "короток" };

export const checkSecrets: Check = {
  name: "secrets",
  async run(scene) {
    const { installation, envFile } = scene;
    const remarks = [
      ...sessionRemarks(installation),
      ...databaseRemarks(installation),
      ...paymentRemarks(installation),
      ...credentialRemarks(scene),
    ];
    for (const path of [envFile, join(installation.dataDir, "session-secret")]) {
      const file = await orMissing(stat(path));
      if (file !== null && (file.mode & OTHERS) !== 0)
        remarks.push(
          warning(
            {
              en: `${path} may be read or written by other users of this machine`,
              ru: `${path} могут читать или менять другие пользователи этой машины`,
            },
            {
              en: "A user who reads it can log in as any member, or spend your money at the providers.",
              ru: "Прочитавший его войдёт от чужого имени или потратит ваши деньги у поставщиков.",
            },
            { en: `chmod 600 ${path}`, ru: `chmod 600 ${path}` },
          ),
        );
    }
    return remarks.length > 0
      ? remarks
      : [fine({ en: "no secret shows a weakness", ru: "ни один секрет не выглядит слабым" })];
  },
};

function sessionRemarks({ sessionSecret, production }: Installation): Remark[] {
  const weakness = sessionSecret === null ? null : weaknessOf(sessionSecret);
  if (weakness === null) return [];
  const found = {
    en: `SESSION_SECRET ${weakness.en}`,
    ru: `SESSION_SECRET ${weakness.ru}`,
  };
  const means = {
    en: "Who guesses it can open what is sealed in the database, and sign for the panel.",
    ru: "Угадавший откроет запечатанное в базе и подделает подписи панели.",
  };
  const next = {
    en: "Make another: openssl rand -hex 32. Members log in again; webhook secrets and mail that waits have to be made anew.",
    ru: "Сделайте другой: openssl rand -hex 32. Людям придётся войти заново; секреты вебхуков и ждущие письма нужно будет создать снова.",
  };
  return [production ? fault(found, means, next) : warning(found, means, next)];
}

function databaseRemarks({ databaseUrl }: Installation): Remark[] {
  const url = databaseUrl === null ? null : URL.parse(databaseUrl);
  if (url === null || url.password === "") return [];
  const password = decoded(url.password);
  const short = password.length < SHORTEST_PASSWORD ? SHORT : null;
  const weakness = short ?? weaknessOf(password);
  if (weakness === null) return [];
  return [
    warning(
      {
        en: `the password in DATABASE_URL ${weakness.en}`,
        ru: `пароль в DATABASE_URL ${weakness.ru}`,
      },
      {
        en: "Who guesses it has all accounts and all money of the books.",
        ru: "У угадавшего — все аккаунты и все деньги книг.",
      },
      {
        en: "Make another (openssl rand -hex 24): ALTER ROLE … PASSWORD, then DATABASE_URL in .env and a restart.",
        ru: "Сделайте другой (openssl rand -hex 24): ALTER ROLE … PASSWORD, затем DATABASE_URL в .env и перезапуск.",
      },
    ),
  ];
}

function paymentRemarks({ payments, production }: Installation): Remark[] {
  if (payments === null) return [];
  const slip = slipOf(payments.secretKey);
  if (slip !== null)
    return [
      fault(
        { en: `PAYMENTS_SECRET_KEY ${slip.en}`, ru: `PAYMENTS_SECRET_KEY ${slip.ru}` },
        {
          en: "The provider refuses it, and no customer can top up.",
          ru: "Сервис его не примет, и ни один клиент не пополнит баланс.",
        },
        {
          en: "Copy the secret key from the shop's cabinet once more.",
          ru: "Скопируйте секретный ключ из личного кабинета магазина ещё раз.",
        },
      ),
    ];
  if (!production || !payments.secretKey.startsWith("test_")) return [];
  return [
    warning(
      {
        en: "PAYMENTS_SECRET_KEY is of a test shop",
        ru: "PAYMENTS_SECRET_KEY — от тестового магазина",
      },
      {
        en: "Customers top up with play money, and spend yours.",
        ru: "Клиенты пополняют баланс игрушечными деньгами, а тратят ваши.",
      },
      {
        en: "Take the shop's id and its secret key of the real shop.",
        ru: "Возьмите номер и секретный ключ настоящего магазина.",
      },
    ),
  ];
}

function credentialRemarks({ catalogue, env }: Pick<Scene, "catalogue" | "env">): Remark[] {
  const used = catalogue === null ? [] : usedUpstreams(catalogue);
  const variables = new Set(used.flatMap(credentialNames));
  return [...variables].flatMap((variable) => {
    const slip = slipOf(env[variable] ?? "");
    return slip === null
      ? []
      : [
          warning(
            {
              en: `the credential ${variable} ${slip.en}`,
              ru: `ключ ${variable} ${slip.ru}`,
            },
            { en: "Its provider refuses it.", ru: "Поставщик его не примет." },
            {
              en: "Copy it from the provider's pages once more, without quotes or spaces around it.",
              ru: "Скопируйте его со страниц поставщика ещё раз, без кавычек и пробелов вокруг.",
            },
          ),
        ];
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
