/**
 * Who put a version of the catalogue in force: a member by e-mail, a command or a start in words.
 */
import type { ReactNode } from "react";
import type { CatalogueVersion } from "../../../../src/contract/panel/operator-catalogue.ts";
import { ServerActor } from "../../ui/operator/server-actor.tsx";

export function AppliedBy({
  origin,
  appliedBy,
}: Pick<CatalogueVersion, "origin" | "appliedBy">): ReactNode {
  if (origin === "file") return <ServerActor actor="start:" id={appliedBy} />;
  // A command keeps the name of the system's user alone.
  return appliedBy.includes("@") ? (
    appliedBy
  ) : (
    <ServerActor actor={`cli:${appliedBy}`} id={appliedBy} />
  );
}
