import type { Journal } from "../journal.ts";
import type { LogSpec, WorldSpec } from "../spec.ts";
import { refusedOf } from "../truth.ts";
import { runWorld } from "../world.ts";
import type { Draft, Kind } from "./kind.ts";

/** The same mechanism, told by a log that says less or otherwise. */
function variant(kind: Kind, suffix: string, change: (draft: Draft) => Draft): Kind {
  return { name: `${kind.name}-${suffix}`, draw: (random) => change(kind.draw(random)) };
}

function logged(spec: WorldSpec, log: Partial<LogSpec>): WorldSpec {
  return { ...spec, log: { ...spec.log, ...log } };
}

/** Nothing tells which attempts belong together. */
export function withoutCalls(kind: Kind): Kind {
  return variant(kind, "no-calls", (draft) => ({
    ...draft,
    spec: logged(draft.spec, { omit: ["call_id", "attempt"] }),
  }));
}

/** The same where the mechanism is in the repeats: what had to be found can no longer be, and nothing else may be. */
export function withoutRepeats(kind: Kind): Kind {
  return variant(withoutCalls(kind), "untold", (draft) => {
    const { must, may } = draft.labels;
    return { ...draft, labels: { must: [], may: [...may, ...must.map(({ rule }) => rule)] } };
  });
}

/** Calls have an id, but attempts no number. */
export function withoutNumbers(kind: Kind): Kind {
  return variant(kind, "no-attempt-numbers", (draft) => ({
    ...draft,
    spec: logged(draft.spec, { omit: ["attempt"] }),
  }));
}

/** No header was logged; only statuses and what bodies say. Polite repeats then look like any others. */
export function withoutHeaders(kind: Kind): Kind {
  return variant(kind, "no-headers", (draft) => ({
    ...draft,
    labels: {
      must: draft.labels.must,
      may: draft.labels.must.length === 0 ? [] : [...draft.labels.may, "retry-storm"],
    },
    spec: logged(draft.spec, { omit: ["headers"] }),
  }));
}

/** Lines in order of sending instead of ending. */
export function bySending(kind: Kind): Kind {
  return variant(kind, "sent-order", (draft) => ({ ...draft, spec: logged(draft.spec, { order: "sent" }) }));
}

/** Only the end of the log, cut some seconds after the first refusal: what was before is not known. */
export function tailOf(kind: Kind): Kind {
  return variant(kind, "tail", (draft) => {
    const cutMs = cutOf(draft);
    return {
      ...draft,
      spec: logged(draft.spec, { keep: { fromMs: cutMs, toMs: Number.MAX_SAFE_INTEGER } }),
      broken: (truth) => draft.broken(after(truth, cutMs)),
    };
  });
}

/** Five seconds after the first refusal; what is before is known only by letting the world happen once. */
function cutOf({ spec }: Draft): number {
  const first = refusedOf(runWorld(spec).truth.attempts)[0];
  return first === undefined ? 0 : first.endMs + 5000;
}

function after({ attempts, calls, waits, actions }: Journal, cutMs: number): Journal {
  return {
    attempts: attempts.filter(({ endMs }) => endMs >= cutMs),
    calls: calls.filter(({ endMs }) => endMs >= cutMs),
    waits: waits.filter(({ toMs }) => toMs >= cutMs),
    actions: actions.filter(({ atMs }) => atMs >= cutMs),
  };
}
