/** A button that opens a short list of things to do or to choose. */
import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  onSelect(): void;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Given: one of several choices, chosen or not. */
  readonly checked?: boolean;
}

interface MenuProps {
  /** For screen readers. */
  readonly label: string;
  /** Three dots where nothing is given. */
  readonly trigger?: ReactNode;
  readonly head?: ReactNode;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, trigger, head, items }: MenuProps): ReactNode {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className="button button-ghost button-small" aria-label={label}>
        {trigger ?? <Icon name="more" />}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popup-place" align="end" sideOffset={6}>
          <Base.Popup className="menu">
            {head === undefined ? null : <div className="menu-head">{head}</div>}
            {items.map((item) => (
              <Base.Item
                key={item.label}
                className={item.danger === true ? "menu-item menu-item-danger" : "menu-item"}
                disabled={item.disabled === true}
                {...(item.checked === undefined ? {} : { role: "menuitemradio", "aria-checked": item.checked })}
                onClick={() => item.onSelect()}
              >
                {item.checked === undefined ? null : (
                  <span className="menu-mark">{item.checked ? <Icon name="check" size={14} /> : null}</span>
                )}
                {item.icon === undefined ? null : <Icon name={item.icon} size={16} />}
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
