const SVG = "http://www.w3.org/2000/svg";

/**
 * Create a picture of paths in a box of 24 by 24.
 *
 * @param {string} name Its class.
 * @param {readonly (readonly [part: string, d: string])[]} paths
 */
export function drawing(name, paths) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", name);
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  for (const [part, d] of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", part);
    path.setAttribute("d", d);
    picture.append(path);
  }
  return picture;
}
