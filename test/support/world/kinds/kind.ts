import type { Journal } from "../journal.ts";
import { createRandom, type Random } from "../random.ts";
import type { WorldRecord } from "../record.ts";
import type { WorldSpec } from "../spec.ts";
import { runWorld } from "../world.ts";

export interface Labels {
  /** Findings that a right diagnosis contains; `agent` = who must be named, as agent or as waiter. */
  readonly must: readonly { readonly rule: string; readonly agent?: string }[];
  /** Rules whose findings are also true of such a log. */
  readonly may: readonly string[];
}

export interface Draft {
  readonly spec: WorldSpec;
  readonly labels: Labels;
  /** What must really have happened for the labels to be true; null = all of it did, else what did not. */
  readonly broken: (truth: Journal) => string | null;
}

/** A failing or a healthy mechanism with everything else left to chance. */
export interface Kind {
  readonly name: string;
  draw(random: Random): Draft;
}

export interface LabelledWorld {
  /** Kind and seed. */
  readonly name: string;
  readonly kind: string;
  readonly spec: WorldSpec;
  readonly labels: Labels;
  readonly records: readonly WorldRecord[];
  readonly truth: Journal;
}

const MOST_TRIES = 60;
/** Larger worlds teach nothing more and make the corpus slow. */
const MOST_ATTEMPTS = 6000;

/** The world of a seed; draws that do not realise their mechanism are drawn again rather than labelled falsely. */
export function worldOf(kind: Kind, seed: number): LabelledWorld {
  const reasons: string[] = [];
  for (let turn = 0; turn < MOST_TRIES; turn++) {
    const { spec, labels, broken } = kind.draw(createRandom(kind.name, seed, turn));
    const { records, truth } = runWorld(spec);
    const reason = truth.attempts.length > MOST_ATTEMPTS ? "too many attempts" : broken(truth);
    if (reason === null)
      return { name: `${kind.name}-${seed}`, kind: kind.name, spec, labels, records, truth };
    reasons.push(reason);
  }
  throw new Error(
    `${kind.name} ${seed}: no draw in ${MOST_TRIES} is what it should be: ${reasons.join("; ")}`,
  );
}

/** The first claim that is not so. */
export function unless(...claims: readonly (readonly [holds: boolean, claim: string])[]): string | null {
  return claims.find(([holds]) => !holds)?.[1] ?? null;
}
