/** Several views of one thing, one at a time. */
import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

interface TabsProps<Value extends string> {
  readonly label: string;
  readonly tabs: readonly {
    readonly value: Value;
    readonly label: string;
    readonly content: ReactNode;
  }[];
  readonly value: Value;
  onChange(value: Value): void;
}

export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onChange,
}: TabsProps<Value>): ReactNode {
  return (
    <Base.Root className="tabs" value={value} onValueChange={(next) => onChange(next as Value)}>
      <Base.List className="tabs-list" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} className="tabs-tab" value={tab.value}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} className="tabs-panel" value={tab.value}>
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
