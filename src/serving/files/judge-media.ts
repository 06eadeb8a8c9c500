/** Whether a media file may be used where rules hold, and the words for why not: the same when a task is ordered and when it is worked at. */
import type { FileFinding, FileRecord } from "../../files/file-record.ts";
import { checkMedia } from "../../media/check-media.ts";
import type { MediaFacts, MediaKind, ProbeVerdict } from "../../media/media-facts.ts";
import type { MediaRules } from "../../media/media-rules.ts";
import { verdictOf } from "./uploaded-file.ts";

/** Something that a file breaks: a rule of `MediaRules`, or a reason of the probe. */
export interface MediaBreach {
  readonly rule: string;
  /** For the customer. */
  readonly message: string;
}

export interface MediaJudgement {
  /** Null where it could not be measured. */
  readonly facts: MediaFacts | null;
  /** All of them at once; none: it may be used. */
  readonly breaches: readonly MediaBreach[];
}

export function judgeMedia(verdict: ProbeVerdict, bytes: number, rules: MediaRules): MediaJudgement {
  if (!verdict.ok) return { facts: null, breaches: [{ rule: verdict.reason, message: verdict.message }] };
  return { facts: verdict.facts, breaches: checkMedia({ facts: verdict.facts, bytes }, rules) };
}

export type StoredMedia =
  /** There is nothing at its URL. */
  | { readonly kind: "refused"; readonly rule: string; readonly message: string }
  /** By its row alone; a null judgement: it was not measured when it was stored. */
  | { readonly kind: "stored"; readonly file: FileRecord; readonly judgement: MediaJudgement | null };

export function judgeStored(finding: FileFinding, rules: MediaRules): StoredMedia {
  if (finding.state === "missing")
    return { kind: "refused", rule: "file_not_found", message: "There is no file at this URL of our storage." };
  if (finding.state === "gone") {
    const message = "The file at this URL of our storage has expired or was deleted. Upload it again.";
    return { kind: "refused", rule: "file_expired", message };
  }
  const { file } = finding;
  if (!/^(?:image|video|audio)\//.test(file.contentType)) {
    return { kind: "stored", file, judgement: { facts: null, breaches: [wrongKind(rules, file.contentType)] } };
  }
  const verdict = verdictOf(file);
  return { kind: "stored", file, judgement: verdict === null ? null : judgeMedia(verdict, file.bytes, rules) };
}

const WANTED: Readonly<Record<MediaKind, string>> = { image: "an image", video: "a video", audio: "audio" };

/** By the type that a file begins like. */
export function wrongKind({ kind, orVideo }: Pick<MediaRules, "kind" | "orVideo">, contentType: string): MediaBreach {
  const wanted = orVideo === undefined ? WANTED[kind] : `${WANTED[kind]} or ${WANTED.video}`;
  const found =
    contentType === "application/octet-stream" ? "is no image, video or audio of a type that is known here" : `begins like ${contentType}`;
  return { rule: "kind", message: `This must be ${wanted}; the file ${found}.` };
}
