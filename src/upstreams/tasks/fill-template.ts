/** Fills the places of a template: `{name}` encoded for a URL, `{+name}` as it is. */
import type { Template } from "../../protocol/task-provider.ts";

export type TemplateValues = Readonly<Record<string, string | null | undefined>>;

const PLACE = /\{(\+?)([^{}]*)\}/g;
/** What may stand in a path unencoded, slashes included. */
const PATH_TEXT = /^[A-Za-z0-9._~!$&'()*+,;=:@%/-]+$/;
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** Null: a place has no value. */
export function fillText(template: Template, values: TemplateValues): string | null {
  return fill(template, values, (value) => value);
}

/** Null: a place has no value, or one that cannot stand in an address: it would lead elsewhere. */
export function fillPath(template: Template, values: TemplateValues): string | null {
  const filled = fill(template, values, (value, raw) =>
    raw ? (PATH_TEXT.test(value) ? value : null) : encodeURIComponent(value),
  );
  if (filled === null || !filled.startsWith("/") || filled.startsWith("//")) return null;
  const [path = ""] = filled.split("?", 1);
  return path.split("/").some((segment) => DOTS.test(segment)) ? null : filled;
}

function fill(
  template: Template,
  values: TemplateValues,
  write: (value: string, raw: boolean) => string | null,
): string | null {
  let complete = true;
  const filled = template.replaceAll(PLACE, (_, plus: string, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : null;
    const written =
      value === null || value === undefined || value === "" ? null : write(value, plus !== "");
    if (written === null) complete = false;
    return written ?? "";
  });
  return complete ? filled : null;
}

/** The names of the places, in order. */
export function placesOf(template: Template): string[] {
  return [...template.matchAll(PLACE)].map(([, , name = ""]) => name);
}
