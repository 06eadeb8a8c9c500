/**
 * The inside of a dialog in which an operator changes something: fields, what will come of it, and
 * the button that does it.
 */
import type { ReactNode } from "react";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../button.tsx";
import { Form } from "../form.tsx";
import "./operator.css";

interface ActionFormProps {
  /** Names the action. */
  readonly action: string;
  /** What will be different afterwards. */
  readonly effect: ReactNode;
  /** The fields say enough. */
  readonly ready: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  readonly danger?: boolean;
  onSubmit(): void;
  onCancel(): void;
  readonly children?: ReactNode;
}

export function ActionForm({
  action,
  effect,
  ready,
  busy,
  error,
  danger = false,
  onSubmit,
  onCancel,
  children,
}: ActionFormProps): ReactNode {
  const words = useWords();
  return (
    <Form
      error={error}
      onSubmit={() => {
        if (ready && !busy) onSubmit();
      }}
    >
      {children}
      <div className="operator-effect" aria-live="polite">
        {effect}
      </div>
      <div className="dialog-actions">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button type="submit" look={danger ? "danger" : "primary"} busy={busy} disabled={!ready}>
          {action}
        </Button>
      </div>
    </Form>
  );
}
