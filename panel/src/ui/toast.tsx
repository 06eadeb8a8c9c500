/** Short notes at the edge of the screen: what was done, or why it was not. */
import { Toast } from "@base-ui/react/toast";
import type { ReactNode } from "react";
import { useFaults } from "../i18n/use-faults.ts";
import { useWords } from "../i18n/use-words.ts";
import { Icon } from "./icon.tsx";

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const words = useWords();
  return (
    <Toast.Provider timeout={6000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts" aria-label={words.notify}>
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList(): ReactNode {
  const words = useWords();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`toast toast-${toast.type ?? "done"}`}
      // The library hides an urgent one and its button from screen readers, which hear a copy, but
      // not from the keyboard.
      aria-hidden={false}
    >
      <Toast.Content className="toast-content">
        <Icon name={toast.type === "failed" ? "warning" : "check"} />
        <Toast.Title className="toast-title" render={<p />} />
        <Toast.Close
          className="button button-ghost button-small"
          aria-label={words.close}
          aria-hidden={false}
        >
          <Icon name="close" size={14} />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

export interface Toasts {
  done(text: string): void;
  failed(error: unknown): void;
}

export function useToasts(): Toasts {
  const manager = Toast.useToastManager();
  const faults = useFaults();
  return {
    done: (text) => void manager.add({ title: text, type: "done" }),
    failed: (error) =>
      void manager.add({ title: faults.sentence(error), type: "failed", priority: "high" }),
  };
}
