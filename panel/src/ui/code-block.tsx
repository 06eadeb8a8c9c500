/** Code to be copied; the same in several languages under tabs. */
import { useState } from "react";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Tabs } from "./tabs.tsx";

export interface Code {
  /** `curl`, `TypeScript`. */
  readonly name: string;
  readonly code: string;
}

export function CodeBlock({
  code,
  label,
}: {
  readonly code: string;
  readonly label: string;
}): ReactNode {
  return (
    <div className="code-block">
      <pre tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={label} bare />
    </div>
  );
}

export function CodeTabs({
  label,
  codes,
}: {
  readonly label: string;
  readonly codes: readonly Code[];
}): ReactNode {
  const [chosen, setChosen] = useState(codes[0]?.name ?? "");
  return (
    <Tabs
      label={label}
      value={codes.some(({ name }) => name === chosen) ? chosen : (codes[0]?.name ?? "")}
      onChange={setChosen}
      tabs={codes.map(({ name, code }) => ({
        value: name,
        label: name,
        content: <CodeBlock code={code} label={name} />,
      }))}
    />
  );
}
