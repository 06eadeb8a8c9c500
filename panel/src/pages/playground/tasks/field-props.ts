/** What a field of a task's form is given, whatever its kind. */
import type { AnyField } from "./field-bounds.ts";

export interface TaskFieldProps<Field extends AnyField = AnyField> {
  readonly field: Field;
  /** `duration`, `elements[0].urls`. */
  readonly path: string;
  readonly value: unknown;
  /** Undefined: not given. */
  onChange(value: unknown): void;
}
