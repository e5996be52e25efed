import type { Dimension, Outcome } from "../../../src/model/outcome.ts";
import type { ErrorFields } from "./server/wording.ts";
import type { AgentSpec } from "./spec.ts";

/** One attempt as it really was, whatever the log tells of it. */
export interface SentAttempt {
  readonly agent: AgentSpec;
  /** The log names the agent. */
  readonly tagged: boolean;
  readonly run: string;
  readonly callId: string;
  readonly attempt: number;
  /** When the client wanted to send. */
  readonly readyMs: number;
  readonly sentMs: number;
  readonly endMs: number;
  readonly outcome: Outcome;
  readonly dimension: Dimension;
  readonly hintMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly answer: ErrorFields;
}

export interface WaitEvent {
  readonly agent: string;
  readonly waitsFor: string;
  readonly run: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly timeoutMs: number | null;
  readonly outcome: "ok" | "timeout" | "error";
}

export interface ActionEvent {
  readonly agent: string;
  readonly action: string;
  readonly run: string;
  readonly atMs: number;
  /** null = not the matter of one call. */
  readonly callId: string | null;
}

/** A call with nothing left to try. */
export interface EndedCall {
  readonly agent: AgentSpec;
  readonly run: string;
  readonly callId: string;
  readonly fromMs: number;
  readonly endMs: number;
  readonly attempts: number;
  readonly outcome: Outcome;
}

/** What happened, in the order in which it ended. */
export interface Journal {
  readonly attempts: SentAttempt[];
  readonly calls: EndedCall[];
  readonly waits: WaitEvent[];
  readonly actions: ActionEvent[];
}

export function createJournal(): Journal {
  return { attempts: [], calls: [], waits: [], actions: [] };
}
