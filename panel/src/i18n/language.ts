/** The two languages of the panel. */

export const LANGUAGES = ["ru", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The same texts in both: the type of one is the type of the other. */
export type Bilingual<Texts> = Readonly<Record<Language, Texts>>;
