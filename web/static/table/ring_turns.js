// @ts-check
/** Rings that are turned by hand: their letters in notation, and the two ways, in notation, in words and as an arrow. */

export const RING_LETTERS = "omi";
export const RING_TURNS = [
  { way: "-", steps: -1, name: "ring_back", path: "M5.5 8.5A8 8 0 1 1 4 13M5 3.8v5h5" },
  { way: "+", steps: 1, name: "ring_on", path: "M18.5 8.5A8 8 0 1 0 20 13M19 3.8v5h-5" },
];
