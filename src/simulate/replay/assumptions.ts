/** What every predicted effect takes for granted; `why429 explain` prints it below each rule. */
export const ASSUMPTIONS: readonly string[] = [
  "The limit is a token bucket that refills without steps. Rate and capacity come from --limit, else from response headers, else from a --tier, else they are inferred from what passed and what was refused.",
  "The bucket is full a minute before the first refusal. A refused request takes nothing from it.",
  "An answer takes as long as it took in the log; a call that was never answered takes the median of its agent.",
  "Calls come when they first wanted to be sent (ts - queued_ms). An agent whose calls start right after one another ended is a closed loop: delay one and the next is delayed.",
  "Clients wait after a refusal as they were seen to wait, and give up where they gave up, unless the fix says otherwise.",
  "Only the calls of the incident are played, with a minute before it and half a minute after.",
  "Before any fix, the replay must reproduce the refusals of the log; by how much it misses them is the backtest error.",
];
