/** The files of a new PostgreSQL cluster for tests: made fast, without waiting for the disk. */
import { join } from "node:path";
import { locateBinaries, type Binaries } from "#embedded-postgres/binaries.ts";
import { initCluster, writeAccessRules } from "#embedded-postgres/init-cluster.ts";
import {
  chooseServerUser,
  currentUserName,
  type ServerUser,
} from "#embedded-postgres/server-user.ts";
import { makeSocketFolder } from "#embedded-postgres/socket-folder.ts";
import { initOlderCluster } from "./older-servers.ts";

export interface NewCluster {
  readonly binaries: Binaries;
  /** Whom its server runs as; null: as we do. */
  readonly user: ServerUser | null;
  readonly clusterDir: string;
}

/** @param programs a folder of another server's programs; null: those that come with it */
export async function newCluster(
  base: string,
  programs: string | null = null,
): Promise<NewCluster> {
  const clusterDir = join(base, "cluster");
  const user = chooseServerUser(clusterDir);
  if (programs !== null)
    return { binaries: initOlderCluster(programs, clusterDir, user), user, clusterDir };
  const binaries = locateBinaries(user);
  await initCluster({ binaries, user, clusterDir, sync: false });
  return { binaries, user, clusterDir };
}

/** One whose server listens on a socket, to us and to the user that it runs as. */
export async function newSocketCluster(
  base: string,
  programs: string | null = null,
): Promise<NewCluster & { readonly socketFolder: string }> {
  const cluster = await newCluster(base, programs);
  const own = currentUserName();
  writeAccessRules(cluster.clusterDir, new Set(["root", own, cluster.user?.name ?? own]));
  return { ...cluster, socketFolder: makeSocketFolder(cluster.user) };
}
