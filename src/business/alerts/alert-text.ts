/** What a mail or a message of an alert says, in Russian and English. */
import type { Rule } from "./rules.store.ts";
import type { Language } from "../../contract/enums/language.ts";
import { quotedName } from "../../contract/quoted-name.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatAmount } from "./format-amount.ts";

export interface AlertFacts {
  readonly rule: Pick<Rule, "kind" | "factor" | "percent"> & { readonly thresholdNano: Nano };
  /** What was measured; of a test, an example. */
  readonly valueNano: Nano;
  readonly test: boolean;
  readonly accountName: string;
  /** Null: it is about the whole account. */
  readonly key: { readonly name: string; readonly mask: string } | null;
  /** Null: it is about no group. */
  readonly group: { readonly name: string } | null;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

interface Words {
  readonly subject: string;
  readonly lines: readonly string[];
}

export function alertText(
  language: Language,
  facts: AlertFacts,
): { readonly subject: string; readonly text: string } {
  const { subject, lines } = language === "ru" ? russian(facts) : english(facts);
  const { test, baseUrl, rule } = facts;
  const page = PAGES[rule.kind];
  const more =
    language === "ru"
      ? {
          test: "[Проверка] ",
          note: "Это проверка: её попросили прислать в панели. Цифры в ней — для примера.",
          settings: "Настроить оповещения",
        }
      : {
          test: "[Test] ",
          note: "This is a test that was asked for in the panel. Its figures are an example.",
          settings: "Change your alerts",
        };
  const parts = [
    ...(test ? [more.note] : []),
    ...lines,
    `${baseUrl}/panel/${page}`,
    `${more.settings}: ${baseUrl}/panel/alerts`,
  ];
  return { subject: `${test ? more.test : ""}${subject}`, text: `${parts.join("\n\n")}\n` };
}

const PAGES = {
  balance_below: "billing",
  spend_day: "",
  spend_month: "",
  spend_spike: "",
  limit_used: "keys",
} as const;

/** В 5 раз, в 2 раза. */
function times(factor: number): string {
  return `${factor} ${["few", "other"].includes(new Intl.PluralRules("ru").select(factor)) ? "раза" : "раз"}`;
}

function russian({ rule, valueNano, accountName, key, group }: AlertFacts): Words {
  const value = formatAmount(valueNano, "ru");
  const threshold = formatAmount(rule.thresholdNano, "ru");
  const account = quotedName("ru", accountName);
  const whose =
    key === null
      ? `аккаунт ${account}`
      : `ключ ${quotedName("ru", key.name)} (${key.mask}) аккаунта ${account}`;
  switch (rule.kind) {
    case "balance_below":
      return {
        subject: `Баланс меньше ${threshold}`,
        lines: [
          `На балансе аккаунта ${account} осталось ${value}, это меньше ${threshold}.`,
          "Пополните его, чтобы запросы не остановились.",
        ],
      };
    case "spend_day":
      return {
        subject: `Расход за день: ${value}`,
        lines: [`Сегодня ${whose} потратил ${value}. Порог — ${threshold} в день.`],
      };
    case "spend_month":
      return {
        subject: `Расход за месяц: ${value}`,
        lines: [`В этом месяце ${whose} потратил ${value}. Порог — ${threshold} в месяц.`],
      };
    case "spend_spike":
      return {
        subject: `Резкий рост расхода: ${value} за час`,
        lines: [
          `За последний час ${whose} потратил ${value}.`,
          `Это больше ${threshold} и более чем в ${times(rule.factor ?? 1)} выше обычного часа за последние 7 дней.`,
        ],
      };
    case "limit_used": {
      const of =
        group === null
          ? `ключа ${quotedName("ru", key?.name ?? "")}`
          : `группы ${quotedName("ru", group.name)}`;
      return {
        subject: `Лимит ${of} использован на ${rule.percent} %`,
        lines: [
          `Лимит ${of} аккаунта ${account} использован на ${rule.percent} %: потрачено ${value}, порог — ${threshold}.`,
          "Когда лимит кончится, запросы остановятся до следующего периода или до нового лимита.",
        ],
      };
    }
  }
}

function english({ rule, valueNano, accountName, key, group }: AlertFacts): Words {
  const value = formatAmount(valueNano, "en");
  const threshold = formatAmount(rule.thresholdNano, "en");
  const account = quotedName("en", accountName);
  const whose =
    key === null
      ? `The account ${account}`
      : `The key ${quotedName("en", key.name)} (${key.mask}) of the account ${account}`;
  switch (rule.kind) {
    case "balance_below":
      return {
        subject: `The balance is below ${threshold}`,
        lines: [
          `The account ${account} has ${value} left, which is less than ${threshold}.`,
          "Top it up, so that requests go on.",
        ],
      };
    case "spend_day":
      return {
        subject: `Spent today: ${value}`,
        lines: [`${whose} has spent ${value} today. The threshold is ${threshold} a day.`],
      };
    case "spend_month":
      return {
        subject: `Spent this month: ${value}`,
        lines: [`${whose} has spent ${value} this month. The threshold is ${threshold} a month.`],
      };
    case "spend_spike":
      return {
        subject: `Spend jumped: ${value} in an hour`,
        lines: [
          `${whose} has spent ${value} in the last hour.`,
          `That is more than ${threshold}, and more than ${rule.factor} times the usual hour of the last 7 days.`,
        ],
      };
    case "limit_used": {
      const of =
        group === null
          ? `the key ${quotedName("en", key?.name ?? "")}`
          : `the group ${quotedName("en", group.name)}`;
      return {
        subject: `${rule.percent}% of the limit of ${of} is used`,
        lines: [
          `${rule.percent}% of the limit of ${of} of the account ${account} is used: ${value} was spent, the threshold is ${threshold}.`,
          "When the limit is used up, requests stop until its next period, or until it is raised.",
        ],
      };
    }
  }
}
