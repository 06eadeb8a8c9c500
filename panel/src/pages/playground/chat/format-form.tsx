/** In what form a model answers: text, JSON, or JSON that keeps to a schema. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { ANSWER_FORMATS, EXAMPLE_SCHEMA, readSchema } from "./chat-settings.ts";
import type { SpokenProtocol } from "./chat-dialect.ts";
import type { SettingsPartProps } from "./settings-part.ts";
import { useChatTexts } from "./use-chat-texts.ts";

interface FormatFormProps extends SettingsPartProps {
  readonly protocol: SpokenProtocol;
}

export function FormatForm({ protocol, settings, change }: FormatFormProps): ReactNode {
  const t = usePlaygroundTexts();
  const own = useChatTexts();
  const { mistake } = readSchema(settings);
  return (
    <>
      <Select
        label={own.format}
        {...(protocol === "anthropic" ? { hint: own.formatHint } : {})}
        value={settings.format}
        onChange={(format) =>
          change(
            format === "schema" && settings.schema === ""
              ? { format, schema: EXAMPLE_SCHEMA }
              : { format },
          )
        }
        options={ANSWER_FORMATS.map((format) => ({
          value: format,
          label: own.formats[format],
          disabled: format === "json" && protocol === "anthropic",
        }))}
      />
      {settings.format === "schema" ? (
        <>
          <TextArea
            label={own.schema}
            hint={own.schemaHint}
            code
            rows={10}
            spellCheck={false}
            error={mistake === null ? undefined : t.toolsBroken(mistake)}
            value={settings.schema}
            onChange={(schema) => change({ schema })}
          />
          <div className="form-actions">
            <Button small onClick={() => change({ schema: EXAMPLE_SCHEMA })}>
              {t.toolsExample}
            </Button>
          </div>
        </>
      ) : null}
    </>
  );
}
