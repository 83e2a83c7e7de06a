// @ts-check
/** The pictures of a camera on a canvas, one after the other: single JPEGs, each asked for when the one before is shown. */

const MIN_INTERVAL_MS = 80, RETRY_MS = 1000, ANSWER_MS = 8000;
const NO_NEWS_MS = 250; // pause where there is no newer picture

/** @param {number} ms */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class LivePicture {
  /** @param {HTMLCanvasElement} canvas @param {string} path of the newest picture @param {() => void} [onSize] called when pictures have another size than before */
  constructor(canvas, path, onSize = () => {}) {
    this.canvas = canvas;
    this.path = path;
    this.onSize = onSize;
    /** Whether the picture that is shown stays. */
    this.isStill = false;
    /** The number of the newest picture, and how often `run` was called. */
    this.number = -1;
    this.nRuns = 0;
  }

  /** Show pictures as long as they are wanted; who runs last goes on alone. @param {() => boolean} isWanted */
  async run(isWanted) {
    const mine = ++this.nRuns;
    while (isWanted() && mine === this.nRuns) {
      const began = performance.now();
      await this.next().catch(() => pause(RETRY_MS));
      await pause(Math.max(0, MIN_INTERVAL_MS - (performance.now() - began)));
    }
  }

  async next() {
    const answer = await fetch(`${this.path}?after=${this.number}`, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (!answer.ok) throw new Error(answer.statusText);
    if (answer.status === 204) await pause(NO_NEWS_MS);
    else await this.draw(answer);
  }

  /** Show one picture and keep it. @param {string} path */
  async freeze(path) {
    this.isStill = true;
    const answer = await fetch(path);
    if (answer.ok) await this.draw(answer, true);
  }

  /** @param {Response} answer with a JPEG @param {boolean} [isWanted] even while the picture is still */
  async draw(answer, isWanted = false) {
    const image = await createImageBitmap(await answer.blob()), { canvas } = this;
    this.number = Number(answer.headers.get("X-Frame-Number") ?? this.number);
    if (!this.isStill || isWanted) {
      const isNew = canvas.width !== image.width || canvas.height !== image.height;
      if (isNew) Object.assign(canvas, { width: image.width, height: image.height });
      if (isNew) this.onSize();
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      canvas.dataset.number = String(this.number);
    }
    image.close();
  }
}
