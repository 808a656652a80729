import { button, h, hide, setText } from "../shared/dom.js";
import { list, t } from "../shared/i18n.js";
import { toastError } from "../shared/toast.js";
import { tokensOf } from "../state/tokens.js";
import { proposalText } from "./log.js";

/** @typedef {import("../state/store.js").Store} Store */

/** Return the players who decide together: people who play, or may take their seats back. @param {Store} store */
function peopleOf({ view }) {
  return view.players.filter(({ bot, end }) => bot === null || end?.type === "took_over");
}

/** Return whether several people play a game, or may take their seats back. @param {Store} store */
export function isShared(store) {
  return peopleOf(store).length > 1;
}

/**
 * Return what is proposed and by whom; if our seat agrees, also who must still answer.
 *
 * @param {Store} store
 * @param {NonNullable<Store["view"]["proposal"]>} proposal
 */
function textFor(store, proposal) {
  const { seat, view } = store;
  const agreed = [proposal.seat, ...proposal.agreed];
  const isOurs = seat !== null && proposal.seat === seat;
  const text = isOurs
    ? t(proposal.kind === "pause" ? "proposal.own_pause" : "proposal.own_abort")
    : proposalText(proposal, view);
  if (seat === null || !agreed.includes(seat)) return text;
  const names = peopleOf(store).flatMap((player) => (agreed.includes(player.seat) ? [] : [player.name]));
  return [text, !isOurs && t("proposal.agreed"), names.length > 0 && t("proposal.waiting", { names: list(names) })]
    .filter(Boolean)
    .join(" ");
}

/**
 * Return whether the result of a game counts whatever the players agree: that of a rated game, once an offer is set.
 *
 * @param {Store} store
 */
function mustBePlayed({ view }) {
  const isBegun = view.round > 1 || view.phase !== "pricing" || view.players.some((player) => player.offer_set);
  return Boolean(view.rated) && isBegun;
}

/** Return whether our seat may propose to end the game early: several people play it. @param {Store} store */
export function canProposeAbort(store) {
  const { view, me } = store;
  const isServers = view.origin === null && view.options.clock === "real";
  if (mustBePlayed(store)) return false;
  return view.status === "playing" && isServers && isShared(store) && me?.bot === null && view.proposal === null;
}

/** Return whether the host of this browser may end the game without the others. @param {Store} store */
export function mayEndAlone({ id, view }) {
  return view.status === "playing" && view.options.host_may_abort && Boolean(tokensOf(id).host);
}

/**
 * Create the banner with the open proposal, and the buttons with which our seat answers it.
 *
 * @param {Store} store
 */
export function proposalBanner(store) {
  const answer = (/** @type {boolean} */ accept) => () => {
    const { seat } = store;
    if (seat !== null) void store.send(() => store.game.seat(seat).answerProposal(accept)).catch(toastError);
  };
  const text = h("span", {});
  const accept = button(t("proposal.accept"), answer(true), { "data-act": "accept" });
  const refuse = button(t("proposal.refuse"), answer(false), { "data-act": "refuse" });
  const withdraw = button(t("proposal.withdraw"), answer(false), { "data-act": "withdraw-proposal" });
  const root = h("p", { class: "banner", hidden: true, role: "status" }, text, " ", accept, " ", refuse, withdraw);

  return {
    root,
    update() {
      const { view, me, seat } = store;
      const { proposal } = view;
      hide(root, proposal === null);
      if (proposal === null) return;
      const isOurs = proposal.seat === seat;
      const mayAnswer = me?.bot === null && seat !== null;
      setText(text, textFor(store, proposal));
      hide(accept, !mayAnswer || isOurs || proposal.agreed.includes(seat));
      hide(refuse, !mayAnswer || isOurs);
      hide(withdraw, !mayAnswer || !isOurs);
    },
  };
}
