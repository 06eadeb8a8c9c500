/** Starts nginx as a plain reverse proxy, where it is installed. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Absence, Peer, PeerContext } from "./peer.ts";
import { freePort, spawnServer } from "./spawn-server.ts";

/** One process, as the others; answers are passed on as they come. */
function configuration(folder: string, port: number, upstreamPort: number): string {
  return `
daemon off;
master_process off;
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log error;
events { worker_connections 12000; }
http {
  access_log off;
  client_max_body_size 64m;
  client_body_temp_path ${folder}/nginx-bodies;
  proxy_temp_path ${folder}/nginx-answers;
  fastcgi_temp_path ${folder}/nginx-unused;
  uwsgi_temp_path ${folder}/nginx-unused;
  scgi_temp_path ${folder}/nginx-unused;
  keepalive_requests 1000000000;
  upstream scripted { server 127.0.0.1:${upstreamPort}; keepalive 1024; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /alive { return 200 "alive"; }
    location / {
      proxy_pass http://scripted;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`;
}

export async function startNginx(context: PeerContext): Promise<Peer | Absence> {
  try {
    execFileSync("nginx", ["-v"], { stdio: "ignore" });
  } catch {
    return { absent: "nginx is not installed here" };
  }
  const port = await freePort();
  const file = join(context.folder, "nginx.conf");
  mkdirSync(join(context.folder, "nginx-unused"), { recursive: true });
  writeFileSync(file, configuration(context.folder, port, context.upstreamPort));
  const server = await spawnServer({
    leash: context.native.leash,
    command: ["nginx", "-p", context.folder, "-e", join(context.folder, "nginx.log"), "-c", file],
    folder: context.folder,
    logFile: join(context.folder, "nginx.out"),
    environment: context.environment,
    port: () => port,
  });
  return {
    name: "nginx",
    title: "nginx",
    port,
    pid: server.pid,
    ownPath: "/alive",
    headers: [],
    keys: null,
    answered: () => undefined,
    async stop() {
      await server.stop();
      return null;
    },
  };
}
