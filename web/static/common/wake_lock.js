// @ts-check
/** Keeps the screen on, where the browser allows it: nobody touches a table's page for minutes. */

let isWanted = false, isAsking = false;
/** @type {WakeLockSentinel | null} */
let lock = null;

document.addEventListener("visibilitychange", hold); // a page out of sight loses its lock

/** @param {boolean} yes whether the screen is to stay on from now on */
export function keepAwake(yes) {
  isWanted = yes;
  hold().catch((why) => console.error(why));
}

async function hold() {
  if (isAsking) return;
  isAsking = true;
  if (isWanted && !document.hidden && (lock?.released ?? true)) lock = await navigator.wakeLock?.request("screen").catch(() => null) ?? null; // refused where the battery is low
  isAsking = false;
  if (!isWanted) await lock?.release();
}
