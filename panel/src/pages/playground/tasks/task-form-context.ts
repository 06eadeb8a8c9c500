/**
 * What every field of a task's form needs besides its value: the mistakes, and the account's files.
 */
import { createContext, useContext } from "react";
import type { PreviewedFile } from "../../../ui/media-preview.tsx";

export interface TaskFormScene {
  /** What is wrong with `duration`, `imageUrls[2]`, `elements[0].urls[1]`; undefined: nothing. */
  mistakeAt(path: string): string | undefined;
  /** A file of the account by its address; others can only be named. */
  fileAt(url: string): PreviewedFile | undefined;
  /** Newest first. */
  readonly files: readonly PreviewedFile[];
  onUploaded(file: PreviewedFile): void;
}

const Context = createContext<TaskFormScene | null>(null);

export const TaskFormProvider = Context;

export function useTaskForm(): TaskFormScene {
  const scene = useContext(Context);
  if (scene === null) throw new Error("there is no form of a task around this");
  return scene;
}
