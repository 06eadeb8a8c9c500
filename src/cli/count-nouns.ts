/** A number of things in words: `1 key`, `2 keys`. */
export function countNouns(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${Number(count) === 1 ? one : many}`;
}
