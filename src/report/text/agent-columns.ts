import type { ReportAgent, ReportBucket } from "../../model/report.ts";
import { formatNumber } from "../../words/numbers.ts";
import { requestsLimit } from "./limits.ts";
import type { Cell, Column } from "./table.ts";

/** One line of the table: an agent, or several that stand together for want of room. */
export interface AgentRow {
  readonly label: string;
  readonly agents: readonly ReportAgent[];
}

export interface NumberColumn extends Column {
  /** Columns of a higher rank leave first when the heat strip needs their room; those of rank 0 stay. */
  readonly rank: number;
  cell(row: AgentRow, bucket: ReportBucket): Cell;
}

/** Shares of tokens are worth a column when an agent's differs this much from its share of attempts. */
const DISAGREEMENT = 0.1;

const SHARE = numberColumn("share", 0, (row) => shareOf(row, (agent) => agent.shareOfAttempts));
const TOKENS = numberColumn("tokens", 1, (row) => shareOf(row, (agent) => agent.shareOfTokens));
const CALLS = numberColumn("calls", 3, (row) => countOf(row, (agent) => agent.calls));
const ATTEMPTS = numberColumn("attempts", 2, (row) => countOf(row, (agent) => agent.attempts));
const FAILED = numberColumn("failed", 4, (row) => countOf(row, (agent) => agent.failed));

const REFUSED: NumberColumn = {
  ...numberColumn("429s", 0, (row) => countOf(row, (agent) => agent.throttled)),
  cell: (row) => {
    const text = countOf(row, (agent) => agent.throttled);
    return { text, as: row.agents.some((agent) => agent.throttled > 0) ? "error" : "plain" };
  },
};

const PEAK: NumberColumn = {
  ...numberColumn("peak/min", 0, () => ""),
  cell: (row, bucket) => {
    const [agent] = row.agents;
    // Peaks of several agents fall into different minutes: their sum would be a number that never was.
    if (agent === undefined || row.agents.length > 1) return { text: "", as: "plain" };
    const limit = requestsLimit(bucket);
    const peak = formatNumber(agent.peakPerMinute, "count");
    if (limit === null) return { text: peak, as: "plain" };
    const text = `${peak} of ${formatNumber(limit, "count")}`;
    return { text, as: agent.peakPerMinute > limit ? "warning" : "plain" };
  },
};

/** The columns that these agents have something to say in. */
export function columnsFor(agents: readonly ReportAgent[]): readonly NumberColumn[] {
  const tokensDiffer = agents.some(
    (agent) =>
      agent.shareOfTokens !== null && Math.abs(agent.shareOfTokens - agent.shareOfAttempts) >= DISAGREEMENT,
  );
  const someFailed = agents.some((agent) => agent.failed > 0);
  return [
    SHARE,
    ...(tokensDiffer ? [TOKENS] : []),
    CALLS,
    ATTEMPTS,
    REFUSED,
    ...(someFailed ? [FAILED] : []),
    PEAK,
  ];
}

function numberColumn(head: string, rank: number, text: (row: AgentRow) => string): NumberColumn {
  return { head, align: "end", rank, cell: (row) => ({ text: text(row), as: "plain" }) };
}

function countOf(row: AgentRow, pick: (agent: ReportAgent) => number): string {
  return formatNumber(
    row.agents.reduce((sum, agent) => sum + pick(agent), 0),
    "count",
  );
}

function shareOf(row: AgentRow, pick: (agent: ReportAgent) => number | null): string {
  const shares = row.agents.map(pick);
  if (shares.includes(null)) return "";
  return formatNumber(
    shares.reduce((sum: number, share) => sum + (share ?? 0), 0),
    "share",
  );
}
