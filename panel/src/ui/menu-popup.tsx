/** A button with its short list of things to do or to choose, open. */
import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import type { MenuProps } from "./menu-props.ts";

export function MenuPopup({ label, trigger, head, items, align = "end" }: MenuProps): ReactNode {
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger className="button button-ghost button-small" aria-label={label}>
        {trigger ?? <Icon name="more" />}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popup-place" align={align} sideOffset={6}>
          <Base.Popup className="menu">
            {head === undefined ? null : <div className="menu-head">{head}</div>}
            {items.map((item) => (
              <Base.Item
                key={item.label}
                className={item.danger === true ? "menu-item menu-item-danger" : "menu-item"}
                disabled={item.disabled === true}
                {...(item.checked === undefined
                  ? {}
                  : { role: "menuitemradio", "aria-checked": item.checked })}
                onClick={() => item.onSelect()}
              >
                {item.checked === undefined ? null : (
                  <span className="menu-mark">
                    {item.checked ? <Icon name="check" size={14} /> : null}
                  </span>
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
