/** `/healthz` and `/readyz` (contract §11). */
import Type from "typebox";

export const Health = Type.Object(
  { status: Type.Literal("ok") },
  { description: "The process is alive." },
);

export const Readiness = Type.Object(
  {
    status: Type.Enum(["ready", "not ready"]),
    checks: Type.Record(Type.String(), Type.String({ description: "`ok`, or what is wrong." }), {
      description: "Each thing that the process needs.",
      examples: [{ database: "ok", draining: "ok" }],
    }),
  },
  { description: "Whether the process takes requests." },
);
