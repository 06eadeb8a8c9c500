/**
 * Holds those of a task's media that are files of our own storage against their rules before the
 * task is created: they were measured when they came.
 */
import type { MediaReference } from "../../contract/tasks/list-media.ts";
import type { TaskMistake } from "../../contract/tasks/task-mistake.ts";
import type { Queryable } from "../../db/database.ts";
import type { FileFinding } from "../../files/file-record.ts";
import { findFile } from "../../files/files.store.ts";
import { judgeStored, mistakeOfFile, type WordedBreach } from "../files/judge-media.ts";
import { ownName } from "../files/own-name.ts";
import type { MeasuredInput } from "./eligible-routes.ts";

export interface OwnMediaDeps {
  readonly db: Queryable;
  /** Without a slash at its end. */
  staticUrl(): string;
}

export interface OwnMedia {
  /** What single files break. */
  readonly mistakes: readonly TaskMistake[];
  readonly measured: readonly MeasuredInput[];
}

/**
 * Every mistake at once. Files of others are left to be fetched, and so is what could not be
 * measured when it was stored. Whose a file is does not matter: its URL is public.
 */
export async function checkOwnMedia(
  deps: OwnMediaDeps,
  references: readonly MediaReference[],
): Promise<OwnMedia> {
  const staticUrl = deps.staticUrl();
  const found = new Map<string, FileFinding>();
  const mistakes: TaskMistake[] = [];
  const measured: MeasuredInput[] = [];
  for (const reference of references) {
    const name = ownName(reference.url, staticUrl);
    if (name === null) continue;
    const finding = found.get(name) ?? (await findFile(deps.db, name));
    found.set(name, finding);
    const mistake = (breach: WordedBreach): TaskMistake => mistakeOfFile(reference.field, breach);
    const stored = judgeStored(finding, reference.media);
    if (stored.kind === "refused") mistakes.push(mistake(stored.breach));
    else if (stored.judgement !== null) {
      const { file, judgement } = stored;
      const { facts, breaches } = judgement;
      mistakes.push(...breaches.map(mistake));
      if (facts !== null) measured.push({ reference, facts, bytes: file.bytes });
    }
  }
  return { mistakes, measured };
}
