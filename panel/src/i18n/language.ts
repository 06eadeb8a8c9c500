/** What stands once in each language of the panel. */
import type { Language } from "../../../src/contract/enums/language.ts";

/** The same texts in both: the type of one is the type of the other. */
export type Bilingual<Texts> = Readonly<Record<Language, Texts>>;
