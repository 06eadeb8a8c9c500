/**
 * What the sandbox's films show: a square that walks once over a quiet ground, as raw pictures (YUV
 * 4:2:0).
 */

/** Inside of what the models take as reference (24 to 60). */
export const PICTURES_PER_SECOND = 24;

/**
 * One second and its end meets its beginning; the colours follow `tint` (0 to 15). Each buffer is
 * overwritten by the next.
 */
export function* cameraPictures(
  spec: { readonly width: number; readonly height: number; readonly tint: number },
  count: number,
): Generator<Buffer> {
  const { width, height } = spec;
  const ground = paintGround(width, height, spec.tint);
  const side = Math.max(2, Math.floor(Math.min(width, height) / 4) & ~1);
  const picture = Buffer.alloc(ground.length);
  for (let at = 0; at < count; at++) {
    ground.copy(picture);
    const turn = (2 * Math.PI * at) / PICTURES_PER_SECOND;
    const left = Math.round(((width - side) / 2) * (1 + Math.cos(turn)));
    const top = Math.round(((height - side) / 2) * (1 + Math.sin(turn)));
    for (let row = top; row < top + side; row++)
      picture.fill(210, row * width + left, row * width + left + side);
    yield picture;
  }
}

function paintGround(width: number, height: number, tint: number): Buffer {
  const luma = width * height;
  const half = (width / 2) * (height / 2);
  const ground = Buffer.alloc(luma + 2 * half);
  for (let row = 0; row < height; row++)
    ground.fill(40 + Math.floor((80 * row) / height), row * width, (row + 1) * width);
  const angle = (2 * Math.PI * tint) / 16;
  ground.fill(128 + Math.round(60 * Math.cos(angle)), luma, luma + half);
  ground.fill(128 + Math.round(60 * Math.sin(angle)), luma + half);
  return ground;
}
