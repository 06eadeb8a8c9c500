/**
 * Whether a media file may be used where rules hold, and the words for why not: the same when a
 * task is ordered and when it is worked at.
 */
import type {
  AddressMistakes,
  WordedMistake,
  TaskMistake,
} from "../../contract/tasks/task-mistake.ts";
import type { FileFinding, FileRecord } from "../../files/file-record.ts";
import { checkMedia } from "../../media/check-media.ts";
import { ENGLISH_BREACHES } from "../../media/english-breaches.ts";
import type { MediaFacts, ProbeVerdict } from "../../media/media-facts.ts";
import { wantedKind, type MediaRules } from "../../media/media-rules.ts";
import { verdictOf } from "./uploaded-file.ts";

/** Something that a file breaks: a rule of `MediaRules`, or a reason of the probe. */
export interface MediaBreach {
  readonly rule: string;
  /** For the customer. */
  readonly message: string;
}

/** The same where pages say it in other languages: when a task is ordered. */
export type WordedBreach = MediaBreach & WordedMistake;

export interface MediaJudgement {
  /** Null where it could not be measured. */
  readonly facts: MediaFacts | null;
  /** All of them at once; none: it may be used. */
  readonly breaches: readonly WordedBreach[];
}

export function judgeMedia(
  verdict: ProbeVerdict,
  bytes: number,
  rules: MediaRules,
): MediaJudgement {
  if (!verdict.ok) return { facts: null, breaches: [reported(verdict.reason, verdict.message)] };
  return { facts: verdict.facts, breaches: checkMedia({ facts: verdict.facts, bytes }, rules) };
}

export type StoredMedia =
  /** There is nothing at its URL. */
  | { readonly kind: "refused"; readonly breach: WordedBreach }
  /** By its row alone; a null judgement: it was not measured when it was stored. */
  | {
      readonly kind: "stored";
      readonly file: FileRecord;
      readonly judgement: MediaJudgement | null;
    };

export function judgeStored(finding: FileFinding, rules: MediaRules): StoredMedia {
  if (finding.state === "missing")
    return {
      kind: "refused",
      breach: reported("file_not_found", "There is no file at this URL of our storage."),
    };
  if (finding.state === "gone") {
    const message =
      "The file at this URL of our storage has expired or was deleted. Upload it again.";
    return { kind: "refused", breach: reported("file_expired", message) };
  }
  const { file } = finding;
  if (!/^(?:image|video|audio)\//.test(file.contentType)) {
    return {
      kind: "stored",
      file,
      judgement: { facts: null, breaches: [wrongKind(rules, file.contentType)] },
    };
  }
  const verdict = verdictOf(file);
  return {
    kind: "stored",
    file,
    judgement: verdict === null ? null : judgeMedia(verdict, file.bytes, rules),
  };
}

function reported(rule: keyof AddressMistakes, message: string): WordedBreach {
  return { rule, reason: rule, params: {}, message };
}

/** By the type that a file begins like. */
export function wrongKind(
  rules: Pick<MediaRules, "kind" | "orVideo">,
  contentType: string,
): WordedBreach {
  const known = contentType === "application/octet-stream" ? {} : { type: contentType };
  const params = { wanted: wantedKind(rules), ...known };
  return {
    rule: "kind",
    reason: "kind_by_start",
    params,
    message: ENGLISH_BREACHES.kind_by_start(params),
  };
}

/** As errors of an order list it. */
export function mistakeOfFile(
  param: string,
  { rule, reason, params, message }: WordedBreach,
): TaskMistake {
  return { param, code: rule, reason, params, message: `'${param}': ${message}` };
}
