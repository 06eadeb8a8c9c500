/** Characters in Russian, of a number that follows "не меньше" and its like: 1 символа, 2 символов. */
import { plural } from "./plural.ts";

export const characters = (count: string | number): string =>
  `${count} ${plural("ru", Number(count), { one: "символа", other: "символов" })}`;
