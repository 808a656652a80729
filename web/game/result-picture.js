import { number } from "../shared/i18n.js";
import { boundsOf } from "./place.js";
import { ranked, winnersText } from "./seats.js";
import { tilePicture } from "../state/pictures.js";

/** @typedef {import("../state/api.js").Game} Game */

const WIDTH = 1200;
const HEAD = 110;
const MAP = 360;
const TEXT = 90;
const GAP = 30;

/** Draw the result of a game with all territories; save or share it as a PNG file. @param {Game} view */
export async function saveResult(view) {
  const file = new File([await resultPicture(view)], "isle-of-skye.png", { type: "image/png" });
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file] }).catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Return a colour of the palette. @param {string} name */
function paint(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

/** @param {Game} view @returns {Promise<Blob>} */
async function resultPicture(view) {
  const columns = Math.min(3, view.players.length);
  const size = (WIDTH - GAP * (columns + 1)) / columns;
  const rows = Math.ceil(view.players.length / columns);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: WIDTH, height: HEAD + rows * (MAP + TEXT) + GAP });
  const draw = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const text = (
    /** @type {string} */ words,
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ px,
    color = paint("--ink"),
  ) => {
    draw.font = `600 ${px}px Georgia, "Noto Serif", serif`;
    draw.fillStyle = color;
    draw.fillText(words, x, y, WIDTH - x - GAP);
  };
  draw.fillStyle = paint("--page");
  draw.fillRect(0, 0, canvas.width, canvas.height);
  draw.fillStyle = paint("--moss");
  draw.fillRect(0, 0, WIDTH, HEAD - GAP);
  const winners = view.result?.winners ?? [];
  text(`Isle of Skye · ${winnersText(winners, view)}`, GAP, 52, 34, paint("--on-moss"));
  const order = view.result ? ranked(view.result).map(({ seat }) => view.players[seat]) : view.players;
  await Promise.all(
    order.map(async (player, index) => {
      const [left, top] = [GAP + (index % columns) * (size + GAP), HEAD + Math.floor(index / columns) * (MAP + TEXT)];
      text(`${winners.includes(player.seat) ? "★ " : ""}${player.name} · ${number(player.score)}`, left, top + 34, 28);
      await drawTerritory(draw, view.ruleset, player, left, top + 50, size, MAP);
    }),
  );
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("No picture")))),
  );
}

/**
 * Draw a territory as large as it fits into a box.
 *
 * @param {CanvasRenderingContext2D} draw
 * @param {string} ruleset
 * @param {import("../state/api.js").Player} player
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {number} height
 */
async function drawTerritory(draw, ruleset, { territory }, left, top, width, height) {
  const { left: west, top: north, columns, rows } = boundsOf(territory);
  const side = Math.min(width / columns, height / rows, 120);
  await Promise.all(
    territory.map(async ({ tile, x, y, rotation }) => {
      const picture = new Image();
      picture.src = tilePicture(ruleset, tile, rotation);
      await picture.decode();
      draw.drawImage(picture, left + (x - west) * side, top + (y - north) * side, side, side);
    }),
  );
}
