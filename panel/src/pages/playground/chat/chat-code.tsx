/** The request of the moment as code; where two models are asked, of the one that is chosen. */
import { useState } from "react";
import type { ReactNode } from "react";
import { CodeTabs } from "../../../ui/code-block.tsx";
import { Select } from "../../../ui/select.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { SpokenProtocol } from "./chat-dialect.ts";
import { chatSnippets } from "./chat-snippets.ts";
import type { DraftedRequest } from "./use-drafted-requests.ts";

interface ChatCodeProps {
  readonly protocol: SpokenProtocol;
  readonly requests: readonly DraftedRequest[];
  /** Of the models. */
  readonly names: readonly string[];
}

export function ChatCode({ protocol, requests, names }: ChatCodeProps): ReactNode {
  const t = usePlaygroundTexts();
  const [chosen, setChosen] = useState("0");
  const request = requests[Number(chosen)] ?? requests[0] ?? {};
  return (
    <div className="form">
      <p className="quiet small">{t.codeHint}</p>
      {requests.length > 1 ? (
        <Select
          label={t.model}
          value={chosen}
          onChange={setChosen}
          options={requests.map((_, at) => ({ value: String(at), label: names[at] ?? "" }))}
        />
      ) : null}
      <CodeTabs label={t.code} codes={chatSnippets(protocol, request, location.origin)} />
    </div>
  );
}
