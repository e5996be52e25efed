import { createHash } from "node:crypto";
import type { Rule, RuleFinding } from "../model/rule.ts";

/**
 * Names a finding across logs: rule, subject and cause (the message key), and nothing that changes from day to day: no
 * times, counts, lines or file names. 64 bits of SHA-256, in hex.
 */
export function fingerprintOf(rule: Rule, finding: RuleFinding): string {
  const { agent = "", bucket = "", key = "", waiter = "" } = finding.subject;
  const identity = JSON.stringify([rule.id, agent, bucket, key, waiter, finding.message]);
  return createHash("sha256").update(identity).digest("hex").slice(0, 16);
}
