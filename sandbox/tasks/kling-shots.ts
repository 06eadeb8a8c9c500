/** Kling 3.0's two nested fields: the shots of a film and the elements its prompt refers to. */
import { isObject } from "../is-object.ts";
import { images, videos, type FoundMedia } from "./model-field.ts";

/** `multi_prompt`: up to 5 of `{prompt, duration}`. */
export function checkShots(value: unknown): string | null {
  if (!Array.isArray(value) || value.length > 5) return "takes a list of at most 5 shots";
  for (const shot of value) {
    if (!isObject(shot) || typeof shot["prompt"] !== "string" || [...shot["prompt"]].length > 500)
      return "every shot needs a prompt of at most 500 characters";
    const duration = Number(shot["duration"]);
    if (!Number.isInteger(duration) || duration < 1 || duration > 12)
      return "the duration of a shot is 1 to 12 seconds";
  }
  return null;
}

/**
 * `kling_elements`: up to 3 of `{name, description, element_input_urls}` with 2 to 4 pictures or
 * one film.
 */
export function checkElements(value: unknown): string | null {
  if (!Array.isArray(value) || value.length > 3) return "takes a list of at most 3 elements";
  for (const element of value) {
    if (
      !isObject(element) ||
      typeof element["name"] !== "string" ||
      typeof element["description"] !== "string"
    )
      return "every element needs a name and a description";
    const urls = urlsOf(element);
    if (urls.length < 1 || urls.length > 4) return "every element needs 2 to 4 images or one video";
  }
  return null;
}

/** More than one URL are pictures; a single one is a film. */
export function elementMedia(value: unknown): FoundMedia[] {
  const elements: unknown[] = Array.isArray(value) ? value : [];
  return elements.flatMap((element, at) => {
    const urls = isObject(element) ? urlsOf(element) : [];
    const field =
      urls.length > 1 ? images(2, 4, 10, { types: ["image/jpeg", "image/png"] }) : videos(1, 1, 50);
    return urls.map((url, index) => ({ path: `kling_elements[${at}][${index}]`, url, field }));
  });
}

/** kie's pages name the list differently for pictures and films; adapters may use either. */
function urlsOf(element: Record<string, unknown>): string[] {
  const list =
    element["element_input_urls"] ?? element["element_input_video_urls"] ?? element["urls"];
  return Array.isArray(list) ? list.filter((url) => typeof url === "string") : [];
}
