/** Picks the language of a page by what its reader's browser asks for (RFC 9110 §12.5.4). */
import { LANGUAGES, type Language } from "../../contract/enums/language.ts";

/** The first language stands where none of ours is asked for. */
export function chooseLanguage(acceptLanguage: string | string[] | undefined): Language {
  const asked = String(acceptLanguage ?? "")
    .toLowerCase()
    .split(",")
    .map((part, at) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const weight = parameters.find((one) => one.startsWith("q="))?.slice(2);
      return { language: tag.split("-")[0] ?? "", weight: Number(weight ?? 1), at };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.at - b.at);
  for (const { language } of asked) {
    const ours = LANGUAGES.find((one) => one === language);
    if (ours !== undefined) return ours;
  }
  return LANGUAGES[0];
}
