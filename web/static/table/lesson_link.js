// @ts-check
/** The way back from the table to the lesson that is laid there. */

import { byId } from "../common/dom.js";

/** @param {import("../common/types.js").GameView} game */
export function showLesson(game) {
  const link = byId("lesson-link");
  link.hidden = !game.lesson;
  if (game.lesson) link.href = `/lessons/${game.name}/${game.lesson.number}`;
}
