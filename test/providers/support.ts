import { expect } from "vitest";
import type { Dimension, Outcome } from "../../src/model/outcome.ts";
import type { AttemptRecord } from "../../src/model/record.ts";
import type { Provider } from "../../src/providers/provider.ts";

export const SENT = Date.UTC(2026, 6, 1, 10, 0, 0);

export type Told = Partial<Omit<AttemptRecord, "headers">> & {
  readonly headers?: { readonly [name: string]: string };
};

/** An attempt of which a log told only this much. */
export function attempt({ headers, ...told }: Told = {}): AttemptRecord {
  return {
    kind: "attempt",
    sentMs: SENT,
    durationMs: null,
    agent: null,
    runId: null,
    callId: null,
    attempt: null,
    provider: null,
    model: null,
    orgId: null,
    workspaceId: null,
    apiKeyId: null,
    status: null,
    errorType: null,
    errorCode: null,
    errorMessage: null,
    retryAfterMs: null,
    inputTokens: null,
    outputTokens: null,
    cachedTokens: null,
    maxTokens: null,
    priority: null,
    queuedMs: null,
    local: false,
    ...told,
    headers: headers === undefined ? null : new Map(Object.entries(headers)),
  };
}

/** What a log told, and what it must mean. `throttled requests` is an outcome with its dimension. */
export type Case = readonly [what: string, told: Told, meaning: Outcome | `${Outcome} ${Dimension}`];

export function expectMeaning(provider: Provider, told: Told, meaning: string): void {
  const { outcome, dimension } = provider.read(attempt(told));
  expect(dimension === "unknown" ? outcome : `${outcome} ${dimension}`).toBe(meaning);
}

/** A body as the logger of an SDK prints it: `Error code: 429 - {'error': {'type': None}}`. */
export function python(status: number, body: unknown): string {
  const text = JSON.stringify(body)
    .replaceAll('"', "'")
    .replaceAll("null", "None")
    .replaceAll("true", "True")
    .replaceAll(":", ": ")
    .replaceAll(",'", ", '");
  return `Error code: ${status} - ${text}`;
}
