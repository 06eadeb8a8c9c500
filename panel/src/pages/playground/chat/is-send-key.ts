/**
 * Enter, which sends; with Shift it breaks the line. While a word is being put together by an input
 * method, it belongs to that.
 */
import type { KeyboardEvent } from "react";

export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;
}
