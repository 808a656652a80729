/** How much of the last item has to be in sight, for the list to be at its end. */
const IN_SIGHT = 0.9;

/**
 * Mark what scrolls with the class `more` while items of its list are beyond its end, so that a sign can say so.
 *
 * @param {Element} scroller
 * @param {Element} list
 */
export function hintScroll(scroller, list) {
  /** How much of each item is in sight; of hidden ones nothing is known. @type {Map<Element, number>} */
  const inSight = new Map();
  const items = new IntersectionObserver(
    (entries) => {
      for (const { target, boundingClientRect, intersectionRatio } of entries)
        if (boundingClientRect.width) inSight.set(target, intersectionRatio);
        else inSight.delete(target);
      const last = [...list.children].findLast((item) => inSight.has(item));
      scroller.classList.toggle("more", last !== undefined && (inSight.get(last) ?? 1) < IN_SIGHT);
    },
    { root: scroller, threshold: [0, IN_SIGHT] },
  );
  const watch = () => {
    items.disconnect();
    inSight.clear();
    for (const item of list.children) items.observe(item);
  };
  new MutationObserver(watch).observe(list, { childList: true });
  watch();
}
