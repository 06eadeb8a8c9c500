/** `tollgate serve`: runs the gateway. */
import type { Command, Role } from "../command.ts";
import { ROLES, usage } from "../command.ts";
import { didYouMean } from "../read-arguments.ts";
import { readList } from "../read-values.ts";

export const serve: Command = {
  name: "serve",
  summary: "Run the gateway until Ctrl-C",
  positionals: [],
  options: {
    roles: { value: "api,worker", help: "what this process does; everything by default" },
  },
  async run({ options, deps }) {
    const roles = new Set<Role>();
    for (const name of readList(options.get("roles")) ?? ROLES) {
      const role = ROLES.find((known) => known === name);
      if (role === undefined)
        return usage(
          `--roles: "${name}" is not one of ${ROLES.join(", ")}${didYouMean(name, ROLES)}`,
        );
      roles.add(role);
    }
    return { kind: "exit", code: await deps.serve(roles) };
  },
};
