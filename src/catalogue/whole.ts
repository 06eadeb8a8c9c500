/** Something read part by part: undefined while a part of it is missing because it was mistaken. */

export function whole<T extends object>(parts: { readonly [Key in keyof T]: T[Key] | undefined }):
  | T
  | undefined {
  return Object.values(parts).includes(undefined) ? undefined : (parts as T);
}
