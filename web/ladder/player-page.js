import { ApiError } from "../../clients/typescript/src/errors.js";
import { h, section } from "../shared/dom.js";
import { dateTime, language, number, signed, t } from "../shared/i18n.js";
import { playerUrl, ratingText } from "../shared/rating.js";
import { toastError } from "../shared/toast.js";
import { gameUrl } from "../shared/urls.js";
import { skye } from "../state/api.js";
import { saveTokens } from "../state/tokens.js";
import { ladderName, ladders } from "./ladders.js";
import { ownName } from "./own-profile.js";

/** @typedef {import("./ladders.js").PlayerPage} PlayerPage */
/** @typedef {PlayerPage["results"][number]} Rated */

/** Create the public page of a player. @param {string} name */
export async function playerPage(name) {
  const [player, offered] = await Promise.all([ladders.player(name), ladders.list()]);
  const nameOf = (/** @type {string} */ id) => {
    const ladder = offered.find((each) => each.id === id);
    return ladder ? ladderName(ladder) : id;
  };
  return {
    title: player.name,
    parts: [
      h("div", { class: "stack" }, about(player), section(t("profile.ratings"), ratings(player, nameOf))),
      h(
        "div",
        { class: "stack" },
        section(
          t("profile.results"),
          player.results.length
            ? h("ul", { class: "games rated-results" }, ...player.results.map((result) => row(result, name, nameOf)))
            : h("p", { class: "faint" }, t("profile.no_results")),
        ),
      ),
    ],
  };
}

/** @param {PlayerPage} player */
function about({ name, bot, description, link, created_at: created }) {
  return h(
    "section",
    { class: "panel", "aria-label": name },
    description ? h("p", { class: "description" }, h("bdi", {}, description)) : null,
    link && /^https?:/.test(link)
      ? h("p", {}, h("a", { href: link, rel: "nofollow noopener noreferrer" }, link))
      : null,
    h(
      "p",
      { class: "faint" },
      bot ? h("span", { class: "badge program" }, t("ladder.bot")) : null,
      t("profile.since", { time: day(created) }),
    ),
    name === ownName() ? h("p", {}, h("a", { href: "/play/?profile" }, t("profile.edit"))) : null,
  );
}

/** @param {PlayerPage} player @param {(ladder: string) => string} nameOf */
function ratings(player, nameOf) {
  if (!player.ratings.length) return h("p", { class: "faint" }, t("profile.no_results"));
  const heads = ["rating", "rank", "games", "gave_up"].map((key) => h("th", { scope: "col" }, t(`ladder.${key}`)));
  const groups = player.ratings.map((rating) =>
    h(
      "tbody",
      {},
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "rowgroup", colspan: heads.length },
          h("a", { href: `/play/?ladder=${rating.ladder}` }, nameOf(rating.ladder)),
        ),
      ),
      h(
        "tr",
        {},
        h("td", { class: "rating" }, ratingText(rating)),
        h("td", {}, rating.rank === null ? "–" : `${number(rating.rank)}.`),
        h("td", {}, number(rating.games)),
        h("td", {}, number(rating.gave_up)),
      ),
    ),
  );
  return h("table", { class: "standings ratings" }, h("thead", {}, h("tr", {}, ...heads)), ...groups);
}

/** @param {Rated} result @param {string} name @param {(ladder: string) => string} nameOf */
function row(result, name, nameOf) {
  const { names, gave_up: gaveUp, counted, changes, finished_at: finished, game_id: game } = result;
  const seat = names.indexOf(name); // -1 after a change of the name
  const change = changes?.[seat];
  const others = names
    .filter((_, at) => at !== seat)
    .flatMap((other, at) => [at ? ", " : "", h("a", { href: playerUrl(other) }, h("bdi", {}, other))]);
  const replay = h(
    "a",
    {
      href: `${gameUrl(game)}&replay=1`,
      onclick: (/** @type {MouseEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        void openReplay(result, name).catch(toastError);
      },
    },
    t("result.replay"),
  );
  const facts = [
    counted ? "" : t("profile.not_rated"),
    gaveUp.includes(seat) ? t("profile.gave_up") : "",
    nameOf(result.ladder),
  ].filter(Boolean);
  return h(
    "li",
    {},
    outcome(result, seat),
    h("span", { class: "opponents" }, t("profile.against"), " ", ...others),
    counted && change ? changeText(change) : null,
    h(
      "div",
      {},
      h(
        "span",
        { class: "faint" },
        h("time", { datetime: finished, title: dateTime(finished) }, day(finished)),
        ` · ${facts.join(" · ")}`,
      ),
      replay,
    ),
  );
}

/** Create the badge with what a player has reached in a game. @param {Rated} result @param {number} seat */
function outcome({ names, placing, counted }, seat) {
  const place = placing.find((each) => each.seat === seat)?.place;
  const isShared = placing.filter((each) => each.place === place).length > 1;
  if (!place) return h("span", { class: "badge" }, t("result.title"));
  if (counted && !isShared) {
    if (place === 1) return h("span", { class: "badge won" }, t("profile.won"));
    if (names.length === 2) return h("span", { class: "badge" }, t("profile.lost"));
  }
  return h("span", { class: "badge" }, t("past.place", { place, players: names.length }));
}

/** Return the date of a time as the reader writes it. @param {string} at */
function day(at) {
  return new Date(at).toLocaleDateString(language, { dateStyle: "medium" });
}

/** Create what a game changed of a rating. @param {{before: number, after: number}} change */
export function changeText({ before, after }) {
  const kind = after < before ? "loss" : "gain";
  return h("span", { class: `change ${kind}` }, `${after} (${signed(after - before)})`);
}

/**
 * Open the replay of a rated game. A game that has expired is created again from the record, which the ladder has longer.
 *
 * @param {Rated} result
 * @param {string} name
 */
async function openReplay({ game_id: game, ladder, number: counted }, name) {
  try {
    await skye.game(game, null).get();
    return location.assign(`${gameUrl(game)}&replay=1`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "game_not_found") throw error;
  }
  const path = `/v1/players/${encodeURIComponent(name)}/records`;
  const query = new URLSearchParams({ ladder, limit: "1", cursor: String(counted + 1) });
  const lines = await (await fetch(`${path}?${query}`)).text();
  const { record } = JSON.parse(lines.split("\n")[0]);
  const { game: copy, host_token: host } = await skye.transport.json("POST", "/v1/games", {
    body: { record, visibility: "private" },
  });
  saveTokens(copy.id, { host });
  location.assign(`${gameUrl(copy.id)}&replay=1`);
}
