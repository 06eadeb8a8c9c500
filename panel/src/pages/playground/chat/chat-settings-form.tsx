/** What is set for a whole talk: the system prompt, how the answer is sampled, thinking, tools. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { EFFORTS, EXAMPLE_TOOLS, readTools, TOOL_CHOICES } from "./chat-settings.ts";
import type { SpokenProtocol } from "./chat-dialect.ts";
import type { ChatSettings } from "./chat-settings.ts";

interface ChatSettingsFormProps {
  readonly protocol: SpokenProtocol;
  readonly settings: ChatSettings;
  onChange(settings: ChatSettings): void;
}

export function ChatSettingsForm({
  protocol,
  settings,
  onChange,
}: ChatSettingsFormProps): ReactNode {
  const t = usePlaygroundTexts();
  const of = <Name extends keyof ChatSettings>(name: Name) => ({
    value: settings[name],
    onChange: (value: ChatSettings[Name]) => onChange({ ...settings, [name]: value }),
  });
  const { mistake } = readTools(settings.tools);
  return (
    <Card title={t.settings}>
      <TextArea label={t.system} optional rows={3} {...of("system")} />
      <NumberField
        label={t.maxTokens}
        {...(protocol === "anthropic" ? { hint: t.maxTokensRequired } : {})}
        {...of("maxTokens")}
      />
      <div className="chat-numbers">
        <NumberField
          label={t.temperature}
          decimal
          optional
          placeholder="1"
          {...of("temperature")}
        />
        <NumberField label={t.topP} decimal optional placeholder="1" {...of("topP")} />
      </div>
      <Switch label={t.stream} checked={settings.stream} onChange={of("stream").onChange} />
      <details className="playground-advanced">
        <summary>{t.thinking}</summary>
        <div className="form">
          {protocol !== "anthropic" ? (
            <Select
              label={t.thinking}
              hint={t.thinkingHint}
              options={EFFORTS.map((effort) => ({ value: effort, label: t.efforts[effort] }))}
              {...of("effort")}
            />
          ) : (
            <NumberField
              label={t.budget}
              hint={`${t.thinkingHint} ${t.budgetHint}`}
              {...of("budget")}
            />
          )}
        </div>
      </details>
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
            {...of("tools")}
          />
          <div className="form-actions">
            <Button small onClick={() => onChange({ ...settings, tools: EXAMPLE_TOOLS })}>
              {t.toolsExample}
            </Button>
          </div>
          <Select
            label={t.toolChoice}
            options={TOOL_CHOICES.map((choice) => ({
              value: choice,
              label: t.toolChoices[choice],
            }))}
            {...of("toolChoice")}
          />
        </div>
      </details>
      <details className="playground-advanced">
        <summary>{t.advanced}</summary>
        <div className="form">
          <TextArea label={t.stop} hint={t.stopHint} optional rows={2} {...of("stop")} />
        </div>
      </details>
    </Card>
  );
}
