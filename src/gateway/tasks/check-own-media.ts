/** Holds those of a task's media that are files of our own storage against their rules before the task is created: they were measured when they came. */
import { checkMeasured, type MeasuredMedia } from "../../contract/tasks/check-measured.ts";
import type { MediaReference } from "../../contract/tasks/list-media.ts";
import type { TaskMistake, TaskParameters, TaskTable } from "../../contract/tasks/task-table.ts";
import type { Queryable } from "../../db/database.ts";
import type { FileFinding, FileRecord } from "../../files/file-record.ts";
import { findFile } from "../../files/files.store.ts";
import { checkMedia } from "../../media/check-media.ts";
import type { MediaFacts } from "../../media/media-facts.ts";
import { ownName } from "../files/own-name.ts";
import { verdictOf } from "../files/uploaded-file.ts";

export interface OwnMediaDeps {
  readonly db: Queryable;
  /** Without a slash at its end. */
  staticUrl(): string;
}

/**
 * Every mistake at once. Files of others are left to be fetched, and so is what could not be measured when it was stored. Whose a file is
 * does not matter: its URL is public.
 */
export async function checkOwnMedia(
  deps: OwnMediaDeps,
  table: TaskTable,
  parameters: TaskParameters,
  references: readonly MediaReference[],
): Promise<TaskMistake[]> {
  const staticUrl = deps.staticUrl();
  const found = new Map<string, FileFinding>();
  const mistakes: TaskMistake[] = [];
  const measured: MeasuredMedia[] = [];
  for (const reference of references) {
    const name = ownName(reference.url, staticUrl);
    if (name === null) continue;
    const finding = found.get(name) ?? (await findFile(deps.db, name));
    found.set(name, finding);
    const judged = judge(finding, reference);
    mistakes.push(...judged.mistakes);
    if (judged.facts !== null) measured.push({ reference, seconds: judged.facts.kind === "image" ? null : judged.facts.durationSeconds });
  }
  return [...mistakes, ...checkMeasured(table, parameters, measured)];
}

interface Judged {
  readonly mistakes: readonly TaskMistake[];
  /** Null where it was not measured. */
  readonly facts: MediaFacts | null;
}

function judge(finding: FileFinding, { field, media }: MediaReference): Judged {
  const bad = (code: string, message: string): Judged => ({
    mistakes: [{ param: field, code, message: `'${field}': ${message}` }],
    facts: null,
  });
  switch (finding.state) {
    case "missing":
      return bad("file_not_found", "There is no file at this URL of our storage.");
    case "gone":
      return bad("file_expired", "The file at this URL of our storage has expired or was deleted. Upload it again.");
    case "stored":
      return judgeFile(finding.file, field, media, bad);
  }
}

function judgeFile(
  file: FileRecord,
  field: string,
  media: MediaReference["media"],
  bad: (code: string, message: string) => Judged,
): Judged {
  if (!/^(?:image|video|audio)\//.test(file.contentType))
    return bad("kind", `This must be ${media.kind}; the file is none of a type that is known here.`);
  const verdict = verdictOf(file);
  if (verdict === null) return { mistakes: [], facts: null };
  if (!verdict.ok) return bad(verdict.reason, verdict.message);
  const breaches = checkMedia({ facts: verdict.facts, bytes: file.bytes }, media);
  return {
    mistakes: breaches.map(({ rule, message }) => ({ param: field, code: rule, message: `'${field}': ${message}` })),
    facts: verdict.facts,
  };
}
