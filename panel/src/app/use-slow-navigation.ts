/**
 * Whether the next page is so long on its way that its reader should hear of it; a quick one comes
 * without a flicker.
 */
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";

const QUICK_MS = 150;

export function useSlowNavigation(): boolean {
  const loading = useRouterState({ select: ({ isLoading }) => isLoading });
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!loading) return undefined;
    const timer = setTimeout(() => setSlow(true), QUICK_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [loading]);
  return slow;
}
