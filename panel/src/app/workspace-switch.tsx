/** Whose pages these are: an account's, or, for operators, the whole gateway's. */
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { useSession } from "./session.ts";
import { useShell } from "./use-shell.ts";
import { useWorkspace } from "./use-workspace.ts";

const MARK_LETTERS = 2;

export function WorkspaceSwitch(): ReactNode {
  const shell = useShell();
  const { member, account } = useSession();
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const name = workspace === "gateway" ? shell.gateway : account.name;
  const shown = (
    <>
      {/* A drawing and no words: its letters come from the style. */}
      <span className="workspace-mark" data-mark={markOf(name)} aria-hidden="true" />
      <span className="workspace-name" title={name}>
        {name}
      </span>
    </>
  );
  if (!member.operator) return <div className="workspace">{shown}</div>;
  return (
    <div className="workspace workspace-choice">
      <Menu
        label={`${shell.workspace}: ${name}`}
        align="start"
        trigger={
          <>
            {shown}
            <Icon name="down" size={14} />
          </>
        }
        items={[
          {
            label: account.name,
            checked: workspace === "account",
            onSelect: () => void navigate({ to: "/" }),
          },
          {
            label: shell.gateway,
            checked: workspace === "gateway",
            onSelect: () => void navigate({ to: "/operator" }),
          },
        ]}
      />
    </div>
  );
}

/** The first letters of its first words; quotes and marks are none. */
function markOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.slice(0, MARK_LETTERS).map((word) => [...word][0] ?? "");
  return letters.join("").toUpperCase();
}
