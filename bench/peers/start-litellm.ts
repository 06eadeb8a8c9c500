/** Starts the LiteLLM proxy, a gateway in Python, without billing, where it is installed. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Absence, Peer, PeerContext } from "./peer.ts";
import { freePort, spawnServer } from "./spawn-server.ts";
import { MODELS } from "./tollgate-catalogue.ts";

const PROGRAM = "litellm";

function configuration(upstreamPort: number): string {
  const models = Object.values(MODELS).map(
    (name) => `
  - model_name: ${name}
    litellm_params:
      model: openai/${name}
      api_base: http://127.0.0.1:${upstreamPort}/v1
      api_key: sk-upstream`,
  );
  return `model_list:${models.join("")}\n`;
}

export async function startLitellm(context: PeerContext): Promise<Peer | Absence> {
  try {
    execFileSync("which", [PROGRAM], { stdio: "ignore" });
  } catch {
    return { absent: "litellm is not installed here" };
  }
  // It refuses to start with a weak one.
  const key = `sk-${randomBytes(32).toString("hex")}`;
  const port = await freePort();
  const file = join(context.folder, "litellm.yaml");
  writeFileSync(file, configuration(context.upstreamPort));
  const server = await spawnServer({
    leash: context.native.leash,
    command: [PROGRAM, "--config", file, "--host", "127.0.0.1", "--port", String(port)],
    folder: context.folder,
    logFile: join(context.folder, "litellm.log"),
    // Else it asks the network for prices at its start.
    environment: {
      ...context.environment,
      LITELLM_MASTER_KEY: key,
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
    },
    port: () => port,
  });
  return {
    name: "litellm",
    title: "LiteLLM",
    port,
    pid: server.pid,
    ownPath: "/health/liveliness",
    headers: [`authorization: Bearer ${key}`],
    keys: null,
    answered: () => undefined,
    async stop() {
      await server.stop();
      return null;
    },
  };
}
