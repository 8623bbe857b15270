export type Value = "win" | "draw" | "loss";

/** A value for the side to move, or for the player of a move. Distances are in plies from the probed position. */
export interface Verdict {
  value: Value | null;
  dtc: number | null;
  dtw: number | null;
}

export interface Legal {
  move: string;
  position: string;
}

export interface Candidate extends Legal, Verdict {}

export interface Probe extends Verdict {
  rules: string;
  position: string;
  source: "rules" | "tables" | "certificate" | null;
  moves: Candidate[];
}

export interface Line extends Verdict {
  rules: string;
  position: string;
  moves: Candidate[];
  end: "game over" | "repetition" | "ply limit" | "no distances" | "no table";
}

export interface Search {
  rules: string;
  position: string;
  proven: boolean;
  value: Value | null;
  within: number | null;
  /** Hundredths of a stone for the side to move, where nothing is proven. */
  estimate: number | null;
  best: string | null;
  line: string[];
  depth: number;
  nodes: number;
  milliseconds: number;
}

export interface Slice {
  rules: string;
  material: string;
  mover: number;
  opponent: number;
  positions: number;
  win: number;
  draw: number;
  loss: number;
  max_dtc_win: number | null;
  max_dtc_loss: number | null;
  max_dtw_win: number | null;
  max_dtw_loss: number | null;
  bytes: { wdl: number | null; dtc: number | null; dtw: number | null };
}
