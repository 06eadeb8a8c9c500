/** Pictures of a message: read in the browser and sent with it, within limits that are told. */
import { useState } from "react";
import { useFormats } from "../../../i18n/locale.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { Picture } from "./conversation.ts";

/** What providers take in one piece. */
const MOST_BYTES = 5 * 1024 ** 2;
/** With which a body stays below its limit. */
const MOST_PICTURES = 4;
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

export interface Pictures {
  readonly chosen: readonly Picture[];
  /** In a sentence; null: all that was chosen was taken. */
  readonly mistake: string | null;
  readonly limits: string;
  take(files: readonly File[]): void;
  remove(at: number): void;
}

export function usePictures(
  chosen: readonly Picture[],
  /** While they are read, more may have been typed or chosen. */
  change: (update: (before: readonly Picture[]) => readonly Picture[]) => void,
): Pictures {
  const t = usePlaygroundTexts();
  const { size } = useFormats();
  const [mistake, setMistake] = useState<string | null>(null);
  const take = async (files: readonly File[]): Promise<void> => {
    const taken: Picture[] = [];
    let wrong: string | null = null;
    for (const file of files) {
      if (!PICTURE_TYPES.includes(file.type)) wrong = t.imageWrongType(file.name);
      else if (file.size === 0) wrong = t.imageEmpty(file.name);
      else if (file.size > MOST_BYTES) wrong = t.imageTooLarge(file.name, size(MOST_BYTES));
      else if (chosen.length + taken.length >= MOST_PICTURES)
        wrong = t.imagesTooMany(MOST_PICTURES);
      else if (!(await isImage(file))) wrong = t.imageBroken(file.name);
      else taken.push({ name: file.name, mediaType: file.type, dataUrl: await readDataUrl(file) });
    }
    setMistake(wrong);
    if (taken.length > 0) change((before) => [...before, ...taken].slice(0, MOST_PICTURES));
  };
  return {
    chosen,
    mistake,
    limits: t.imageLimits(size(MOST_BYTES), MOST_PICTURES),
    take: (files) => void take(files),
    remove: (at) => change((before) => before.filter((_, other) => other !== at)),
  };
}

/** Whether the browser can draw it: a name and a type are no proof. */
async function isImage(file: File): Promise<boolean> {
  const image = await createImageBitmap(file).catch(() => null);
  image?.close();
  return image !== null;
}

function readDataUrl(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () =>
    resolve(typeof reader.result === "string" ? reader.result : ""),
  );
  reader.addEventListener("error", () =>
    reject(reader.error ?? new Error("the file cannot be read")),
  );
  reader.readAsDataURL(file);
  return promise;
}
