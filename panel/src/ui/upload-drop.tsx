/** Uploads files that are dropped or chosen, each with its progress, its end, or why it failed. */
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { MediaKind } from "../../../src/contract/enums/media-kind.ts";
import type { PanelFile } from "../../../src/contract/panel/panel-file.ts";
import { uploadFile } from "../api/upload-file.ts";
import { useFaults } from "../i18n/use-faults.ts";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";
import { FileDrop } from "./file-drop.tsx";

interface UploadDropProps {
  onUploaded(file: PanelFile): void;
  /** What its place has use for, as the server reads it from the bytes; undefined: anything. */
  readonly kinds?: readonly MediaKind[] | undefined;
  readonly accept?: string | undefined;
  readonly multiple?: boolean;
  readonly hint?: ReactNode;
}

interface Upload {
  readonly id: number;
  readonly name: string;
  readonly share: number;
  /** A sentence; null: it is under way. */
  readonly error: string | null;
}

export function UploadDrop({
  onUploaded,
  kinds,
  accept,
  multiple = false,
  hint,
}: UploadDropProps): ReactNode {
  const words = useWords();
  const faults = useFaults();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  const last = useRef(0);
  useEffect(() => {
    const controllers = running.current;
    // Who leaves the page gives its uploads up.
    return () => {
      for (const controller of controllers.values()) controller.abort();
    };
  }, []);
  const change = (id: number, to: Partial<Upload>): void =>
    setUploads((all) => all.map((upload) => (upload.id === id ? { ...upload, ...to } : upload)));
  const forget = (id: number): void => {
    running.current.get(id)?.abort();
    running.current.delete(id);
    setUploads((all) => all.filter((upload) => upload.id !== id));
  };
  const begin = (file: File): void => {
    const id = ++last.current;
    if (file.size === 0) {
      setUploads((all) => [...all, { id, name: file.name, share: 0, error: words.emptyFile }]);
      return;
    }
    const controller = new AbortController();
    running.current.set(id, controller);
    setUploads((all) => [...all, { id, name: file.name, share: 0, error: null }]);
    uploadFile(file, {
      signal: controller.signal,
      onProgress: (share) => change(id, { share }),
    }).then(
      (stored) => {
        // Named so, and yet something else: its name and the browser's word for it are no proof.
        if (
          kinds !== undefined &&
          !kinds.some((kind) => stored.contentType.startsWith(`${kind}/`))
        ) {
          change(id, {
            error: words.notOfKind(
              kinds.map((kind) => words.fileKinds[kind]).join(words.or),
              stored.contentType,
            ),
          });
          return;
        }
        forget(id);
        onUploaded(stored);
      },
      (error: unknown) => {
        if (!controller.signal.aborted)
          change(id, { error: faults.ofField(error, "file") ?? faults.sentence(error) });
      },
    );
  };
  return (
    <div className="upload-drop">
      <FileDrop
        multiple={multiple}
        {...(accept === undefined ? {} : { accept })}
        {...(hint === undefined ? {} : { hint })}
        onFiles={(files) => {
          for (const file of files) begin(file);
        }}
      />
      {uploads.map(({ id, name, share, error }) => (
        <div key={id} className="upload">
          <span className="upload-name">{name}</span>
          {error === null ? (
            <progress aria-label={name} value={share} max={1} />
          ) : (
            <span className="field-error" role="alert">
              {error}
            </span>
          )}
          <Button
            look="ghost"
            small
            icon="close"
            aria-label={`${error === null ? words.cancel : words.close}: ${name}`}
            onClick={() => forget(id)}
          />
        </div>
      ))}
    </div>
  );
}
