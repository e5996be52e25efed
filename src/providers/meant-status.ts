import type { ErrorFacts } from "./error-facts.ts";

/**
 * The status that a failure means: its body decides before its status line. null = neither tells. A status below 400 is
 * returned only where nothing in the record speaks of a failure that is known.
 *
 *   500 {"message": "429 limit exceeded"}     429   a gateway's own status around the provider's
 *   400 {"type": "rate_limit_error"}          429
 *   200 {"type": "overloaded_error"}          529   an error event in an opened stream
 *   413 {"code": "rate_limit_exceeded"}       413   one call larger than the bucket
 */
export function meantStatus(facts: ErrorFacts, answered: boolean): number | null {
  const { status, names, text } = facts;
  if (status !== null && PLAIN.has(status)) return status;
  const limit = firstOf(names, LIMIT_NAMES) ?? (names.includes("429") ? 429 : null);
  if (limit !== null) return limit;
  const isFailure = status !== null && status >= 400;
  if (isFailure && (status < 500 || textStatus(text) !== 429)) return status;
  if (isFailure) return 429;
  const named = numericName(names) ?? firstOf(names, OTHER_NAMES) ?? unanswered(names);
  if (named !== null) return named;
  // The client got its answer; a remark beside it is no failure.
  if (answered && !facts.namesError) return status;
  return textStatus(text) ?? wordStatus(text) ?? status;
}

/** These mean one thing, whatever type a body gives itself. */
const PLAIN: ReadonlySet<number> = new Set([401, 402, 413]);

/** Types and codes that mean a limit or a lack of capacity under any status. */
const LIMIT_NAMES: ReadonlyMap<string, number> = statuses({
  429: `rate_limit_error rate_limit_exceeded ratelimiterror rate_limited ratelimited rate_limit ratelimit ratelimitexceeded
    ratelimitreached rate_limit_reached too_many_requests toomanyrequests toomanyrequestserror throttled throttlingexception
    throttledexception throttling requestlimitexceeded resource_exhausted resource-exhausted resourceexhausted
    resourceexhaustederror insufficient_quota`,
  529: `overloaded_error overloadederror overloaded server_is_overloaded modelnotreadyexception provider_overloaded
    model_overloaded engine_overloaded`,
});

/** Where no status tells more. */
const OTHER_NAMES: ReadonlyMap<string, number> = statuses({
  400: `invalid_request_error badrequesterror bad_request invalid_argument invalidrequesterror validationexception
    context_length_exceeded contextwindowexceedederror contentpolicyviolationerror content_policy_violation content_filter
    invalid_prompt moderation_blocked failed_precondition`,
  401: "authentication_error authenticationerror invalid_api_key unauthenticated unauthorized",
  402: "billing_error payment_required budget_exceeded budgetexceedederror insufficient_balance",
  403: "permission_error permissiondeniederror permission_denied accessdeniedexception forbidden",
  404: "not_found_error notfounderror not_found model_not_found resourcenotfoundexception",
  408: "modeltimeoutexception",
  409: "conflict_error conflicterror",
  413: "request_too_large requesttoolargeerror",
  422: "unprocessableentityerror unprocessable_entity",
  499: `cancelled canceled aborted aborterror cancellederror apiuseraborterror keyboardinterrupt client_disconnected
    request_cancelled request_aborted`,
  500: `api_error apierror server_error internal_server_error internalservererror internal internal_error
    internalserverexception provider_unavailable error_finish`,
  503: "service_unavailable_error serviceunavailableerror serviceunavailableexception service_unavailable unavailable",
  504: "timeout_error deadline_exceeded deadlineexceeded gateway_timeout",
});

function statuses(names: { readonly [status: number]: string }): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(names).flatMap(([status, list]) =>
      list.split(/\s+/).map((name) => [name, Number(status)] as const),
    ),
  );
}

function firstOf(names: readonly string[], known: ReadonlyMap<string, number>): number | null {
  for (const name of names) {
    const status = known.get(name);
    if (status !== undefined) return status;
  }
  return null;
}

/** `"code": 503`, but not a provider's own number such as 1300. */
function numericName(names: readonly string[]): number | null {
  const found = names.find((name) => /^[45]\d\d$/.test(name));
  return found === undefined ? null : Number(found);
}

/** Parts of the names that clients give to a connection without an answer. */
const UNANSWERED: readonly string[] = [
  "timeout",
  "timedout",
  "timed_out",
  "connectionerror",
  "connection_error",
  "connecterror",
  "connectionreset",
  "connectionaborted",
  "econn",
  "etimedout",
  "remoteprotocolerror",
  "readerror",
];

function unanswered(names: readonly string[]): number | null {
  return names.some((name) => UNANSWERED.some((part) => name.includes(part))) ? 408 : null;
}

const LONGEST_TEXT = 500;
const STATUS_WORDS =
  /\b(?:http(?:\/\d(?:\.\d)?)?|status(?:[ _]code)?|code|error)["']?\s?[:=]?\s?["'([]?([45]\d\d)(?![\d:%]|\.\d)/;
/** At the beginning of the text, or of the message within a body. */
const LEADING_STATUS =
  /(?:^|(?:message|msg|detail|error)\\?["']\s?:\s?\\?["'])([45]\d\d)(?=$|\s?[-{[<:"'(,;]|\s(?:\d{3} |too |rate|limit|resource|client|server|service|internal|bad |gateway|error|overload|payment|forbidden|unauthori|not found|throttl|status|quota))/;

/** `HTTP 429`, `Error code: 429 - {...}`, `429 Too Many Requests`: a status position, for 429 may be a line or a size. */
function textStatus(text: string): number | null {
  const head = text.slice(0, LONGEST_TEXT);
  const found = LEADING_STATUS.exec(head) ?? STATUS_WORDS.exec(head);
  return found === null ? null : Number(found[1]);
}

/** In order: a time-out while waiting for a limit is a limit, a connection that was aborted is no cancellation. */
const WORDS: readonly { readonly status: number; readonly words: readonly string[] }[] = [
  {
    status: 429,
    words: [
      "rate limit",
      "rate_limit",
      "ratelimit",
      "too many requests",
      "throttl",
      "exceeded your current quota",
      "insufficient_quota",
      "credit balance is too low",
      "resource exhausted",
      "resource_exhausted",
      "usage limit reached",
      "weekly limit reached",
      "session limit reached",
      "请求过于频繁",
    ],
  },
  { status: 529, words: ["overloaded"] },
  {
    status: 408,
    words: [
      "timeout",
      "timed out",
      "connection error",
      "connection reset",
      "connection aborted",
      "connection refused",
      "remote end closed",
      "server disconnected",
      "socket hang up",
      "econnreset",
      "econnrefused",
      "etimedout",
    ],
  },
  { status: 499, words: ["cancelled", "canceled", "aborted"] },
];

function wordStatus(text: string): number | null {
  if (text === "") return null;
  const head = text.slice(0, LONGEST_TEXT);
  return WORDS.find(({ words }) => words.some((word) => head.includes(word)))?.status ?? null;
}
