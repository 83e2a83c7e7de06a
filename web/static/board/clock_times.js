// @ts-check
/** The time on a player's clock. The server sends the times and whose clock runs; between its messages they are counted here. */

/**
 * @param {import("../common/types.js").ClockView} clock @param {number} player
 * @param {number} receivedAt when the clock came, by the page's own time in milliseconds
 * @returns {{seconds: number, text: string}} what the player has left or, counting up, has used
 */
export function timeNow(clock, player, receivedAt) {
  const gone = clock.running === player ? (performance.now() - receivedAt) / 1000 : 0;
  const seconds = clock.seconds[player - 1] + (clock.kind === "up" ? gone : -gone);
  return { seconds, text: formatClock(seconds, clock.kind === "down") };
}

/** A time as "1:02:03" or "2:03"; a clock that counts down is rounded up. @param {number} seconds @param {boolean} isDown */
function formatClock(seconds, isDown) {
  const whole = Math.max(0, isDown ? Math.ceil(seconds) : Math.floor(seconds));
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
