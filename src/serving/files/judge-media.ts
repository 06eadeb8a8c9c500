/**
 * Whether a media file may be used where rules hold, and the words for why not: the same when a
 * task is ordered and when it is worked at.
 */
import type {
  AddressMistakes,
  SaidMistake,
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
export type SaidBreach = MediaBreach & SaidMistake;

export interface MediaJudgement {
  /** Null where it could not be measured. */
  readonly facts: MediaFacts | null;
  /** All of them at once; none: it may be used. */
  readonly breaches: readonly SaidBreach[];
}

export function judgeMedia(
  verdict: ProbeVerdict,
  bytes: number,
  rules: MediaRules,
): MediaJudgement {
  if (!verdict.ok) return { facts: null, breaches: [said(verdict.reason, verdict.message)] };
  return { facts: verdict.facts, breaches: checkMedia({ facts: verdict.facts, bytes }, rules) };
}

export type StoredMedia =
  /** There is nothing at its URL. */
  | { readonly kind: "refused"; readonly breach: SaidBreach }
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
      breach: said("file_not_found", "There is no file at this URL of our storage."),
    };
  if (finding.state === "gone") {
    const message =
      "The file at this URL of our storage has expired or was deleted. Upload it again.";
    return { kind: "refused", breach: said("file_expired", message) };
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

function said(rule: keyof AddressMistakes, message: string): SaidBreach {
  return { rule, reason: rule, params: {}, message };
}

/** By the type that a file begins like. */
export function wrongKind(
  rules: Pick<MediaRules, "kind" | "orVideo">,
  contentType: string,
): SaidBreach {
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
  { rule, reason, params, message }: SaidBreach,
): TaskMistake {
  return { param, code: rule, reason, params, message: `'${param}': ${message}` };
}
