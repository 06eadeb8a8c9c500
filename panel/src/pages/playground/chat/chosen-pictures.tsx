/** The pictures of a message before it is sent, and why another was not taken. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { Pictures } from "./use-pictures.ts";

export function ChosenPictures({
  pictures: { chosen, mistake, remove },
}: {
  readonly pictures: Pictures;
}): ReactNode {
  const t = usePlaygroundTexts();
  return (
    <>
      {mistake === null ? null : (
        <p className="field-error" role="alert">
          {mistake}
        </p>
      )}
      {chosen.length === 0 ? null : (
        <div className="chat-pictures">
          {chosen.map((picture, at) => (
            <figure key={`${at} ${picture.name}`} className="chat-picture">
              <img src={picture.dataUrl} alt={picture.name} />
              <Button
                look="ghost"
                small
                icon="close"
                aria-label={t.removeImage(picture.name)}
                onClick={() => remove(at)}
              />
            </figure>
          ))}
        </div>
      )}
    </>
  );
}
