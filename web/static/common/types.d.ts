// The types of what the program sends and takes, made by `python -m tools.page_types` from
// web/game/page_state.py and web/history/analysis_view.py, which say what each entry is, and from the bodies of all
// commands.

export type Action =
  | {act: "place", to: string}
  | {act: "move", from: string, to: string}
  | {act: "capture", at: string}
  | {act: "rotate", ring: number, steps: number}
  | {act: "rotate", ring: null, steps: null}
  | {act: "pass"};
export type Act = {
  text: string, act: string, to?: string, from?: string, at?: string, level?: number, ring?: number, steps?: number,
};
export type Step = {paint: number, from: string | null, to: string | null};
export type Texts = Record<string, string>;

export interface Announcement {
  seq: number | null;
  game: number;
  kind: string;
  texts: Texts;
  spoken?: Texts | null;
  title?: Texts | null;
  why?: Texts | null;
}

export interface FoulView {
  kind: string;
  player: number | null;
  points: string[];
  steps: Step[];
  texts: Texts;
  title: Texts;
  spoken?: Texts | null;
}

export interface QuestionView {
  options: string[];
  texts: Texts;
  answers: Texts[];
}

export interface OutcomeView {
  winner: number | null;
  reason: string;
  decider: string | null;
  texts: Texts;
  spoken?: Texts | null;
}

export interface LastMoves {
  player: number;
  moves: Action[];
  mills: string[][];
  taken: Record<string, number>;
}

export interface PartnerView {
  player: number;
  strength: string;
  explain: boolean;
  laid_by_people: boolean;
}

export interface LessonView {
  number: number;
  verdict: string;
  turn: string;
}

export interface ClockView {
  kind: string;
  minutes: number;
  increment: number;
  seconds: number[];
  running?: number | null;
}

export interface GameView {
  id: number;
  name: string;
  board: string;
  points: string[];
  players: number;
  max_height: number;
  ply: number;
  stacks: Record<string, [number, number][]>;
  hands: number[];
  stones: number[];
  to_move: number | null;
  mover_open: boolean;
  phase: string;
  out: number[];
  quiet_turns_left: number | null;
  warned_turns: number;
  occurrences: number | null;
  owed: number;
  to_do: Texts;
  acts: Act[] | null;
  begun: number;
  last: LastMoves | null;
  mills: string[][];
  foul: FoulView | null;
  question: QuestionView | null;
  outcome: OutcomeView | null;
  names: string[];
  partners: PartnerView[];
  can_redo: boolean;
  photographs: boolean;
  lesson: LessonView | null;
  clock: ClockView;
  seq: number;
}

export interface AlikeStones {
  one: number;
  other: number;
  share: number;
}

export interface SeenPosition {
  tops: number[];
  to_move: number | null;
}

export interface Sight {
  sight: string;
  reason: string;
  points: [number, number][];
  hidden: boolean[];
  size?: [number, number] | null;
  colours: string[];
  note: Texts;
  alike: AlikeStones[];
  plain: number[];
  seen?: SeenPosition | null;
  compared: boolean;
  names: string[];
  reasons: Texts;
}

export interface SourceStatus {
  name: string;
  kind: string;
  state: string;
  reason: string;
  has_answered: boolean;
  medium: string;
  reasons: Texts;
}

export interface LastGame {
  game: string;
  options: Record<string, unknown>;
  names: string[];
}

export interface OtherGame {
  games: string[];
  texts: Texts;
}

export interface Offer {
  game: number;
  ply: number;
  played: string;
  photograph: number | null;
  instead: Record<string, unknown>;
}

export interface PartnerStatus {
  thinking: boolean;
  hints: boolean;
  lays: boolean;
}

export interface Proposed {
  player: number;
  moves: Action[];
  texts: Texts;
  spoken?: Texts | null;
  why?: Texts | null;
}

export interface Snapshot {
  version: number;
  game: GameView;
  sight: Sight;
  source: SourceStatus;
  saved: boolean;
  last: LastGame;
  other_game: OtherGame | null;
  offer: Offer | null;
  partner: PartnerStatus;
  proposal: Proposed | null;
  hint: Proposed | null;
  said: Announcement[];
}

export interface Told {
  ply: number;
  player: number;
  tags: string[];
  said: string[];
  better: string[];
  played: Action[];
  best: Action[];
}

export interface FoundAnalysis {
  turns: number;
  done: number;
  positions: number;
  exact: boolean;
  whole: boolean;
  rows: boolean;
  turning_point: number | null;
  curve: (number[] | null)[];
  told: Told[];
}

export interface Commands {
  "/api/act": {act: string, player?: number | null};
  "/api/put-back": {};
  "/api/play-on": {};
  "/api/take-back": {};
  "/api/redo": {};
  "/api/correct": {point: string, top: number};
  "/api/tower": {point: string, top: number, height: number};
  "/api/ring": {ring: number, steps: number};
  "/api/answer": {option: number};
  "/api/mover": {player: number};
  "/api/resume": {tops: number[], to_move?: number | null};
  "/api/end": {how: string, player?: number | null, decider?: string};
  "/api/do-it": {};
  "/api/hint": {};
  "/api/partner": {player: number, strength?: string | null, explain?: boolean, laid_by_people?: boolean};
  "/api/hints": {on: boolean};
  "/api/names": {names: string[]};
  "/api/photographs": {on: boolean};
  "/api/clock": {act: string, kind?: string, minutes?: number, increment?: number};
  "/api/game": {game: string, options?: Record<string, unknown>, source?: string | null, laid?: {fen: string, colours: string[]}};
  "/api/again": {game?: number | null, swap?: boolean};
  "/api/go-on": {game: number | null};
  "/api/keep-game": {};
  "/api/source": {source: string};
  "/api/corners": {corners: number[][]};
  "/api/games/import": {name: string, text: string, game?: string};
  "/api/games/delete": {games: number[]};
  [path: `/api/games/${number}/names`]: {names: string[]};
  [path: `/api/games/${number}/remark`]: {ply: number, text: string};
  [path: `/api/games/${number}/forget-photographs`]: {};
  [path: `/api/games/${number}/analyse`]: {positions?: number};
  [path: `/api/games/${number}/analyse/stop`]: {};
  "/api/cases": {on: boolean, rooms: boolean};
  "/api/cases/delete": {numbers: number[]};
  "/api/cases/habits": {table: string, learn: boolean};
  "/api/uploads": {files: {name: string, bytes: number}[]};
  [path: `/api/uploads/${string}/done`]: {};
  [path: `/api/positions/${number}`]: {game: string, stones: Record<string, number[]>, hands?: number[] | null, to_move?: number | null};
  "/api/links/add": {role: string, name: string, days?: number};
  "/api/links/remove": {link: string};
  "/api/network": {open: boolean};
  "/api/setup/open": {source: string};
  "/api/setup/watch": {what: string, board?: string | null};
  "/api/setup/again": {};
  "/api/setup/lens": {skip?: boolean};
  "/api/setup/field": {board?: string | null, corners?: number[][] | null, points?: Record<string, number[]>, side_mm?: number | null};
  "/api/setup/stones": {skip?: boolean, swap?: boolean};
  "/api/setup/save": {name: string};
  "/api/setup/play": {game: string};
  "/api/setup/leave": {};
  "/api/settings/restore": {copy: string};
  [path: `/api/lessons/${string}/${number}/lay`]: {};
  [path: `/api/lessons/${string}/${number}/lies`]: {};
  "/api/club/tables": {name: string, source: string, game: string, options?: Record<string, unknown>};
  "/api/club/evening": {name: string, system: string, players: string[], rounds?: number | null};
  "/api/club/rounds": {};
  "/api/club/results": {round: number, board: number, result: string};
  "/api/club/change": {what: string, name?: string, player?: number | null};
}
