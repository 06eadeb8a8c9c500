/** Pictures of a message: read in the browser and sent with it, within limits that are told. */
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { useFormats } from "../../../i18n/locale.tsx";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { Picture } from "./conversation.ts";

/** What providers take in one piece. */
const MOST_BYTES = 5 * 1024 ** 2;
/** With which a body stays below its limit. */
const MOST_PICTURES = 4;
const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

interface PictureInputProps {
  readonly pictures: readonly Picture[];
  onChange(pictures: readonly Picture[]): void;
}

export function PictureInput({ pictures, onChange }: PictureInputProps): ReactNode {
  const t = usePlaygroundTexts();
  const { size } = useFormats();
  const id = useId();
  const [mistake, setMistake] = useState<string | null>(null);
  const take = async (files: readonly File[]): Promise<void> => {
    const taken: Picture[] = [];
    let wrong: string | null = null;
    for (const file of files) {
      if (!TYPES.includes(file.type)) wrong = t.imageWrongType(file.name);
      else if (file.size === 0) wrong = t.imageEmpty(file.name);
      else if (file.size > MOST_BYTES) wrong = t.imageTooLarge(file.name, size(MOST_BYTES));
      else if (pictures.length + taken.length >= MOST_PICTURES)
        wrong = t.imagesTooMany(MOST_PICTURES);
      else if (!(await isImage(file))) wrong = t.imageBroken(file.name);
      else taken.push({ name: file.name, mediaType: file.type, dataUrl: await readDataUrl(file) });
    }
    setMistake(wrong);
    onChange([...pictures, ...taken]);
  };
  return (
    <div className="stack">
      <div className="chat-attach">
        <input
          id={id}
          className="unseen"
          type="file"
          accept={TYPES.join(",")}
          multiple
          aria-describedby={`${id}-limits`}
          onChange={(event) => {
            void take([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <label htmlFor={id} className="button button-secondary button-small">
          <Icon name="image" size={16} /> {t.attach}
        </label>
        <span id={`${id}-limits`} className="quiet small">
          {t.imageLimits(size(MOST_BYTES), MOST_PICTURES)}
        </span>
      </div>
      {mistake === null ? null : (
        <p className="field-error" role="alert">
          {mistake}
        </p>
      )}
      {pictures.length === 0 ? null : (
        <div className="chat-pictures">
          {pictures.map((picture, at) => (
            <figure key={`${at} ${picture.name}`} className="chat-picture">
              <img src={picture.dataUrl} alt={picture.name} />
              <Button
                look="ghost"
                small
                icon="close"
                aria-label={t.removeImage(picture.name)}
                onClick={() => onChange(pictures.filter((_, other) => other !== at))}
              />
            </figure>
          ))}
        </div>
      )}
    </div>
  );
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
