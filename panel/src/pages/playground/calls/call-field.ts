/** The parameters of a call as its form asks for them. */
import type { MediaKind } from "../../../../../src/contract/enums/media-kind.ts";
import type { CallsTexts } from "../../../i18n/texts/playground-calls.ru.ts";

interface FieldHead {
  /** As the API calls it. */
  readonly name: string;
  readonly label: keyof CallsTexts["labels"];
  readonly required?: true;
  /** Folded away. */
  readonly advanced?: true;
}

/** `lines`: a list of texts, each on a line of its own. */
interface TextKind extends FieldHead {
  readonly kind: "word" | "text" | "lines";
  /** Stands there from the start. */
  readonly first?: string;
}

interface NumberKind extends FieldHead {
  readonly kind: "integer" | "number";
  readonly first?: number;
}

/** The first one stands there from the start; an empty one leaves it to the model. */
interface ChoiceKind extends FieldHead {
  readonly kind: "choice";
  readonly values: readonly string[];
}

/** Chooses the endpoint; it is no parameter. */
interface SwitchKind extends FieldHead {
  readonly kind: "switch";
}

interface FilesKind extends FieldHead {
  readonly kind: "files";
  readonly media: readonly MediaKind[];
  readonly most: number;
}

export type CallField = TextKind | NumberKind | ChoiceKind | SwitchKind | FilesKind;

/** By the names of the fields; what was not touched is absent. */
export type CallValues = Readonly<Record<string, unknown>>;

/** A file that was chosen; the same one chosen again is another. */
export interface ChosenFile {
  readonly id: string;
  readonly file: File;
}
