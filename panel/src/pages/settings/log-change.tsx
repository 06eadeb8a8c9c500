/** What was changed, field by field: as it was, and as it is from then on. */
import type { ReactNode } from "react";
import { formatMoney, formatMoneyWhole } from "../../i18n/format-money.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import type { AccountLogTexts } from "../../i18n/texts/account-log.ru.ts";

interface LogChangeProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly t: AccountLogTexts;
}

/** What is as a new thing is without being asked is not told of it. */
const NOTHING: readonly unknown[] = [null, undefined, false];
/** Ids, beside which names stand, and what the action or its subject says already. */
const UNTOLD: readonly string[] = [
  ...["groupId", "ownerId", "keyHash", "memberIds"],
  ...["frozen", "deleted", "kind"],
];

export function LogChange({ before, after, t }: LogChangeProps): ReactNode {
  const written = useWritten(t);
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const [made, gone] = [Object.keys(was).length === 0, Object.keys(is).length === 0];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => !UNTOLD.includes(name) && (!made || !NOTHING.includes(is[name])),
  );
  if (names.length === 0) return "—";
  return (
    <ul className="settings-changes">
      {names.map((name) => (
        <li key={name}>
          <span className="quiet">{t.fields[name] ?? name}:</span>{" "}
          {gone || (was[name] ?? null) === null ? null : (
            <>
              <s>{written(name, was[name])}</s> →{" "}
            </>
          )}
          {written(name, gone ? was[name] : is[name])}
        </li>
      ))}
    </ul>
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** A value as its field has it: names are what people called something, and stay as they are. */
function useWritten(t: AccountLogTexts): (field: string, value: unknown) => string {
  const { language } = useLocale();
  const { time } = useFormats();
  return (field, value) => {
    if (value === null || value === undefined) return "—";
    if (typeof value === "boolean") return value ? t.yes : t.no;
    if (Array.isArray(value)) return value.length === 0 ? "—" : value.join(", ");
    if (typeof value === "number") return String(value);
    if (typeof value !== "string") return JSON.stringify(value);
    switch (field) {
      case "limit": {
        const [amount = "", period = ""] = value.split(" ");
        return `${formatMoneyWhole(amount, language)} ${t.periods[period] ?? period}`;
      }
      case "amount":
      case "threshold":
        return formatMoney(value, language);
      case "expiresAt":
      case "until":
        return time(value);
      default:
        return t.values[field]?.[value] ?? value;
    }
  };
}
