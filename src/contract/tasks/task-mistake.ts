/**
 * What can be wrong with the order of a task: every reason, and what its sentence names. Each
 * language writes its sentences from these.
 */
import type { FileMistakes } from "./file-mistake.ts";

type NoParams = Readonly<Record<never, never>>;

/** What a value has to be. */
export type ExpectedKind =
  | "flag"
  | "text"
  | "texts"
  | "objects"
  | "objects_or_flag"
  | "object"
  | "one_url"
  | "url"
  | "urls";

export type JsonKind = "list" | "object" | "string" | "number" | "boolean";

/** Of a list: `exactly` where only one count is right. */
export interface WrongCount {
  readonly how: "exactly" | "bounded";
  readonly limit: number;
  readonly has: number;
}

/** Of one value, or of the files of one parameter. */
export interface ValueMistakes {
  readonly required: NoParams;
  readonly expected: { readonly what: ExpectedKind };
  readonly characters: NoParams;
  readonly empty_text: NoParams;
  readonly minLength: { readonly limit: number };
  readonly maxLength: { readonly limit: number; readonly has: number };
  /** `got` is `number` where JSON wrote one that no double holds. */
  readonly no_number: { readonly got: JsonKind };
  readonly no_whole_number: { readonly got: JsonKind };
  readonly minimum: { readonly limit: number };
  readonly maximum: { readonly limit: number };
  readonly no_choice: { readonly values: readonly string[]; readonly got: JsonKind };
  /** `near`: the one that was probably meant. */
  readonly enum: { readonly values: readonly string[]; readonly near?: string };
  readonly minItems: WrongCount;
  readonly maxItems: WrongCount;
  readonly exclusive: { readonly others: readonly string[] };
  readonly needs: { readonly others: readonly string[] };
  readonly total_duration: { readonly seconds: number; readonly limit: number };
}

/**
 * Of the body itself, of what the table does not know, and of what the catalogue has no price for.
 */
export interface BodyMistakes {
  readonly body_no_object: NoParams;
  readonly unknown_parameter: {
    readonly name: string;
    readonly known: readonly string[];
    readonly near?: string;
  };
  readonly unpriced: { readonly name: string };
}

/** Between values, or between a value and what was measured of a file. */
export interface RuleMistakes {
  readonly element_names: NoParams;
  readonly element_part_of_images: NoParams;
  readonly element_part_length: NoParams;
  readonly element_video_length: NoParams;
  readonly element_video_short: { readonly seconds: number; readonly needed: number };
  readonly orientation_duration: { readonly limit: number };
  readonly orientation_video: { readonly limit: number };
  readonly orientation_video_long: { readonly seconds: number; readonly limit: number };
  readonly declared_length: NoParams;
  readonly declared_short: { readonly limit: number; readonly seconds: number };
  readonly one_image_with_shots: NoParams;
  readonly shots_length: NoParams;
  readonly duration_at_1080p: NoParams;
  readonly resolution_at_auto: NoParams;
  readonly resolution_at_5_4: NoParams;
  readonly resolution_at_1_1: NoParams;
  readonly video_twice: NoParams;
  readonly one_video_among_images: NoParams;
  readonly places_together: { readonly limit: number; readonly each: number };
  readonly characters_beside_video: { readonly limit: number };
  readonly clip_length: { readonly limit: number };
  readonly duration_below_clip: NoParams;
  readonly clip_end: NoParams;
  readonly clip_past_end: { readonly index: number; readonly limit: number };
}

/**
 * Of an address, or of the file behind it: they name nothing, and the room that finds them has
 * their English sentences.
 */
export interface AddressMistakes {
  readonly raw_bytes: NoParams;
  readonly blob_url: NoParams;
  readonly file_url: NoParams;
  readonly data_url: NoParams;
  readonly base64: NoParams;
  readonly relative_url: NoParams;
  readonly scheme: NoParams;
  readonly url_too_long: NoParams;
  readonly url_characters: NoParams;
  readonly not_a_url: NoParams;
  readonly credentials: NoParams;
  readonly internal_name: NoParams;
  readonly host_name: NoParams;
  readonly address_not_public: NoParams;
  readonly port: NoParams;
  readonly file_not_found: NoParams;
  readonly file_expired: NoParams;
  readonly not_media: NoParams;
  readonly unsupported: NoParams;
  readonly truncated: NoParams;
  readonly corrupt: NoParams;
  readonly lying: NoParams;
  readonly too_many_pixels: NoParams;
  readonly too_hard: NoParams;
}

export interface TaskMistakes
  extends ValueMistakes, BodyMistakes, RuleMistakes, AddressMistakes, FileMistakes {}

/** The sentences of one language: a reason that has none does not compile. */
export type TaskSentences<Reasons = TaskMistakes> = {
  readonly [Reason in keyof Reasons]: (params: Reasons[Reason]) => string;
};

/** What exactly is wrong, with what its sentence names, and the sentence in English. */
export interface WordedMistake<Reason extends keyof TaskMistakes = keyof TaskMistakes> {
  readonly reason: Reason;
  readonly params: Readonly<Record<string, string | number | readonly string[]>>;
  readonly message: string;
}

/** What is wrong with a body, as every error of the tasks family lists it. */
export interface TaskMistake extends WordedMistake {
  /** `duration`, `imageUrls[2]`, `elements[0].urls[1]`; empty for the body itself. */
  readonly param: string;
  /** A word for programs, of which one may stand for several reasons; `README.md` lists them. */
  readonly code: string;
}
