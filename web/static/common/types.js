// @ts-check
/**
 * The types of what the server sends to a page; see web/game/snapshot.py and web/game/game_json.py.
 *
 * @typedef {{act: "place", to: string} | {act: "move", from: string, to: string} | {act: "capture", at: string}
 *   | {act: "rotate", ring: number, steps: number} | {act: "rotate", ring: null, steps: null} | {act: "pass"}} Action
 * @typedef {{paint: number, from: string | null, to: string | null}} Step
 *   a stone of this colour goes from a point (null: from the hand or from beside the board) to a point (null: off the board)
 * @typedef {{kind: string, player: number | null, points: string[], steps: Step[], texts: Record<string, string>, spoken?: Record<string, string>, title: Record<string, string>}} Foul
 * @typedef {{winner: number | null, reason: string, decider: string | null, texts: Record<string, string>, spoken?: Record<string, string>}} Outcome
 * @typedef {{player: number, moves: Action[], mills: string[][], taken?: Record<string, number>}} LastTurn `taken` has whose stones it took, by point
 * @typedef {{text: string, act: string, to?: string, from?: string, at?: string, level?: number, ring?: number, steps?: number}} Act
 *   a lawful act, in notation as `text`
 * @typedef {Object} Game
 * @property {number} id
 * @property {number} seq the journal's number of its newest record
 * @property {string} name
 * @property {string} board
 * @property {string[]} points
 * @property {number} players
 * @property {number} max_height how many stones a point can hold
 * @property {number} ply
 * @property {Record<string, [number, number][]>} stacks for each point with stones, bottom first: paint and owner
 * @property {number[]} hands
 * @property {number[]} stones on the board, for each player
 * @property {number | null} to_move
 * @property {string} phase "placing", "moving", "flying", "capture" or "over"
 * @property {number[]} out players who are out of the game while others play on
 * @property {number | null} quiet_turns_left turns without a mill until the game is drawn, null where none are counted
 * @property {number} warned_turns so many turns before a draw by counting it is announced
 * @property {number | null} occurrences how many times the position has occurred, null where that is not counted
 * @property {number} owed
 * @property {Act[] | null} acts what may be done now where people play on the page; null where a camera looks
 * @property {number} begun moves of the open turn that were made by hand
 * @property {Record<string, string>} to_do what the player to move may do, by language; empty in replays
 * @property {LastTurn | null} last
 * @property {string[][]} mills
 * @property {Foul | null} foul
 * @property {{options: string[], texts: Record<string, string>, answers: Record<string, string>[]} | null} question
 * @property {Outcome | null} outcome
 * @property {string[]} names of the players, empty where unknown
 * @property {{player: number, strength: string, explain: boolean, laid_by_people: boolean}[]} partners the players for whom Millchen plays
 * @property {boolean} mover_open a position was taken over as it lay, and nobody has said whose turn it is
 * @property {boolean} can_redo a turn was taken back and can be restored
 * @property {boolean} photographs whether a photograph of every accepted turn is kept
 * @property {{number: number, verdict: string, turn: string} | null} lesson the lesson that is laid, and what its first turn was: "right", "wrong" or "" before it
 * @property {{kind: "off" | "down" | "up", minutes: number, increment: number, seconds: number[], running: number | null}} clock
 *
 * @typedef {{sight: string, reason: string, reasons: Record<string, string>, points: [number, number][], hidden: boolean[], size: [number, number] | null, colours: string[], names: string[], note: Record<string, string>, alike: {one: number, other: number, share: number}[], plain: number[], seen: {tops: number[], to_move: number | null} | null}} Sight
 * @typedef {{name: string, kind: string, medium: string, state: string, reason: string, reasons: Record<string, string>}} Source
 * @typedef {{seq: number | null, game: number, kind: string, texts: Record<string, string>, spoken?: Record<string, string>, why?: Record<string, string>, sound?: string, title?: Record<string, string>}} Said
 * @typedef {{game: number, played: string, photograph: number | null, instead: {game: string, demo: boolean}}} Offer
 *   whether the game goes on that was not over when Millchen ended
 * @typedef {{player: number, moves: Action[], texts: Record<string, string>, spoken: Record<string, string>, why?: Record<string, string>}} Meant
 *   a turn that Millchen wants to be made, or advises: what is still to be done, what it says, and why where it explains
 * @typedef {{version: number, game: Game, sight: Sight, source: Source, saved: boolean, said: Said[], last: {game: string, options: Record<string, unknown>, names: string[]}, other_game: {games: string[], texts: Record<string, string>} | null, offer: Offer | null, partner: {thinking: boolean, hints: boolean, lays: boolean}, proposal: Meant | null, hint: Meant | null}} State
 *
 * @typedef {{ply: number, player: number, tags: string[], said: string[], better: string[], played: Action[], best: Action[]}} Told
 *   what an analysis tells of a turn: see web/history/analysis_view.py and referee/search/analysis.py
 * @typedef {{turns: number, done: number, positions: number, exact: boolean, whole: boolean, rows: boolean, turning_point: number | null, curve: (number[] | null)[], told: Told[]}} FoundAnalysis
 *   `curve` has the share of each player at the beginning and after each turn; `rows` where three in a row wins
 */

export {};
