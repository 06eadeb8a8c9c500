/**
 * What is set for a whole talk: the protocol, the system prompt, how the answer is sampled, its
 * form, thinking, tools.
 */
import type { ReactNode } from "react";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { DIALECTS, SPOKEN_PROTOCOLS } from "./chat-dialect.ts";
import type { SpokenProtocol } from "./chat-dialect.ts";
import { EFFORTS } from "./chat-settings.ts";
import type { ChatSettings } from "./chat-settings.ts";
import { FormatForm } from "./format-form.tsx";
import { SystemPrompt } from "./system-prompt.tsx";
import { ToolsForm } from "./tools-form.tsx";

interface ChatSettingsFormProps {
  readonly protocol: SpokenProtocol;
  onProtocol(protocol: SpokenProtocol): void;
  readonly settings: ChatSettings;
  onChange(settings: ChatSettings): void;
}

export function ChatSettingsForm({
  protocol,
  onProtocol,
  settings,
  onChange,
}: ChatSettingsFormProps): ReactNode {
  const t = usePlaygroundTexts();
  const change = (next: Partial<ChatSettings>): void => onChange({ ...settings, ...next });
  const of = <Name extends keyof ChatSettings>(name: Name) => ({
    value: settings[name],
    onChange: (value: ChatSettings[Name]) => onChange({ ...settings, [name]: value }),
  });
  return (
    <div className="form">
      <Select
        label={t.protocol}
        options={SPOKEN_PROTOCOLS.map((one) => ({ value: one, label: DIALECTS[one].name }))}
        value={protocol}
        onChange={onProtocol}
      />
      <SystemPrompt {...of("system")} />
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
      <FormatForm protocol={protocol} settings={settings} change={change} />
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
      <ToolsForm settings={settings} change={change} />
      <details className="playground-advanced">
        <summary>{t.advanced}</summary>
        <div className="form">
          <TextArea label={t.stop} hint={t.stopHint} optional rows={2} {...of("stop")} />
        </div>
      </details>
    </div>
  );
}
