/** Waits until a gateway reads lists from its replica. */
import { until } from "../support/until.ts";

export async function untilReadThere({ url }: { readonly url: string }): Promise<void> {
  await until("lists are read from the standby", async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const lines = text.match(/^tollgate_replica_passed_over\{.*$/gm) ?? [];
    return lines.length > 0 && lines.every((line) => line.endsWith(" 0"));
  });
}
