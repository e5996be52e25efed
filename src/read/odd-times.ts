import { parse } from "date-fns/parse";
import type { EpochMs } from "../model/time.ts";

export interface OddTime {
  readonly ms: EpochMs;
  readonly hasZone: boolean;
}

/**
 * Written dates that are not ISO 8601. The zone is always parsed as a number, so that the machine's own zone never enters.
 * `7/1/2026` is not here: it is July in one country and January in another.
 */
const PATTERNS = [
  "d MMM yyyy HH:mm:ss XX", // RFC 2822, HTTP
  "d-MMM-yy HH:mm:ss XX", // RFC 850
  "d/MMM/yyyy:HH:mm:ss XX", // access logs
  "MMM d HH:mm:ss yyyy XX", // asctime
  "MMM d, yyyy HH:mm:ss XX",
  "MMM d, yyyy h:mm:ss a XX",
  "MMM d, yyyy, h:mm:ss a XX",
  "yyyyMMdd'T'HHmmss XX", // ISO 8601 basic
  "yyyyMMddHHmmss XX",
] as const;

const LONGEST = 64;

/** A year of two digits is the nearest to this one. */
const REFERENCE = new Date(Date.UTC(2020, 0, 1));

/** null = none of the known forms. */
export function parseOddTime(text: string): OddTime | null {
  if (text.length > LONGEST) return null;
  // The weekday adds nothing, and a wrong one would move the date.
  const bare = text.replace(/^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? +/i, "");
  const zone = /(?: (?:GMT|UTC|UT|Z)|(?<=\d)Z)$|[ ]?([+-]\d{2}):?(\d{2})(?: ?\([A-Z]{2,5}\))?$/.exec(bare);
  const local = (zone === null ? bare : bare.slice(0, zone.index)).replace(/ +/g, " ");
  const offset = zone?.[1] === undefined ? "+0000" : `${zone[1]}${zone[2] ?? "00"}`;
  for (const pattern of PATTERNS) {
    const date = parse(`${local} ${offset}`, pattern, REFERENCE);
    const ms = date.getTime();
    if (!Number.isNaN(ms)) return { ms, hasZone: zone !== null };
  }
  return null;
}
