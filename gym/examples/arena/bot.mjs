// A bot for `skye-arena` without dependencies: it sets prices of 2 gold, buys the cheapest tile, and builds the first legal
// placement.
// gym/skye_gym/arena/PROTOCOL.md describes the messages.
import { createInterface } from "node:readline";

const price = (position, tile) =>
  position.players.flatMap((player) => player.tiles_on_offer).find((drawn) => drawn.tile === tile).price;

function choose({ position, moves, offer }) {
  if (offer) {
    const [discard, ...kept] = offer.tiles;
    const asked = offer.gold >= 4 ? 2 : offer.minimum;
    return { type: "set_offer", discard, prices: Object.fromEntries(kept.map((tile) => [tile, asked])) };
  }
  const purchases = moves.filter((move) => move.type === "buy");
  purchases.sort((one, other) => price(position, one.tile) - price(position, other.tile));
  return purchases[0] ?? moves[0];
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id: request.id, move: choose(request) })}\n`);
}
