/** What a menu is given: the button and its list are drawn apart from each other. */
import type { ReactNode } from "react";
import type { IconName } from "./icon-paths.ts";

interface MenuItem {
  readonly label: string;
  onSelect(): void;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Given: one of several choices, chosen or not. */
  readonly checked?: boolean;
}

export interface MenuProps {
  /** For screen readers. */
  readonly label: string;
  /** Three dots where nothing is given. */
  readonly trigger?: ReactNode;
  readonly head?: ReactNode;
  /** Which of its edges lies below the button's: its end by default. */
  readonly align?: "start" | "end";
  readonly items: readonly MenuItem[];
}
