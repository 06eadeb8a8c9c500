/** The tools that a model may call, as JSON. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { EXAMPLE_TOOLS, readTools, TOOL_CHOICES } from "./chat-settings.ts";
import type { SettingsPartProps } from "./settings-part.ts";

export function ToolsForm({ settings, change }: SettingsPartProps): ReactNode {
  const t = usePlaygroundTexts();
  const { mistake } = readTools(settings.tools);
  return (
    <details className="playground-advanced">
      <summary>{t.tools}</summary>
      <div className="form">
        <TextArea
          label={t.tools}
          hint={t.toolsHint}
          code
          rows={10}
          spellCheck={false}
          error={mistake === null ? undefined : t.toolsBroken(mistake)}
          value={settings.tools}
          onChange={(tools) => change({ tools })}
        />
        <div className="form-actions">
          <Button small onClick={() => change({ tools: EXAMPLE_TOOLS })}>
            {t.toolsExample}
          </Button>
        </div>
        <Select
          label={t.toolChoice}
          options={TOOL_CHOICES.map((choice) => ({ value: choice, label: t.toolChoices[choice] }))}
          value={settings.toolChoice}
          onChange={(toolChoice) => change({ toolChoice })}
        />
      </div>
    </details>
  );
}
