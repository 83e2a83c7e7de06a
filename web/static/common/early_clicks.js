// @ts-check
/** Buttons that are clicked while the modules of a page still load: they are clicked again once all have run. */

{
  /** @type {HTMLButtonElement[]} */
  const early = [];
  const keep = (/** @type {MouseEvent} */ event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    early.push(button);
  };
  addEventListener("click", keep, true);
  addEventListener("DOMContentLoaded", () => {
    removeEventListener("click", keep, true);
    for (const button of early) button.click();
  });
}
