import { signed } from "../shared/i18n.js";

/** Return something that earned points in short, as in "A +3". @param {{text: string, points: number | null}} step */
export function stepText({ text, points }) {
  return points === null ? text : `${text} ${signed(points)}`;
}
