/**
 * What was typed with the keyboard in the other of the two layouts: "pfghjcs" is «запросы», and
 * «луны» is "keys".
 */
const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
const CYRILLIC = "йцукенгшщзхъфывапролджэячсмитьбюё";

const OTHER = new Map(
  [...LATIN].flatMap((latin, at) => {
    const cyrillic = CYRILLIC[at] ?? "";
    return [
      [latin, cyrillic],
      [cyrillic, latin],
    ] as const;
  }),
);

/** Of small letters. */
export function inOtherLayout(text: string): string {
  return [...text].map((letter) => OTHER.get(letter) ?? letter).join("");
}
