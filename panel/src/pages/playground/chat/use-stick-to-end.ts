/**
 * Keeps the end of what grows in sight, for as long as the reader is there: who scrolled up to read
 * is left alone.
 */
import { useCallback, useEffect, useRef } from "react";
import type { RefObject } from "react";

const NEAR_PIXELS = 80;

interface StickToEnd {
  /** Of the box that scrolls; what grows is its one child. */
  readonly box: RefObject<HTMLDivElement | null>;
  onScroll(): void;
}

/** @param begun another one brings the reader back to the end: something new was said. */
export function useStickToEnd(begun: number): StickToEnd {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const last = useRef(0);
  const toEnd = useCallback(() => {
    const element = box.current;
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  }, []);
  useEffect(() => {
    atEnd.current = true;
    toEnd();
  }, [begun, toEnd]);
  useEffect(() => {
    const grown = box.current?.firstElementChild;
    if (grown === null || grown === undefined) return undefined;
    const watch = new ResizeObserver(toEnd);
    watch.observe(grown);
    return () => watch.disconnect();
  }, [toEnd]);
  return {
    box,
    onScroll() {
      const element = box.current;
      if (element === null) return;
      const below = element.scrollHeight - element.scrollTop - element.clientHeight;
      // Only who goes up leaves the end: what grew since it was scrolled to is no reader's wish.
      if (below < NEAR_PIXELS) atEnd.current = true;
      else if (element.scrollTop < last.current) atEnd.current = false;
      last.current = element.scrollTop;
    },
  };
}
