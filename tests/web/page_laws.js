/** What is wrong with a page as people see it: measured on what is drawn, not on how it was meant; null while its window has another size. */
async (wanted) => {
  await Promise.race([document.fonts.ready, new Promise((done) => setTimeout(done, 2000))]);
  // Chromium now and then draws no frame, or loses a new size.
  const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 200); });
  for (let k = 0; k < 20 && (k < 1 || innerWidth !== wanted.width || innerHeight !== wanted.height); k += 1) await frame();
  if (innerWidth !== wanted.width || innerHeight !== wanted.height) return null;
  // Chromium may keep what is measured in parts of the window until styles change: they do.
  for (let k = 0; k < 2; k += 1) {
    document.documentElement.style.setProperty("--asked", String(Math.random()));
    await frame();
  }
  const faults = [];
  const name = (one) => one.id ? `#${one.id}` : `${one.tagName.toLowerCase()}${one.classList.length ? "." + [...one.classList].join(".") : ""}`;
  const isShown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const told = (box) => `${Math.round(box.left)},${Math.round(box.top)} ${Math.round(box.right - box.left)}x${Math.round(box.bottom - box.top)}`;
  const meet = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const isThere = (box, least = 1) => box.right - box.left > least && box.bottom - box.top > least;
  const isIn = (box, frame) => box.left >= frame.left - 1 && box.top >= frame.top - 1 && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 1;
  const styles = new Map();
  const style = (one) => { if (!styles.has(one)) styles.set(one, getComputedStyle(one)); return styles.get(one); };
  const clips = (one) => style(one).overflowX !== "visible" || style(one).overflowY !== "visible";
  const scrolls = (one) => /auto|scroll/.test(style(one).overflowX + style(one).overflowY);

  /** What is left of a box when all around it have cut off what leaves them. */
  const seenOf = (one, box) => {
    let seen = box;
    for (let up = one.parentElement; up && up !== document.body; up = up.parentElement) {
      if (clips(up)) seen = meet(seen, up.getBoundingClientRect());
      if (style(up).position === "fixed") break;
    }
    return seen;
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) => node.data.trim() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!parent || parent.closest("svg, script, style, noscript, select, .unseen, .skip") || !isShown(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const whole of range.getClientRects()) {
      const height = whole.height * .18; // a letter is lower than its line
      const box = { left: whole.left, right: whole.right, top: whole.top + height, bottom: whole.bottom - height };
      const seen = seenOf(node.parentElement, box);
      const isHidden = style(parent).clipPath !== "none" || parent.closest("[style*='clip-path']");
      if (isHidden || !isThere(box)) continue;
      let cutter = null, isScrolled = false;
      for (let up = parent; up && up !== document.body; up = up.parentElement) {
        if (style(up).clipPath !== "none") { cutter = "hidden"; break; }
        if (scrolls(up)) isScrolled = true;
        else if (clips(up) && !isScrolled && !isIn(box, up.getBoundingClientRect())) cutter ??= up;
      }
      if (cutter === "hidden") continue;
      if (cutter) faults.push(`"${node.data.trim()}" is cut by ${name(cutter)}`);
      if (isThere(seen)) texts.push({ parent, box, seen, isScrolled, text: node.data.trim().slice(0, 50) });
    }
  }

  for (const line of document.querySelectorAll(".who, button, h1, h2")) {
    if (!isShown(line) || line.closest(".unseen")) continue;
    for (const node of [...line.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE)) {
      for (const word of node.data.matchAll(/[^ \n-]+/g)) { // a space that must not break is no space here
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) faults.push(`"${word[0]}" is broken in ${name(line)}`);
      }
    }
  }

  const CARDS = ".player, .foul, .finish, .picture, .story, .guide, .view, .notice, .blind, .over, .alike, .lesson-card, .demo, button:not(.stop), .button";
  for (const { parent, box, seen, isScrolled, text } of texts) {
    const card = parent.closest(CARDS);
    if (card && !isScrolled && !isIn(box, card.getBoundingClientRect())) faults.push(`"${text}" (${told(box)}) leaves ${name(card)} (${told(card.getBoundingClientRect())})`);
    if (seen.right > innerWidth + 1 || seen.left < -1) faults.push(`"${text}" leaves the page`);
    const x = (seen.left + seen.right) / 2, y = (seen.top + seen.bottom) / 2;
    if (y < 0 || y >= innerHeight) continue;
    const over = document.elementFromPoint(x, y);
    let bar = over; // texts scroll under what stays
    while (bar && style(bar).position !== "sticky") bar = bar.parentElement;
    if (bar && !bar.contains(parent)) { seen.right = seen.left; continue; }
    if (over && over !== parent && !over.contains(parent) && !parent.contains(over)) faults.push(`"${text}" lies under ${name(over)}`);
  }
  texts.sort((a, b) => a.seen.top - b.seen.top);
  texts.forEach((one, k) => {
    for (const other of texts.slice(k + 1)) {
      if (other.seen.top >= one.seen.bottom) break;
      if (other.parent !== one.parent && isThere(meet(one.seen, other.seen), 2)) faults.push(`"${one.text}" and "${other.text}" lie on one another`);
    }
  });

  for (const one of document.querySelectorAll("button, a[href], canvas, img, input:not([type=file], [type=radio], [type=checkbox]), svg.board, h1, h2, h3")) {
    if (!isShown(one) || one.closest(".unseen")) continue;
    const box = one.getBoundingClientRect();
    if ((box.width < 1 || box.height < 1) && (one.textContent.trim() || one.tagName !== "H2")) faults.push(`${name(one)} is shown and has no size`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);

  for (const [picture, marks] of [["#picture canvas", "#picture .overlay"], ["#live", "#marks"]]) {
    const canvas = document.querySelector(picture), over = document.querySelector(marks);
    if (!canvas) continue;
    if (!isShown(canvas)) { if (wanted.picture) faults.push("there is no picture"); continue; }
    const box = canvas.getBoundingClientRect(), other = over.getBoundingClientRect();
    if (!isIn(box, other) || !isIn(other, box)) faults.push(`the marks (${told(other)}) do not lie on the picture (${told(box)})`);
    const seen = seenOf(canvas, box), drawn = Math.min(seen.bottom - seen.top, (box.width * canvas.height) / canvas.width);
    if (drawn < 149.5) faults.push(`the picture is ${Math.round(drawn)} px high`);
  }

  /** What of a box a window shows that nobody has scrolled. */
  const picture = document.querySelector("#picture canvas");
  if (wanted.picture && picture && isShown(picture)) {
    const box = picture.getBoundingClientRect(), inWindow = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    if (wanted.first && inWindow < 149.5) faults.push(`${Math.round(inWindow)} px of the picture are in the first screen`);
    const bars = Math.abs(box.width - (box.height * picture.width) / picture.height);
    if (bars > 2) faults.push(`${Math.round(bars)} px of bars lie beside the picture`);
  }
  const newest = document.querySelector("#story li");
  if (newest && isShown(newest) && innerWidth > 1240 && innerHeight > 619) {
    const box = newest.getBoundingClientRect();
    if (!isIn(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight }) || !isIn(box, seenOf(newest, box))) faults.push(`the newest line (${told(box)}) is out of sight`);
  }

  const sight = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const board = document.querySelector("#board svg.board, .cloth-frame svg.board");
  if (board && wanted.board) {
    const box = board.getBoundingClientRect();
    if (!isIn(box, sight)) faults.push(`the board (${told(box)}) is not wholly in sight`);
    if (Math.min(box.width, box.height) < wanted.board) faults.push(`the board is ${told(box)}`);
  }
  const messages = [...document.querySelectorAll(".verdict > section")].filter(isShown);
  for (const one of document.querySelectorAll(".verdict, .verdict *")) {
    if (isShown(one) && clips(one) && !one.closest(".unseen, svg") && one.scrollHeight > one.clientHeight + 1) faults.push(`"${one.textContent.trim().slice(0, 40)}" is cut by ${one.scrollHeight - one.clientHeight} px`);
  }
  for (const one of messages.flatMap((message) => [message, ...message.querySelectorAll("button, a.button, li, p")])) {
    const box = one.getBoundingClientRect(), isDesk = innerWidth > 860 && innerHeight > 619;
    if (isShown(one) && !one.closest(".unseen") && !isIn(box, isDesk ? sight : { ...sight, bottom: 1e5 })) faults.push(`"${one.textContent.trim().slice(0, 40)}" (${told(box)}) is out of sight`);
  }
  const next = messages.length ? [messages[0].querySelector("h2"), [...messages[0].querySelectorAll("button, a.button")].find(isShown)] : [document.querySelector(wanted.next)];
  for (const one of next) {
    if (!one || !wanted.next) continue;
    const box = one.getBoundingClientRect();
    if (one.textContent.trim() && (!isIn(box, sight) || !isIn(box, seenOf(one, box)))) faults.push(`what is to be done next, "${one.textContent.trim().slice(0, 40)}" (${told(box)}), is out of sight`);
  }
  return [...new Set(faults)];
}
