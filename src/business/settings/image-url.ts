/** Where a picture of the settings is served, below this server: it changes with what is in it. */

export const IMAGE_ROOT = "/panel/brand";

export function imageUrl(digest: string): string {
  return `${IMAGE_ROOT}/${digest}.png`;
}
