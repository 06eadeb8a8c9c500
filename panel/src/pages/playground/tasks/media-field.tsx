/** One file or several: uploaded, pasted as a URL, or chosen from the account's own. */
import { useState } from "react";
import type { ReactNode } from "react";
import type { PanelFile } from "../../../../../src/contract/panel/panel-file.ts";
import { useLocale } from "../../../i18n/locale.tsx";
import { useWords } from "../../../i18n/use-words.ts";
import { Button } from "../../../ui/button.tsx";
import { MediaPreview } from "../../../ui/media-preview.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { UploadDrop } from "../../../ui/upload-drop.tsx";
import { MediaFoot } from "../media-foot.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { ChooseFile } from "./choose-file.tsx";
import { acceptOf, hintOf, kindsOf } from "./field-bounds.ts";
import { FieldGroup } from "./field-group.tsx";
import { useTaskForm } from "./task-form-context.ts";
import type { TaskFieldProps } from "./field-props.ts";

export function MediaField({ field, path, value, onChange }: TaskFieldProps): ReactNode {
  const { language } = useLocale();
  const t = usePlaygroundTexts();
  const { mistakeAt, onUploaded } = useTaskForm();
  const single = field.kind === "url";
  const most = single ? 1 : (field.maxItems ?? 1);
  const urls = single
    ? typeof value === "string"
      ? [value]
      : []
    : Array.isArray(value)
      ? (value as readonly string[])
      : [];
  const give = (next: readonly string[]): void =>
    onChange(next.length === 0 ? undefined : single ? next[0] : next);
  const add = (url: string): void => give([...urls, url].slice(0, most));
  const title = field.title[language];
  return (
    <FieldGroup
      title={title}
      hint={hintOf(field, t, language)}
      error={mistakeAt(path)}
      optional={!field.required}
    >
      {urls.map((url, at) => (
        <OneMedia
          key={`${at} ${url}`}
          url={url}
          title={most === 1 ? title : t.itemNumber(title, at + 1)}
          number={at + 1}
          error={single ? undefined : mistakeAt(`${path}[${at}]`)}
          onRemove={() => give(urls.filter((_, other) => other !== at))}
        />
      ))}
      {urls.length < most ? (
        <AddMedia
          title={title}
          field={field}
          multiple={most - urls.length > 1}
          onUrl={add}
          onFile={(file) => {
            onUploaded({ url: file.url, name: file.fileName, preview: file.preview });
            add(file.url);
          }}
        />
      ) : null}
    </FieldGroup>
  );
}

interface OneMediaProps {
  readonly url: string;
  readonly title: string;
  readonly number: number;
  readonly error: string | undefined;
  onRemove(): void;
}

function OneMedia({ url, title, number, error, onRemove }: OneMediaProps): ReactNode {
  const file = useTaskForm().fileAt(url);
  return (
    <div className="playground-media">
      {file === undefined ? null : <MediaPreview file={{ ...file, name: title }} />}
      <MediaFoot label={file?.name ?? url} title={url} number={number} onRemove={onRemove} />
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </div>
  );
}

interface AddMediaProps extends Pick<TaskFieldProps, "field"> {
  readonly title: string;
  readonly multiple: boolean;
  onUrl(url: string): void;
  onFile(file: PanelFile): void;
}

function AddMedia({ title, field, multiple, onUrl, onFile }: AddMediaProps): ReactNode {
  const t = usePlaygroundTexts();
  const words = useWords();
  const [pasting, setPasting] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const [url, setUrl] = useState("");
  const paste = (): void => {
    if (url.trim() === "") return;
    onUrl(url.trim());
    setUrl("");
    setPasting(false);
  };
  return (
    <>
      <UploadDrop
        accept={acceptOf(field.media)}
        kinds={kindsOf(field.media)}
        multiple={multiple}
        onUploaded={onFile}
      />
      {pasting ? (
        <div className="playground-paste">
          <TextField
            label={`${t.mediaUrl}: ${title}`}
            quietLabel
            type="url"
            placeholder="https://"
            value={url}
            onChange={setUrl}
          />
          <Button onClick={paste}>{t.addUrl}</Button>
          <Button look="ghost" onClick={() => setPasting(false)}>
            {words.cancel}
          </Button>
        </div>
      ) : (
        <div className="row">
          <Button small onClick={() => setPasting(true)}>
            {t.pasteUrl}
          </Button>
          <Button small onClick={() => setChoosing(true)}>
            {t.chooseFile}
          </Button>
        </div>
      )}
      <ChooseFile
        open={choosing}
        onOpenChange={setChoosing}
        kind={field.media?.orVideo === undefined ? field.media?.kind : undefined}
        onChoose={(chosen) => {
          setChoosing(false);
          onUrl(chosen.url);
        }}
      />
    </>
  );
}
