/** What stands around every answer of the tasks and storage family (contract §7, §8). */
import Type, { type TSchema } from "typebox";

export function envelope(data: TSchema, description: string) {
  return Type.Object(
    { code: Type.Literal(200), msg: Type.Literal("success"), data },
    { description },
  );
}
