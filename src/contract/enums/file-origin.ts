/** How a file came to be kept. */

export const FILE_ORIGINS = ["upload", "fetched", "result"] as const;
export type FileOrigin = (typeof FILE_ORIGINS)[number];
