import { closeSync, openSync, writeSync } from "node:fs";

/** Numbers in [0, 1) that are the same for the same seed (xorshift32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const START = Date.UTC(2026, 5, 1);
const DAY = 86_400_000;

/**
 * Lines of a day's traffic of 50 agents on one provider: about 400 bytes each, a quarter of the attempts in bursts with
 * refusals and retries, up to 2.5 s out of order.
 */
export function* attemptLines(seed: number, total: number): Generator<string> {
  const random = seeded(seed);
  let call = 0;
  for (let i = 0; i < total; i++) {
    const due = START + (i / total) * DAY;
    const busy = Math.floor(due / 600_000) % 6 === 0;
    const refused = busy && random() < 0.35;
    const attempt = refused || random() > 0.1 ? 1 : 2;
    if (attempt === 1) call++;
    const sent = new Date(Math.round(due + (random() - 0.5) * 5_000)).toISOString();
    const agent = `agent-${Math.floor(random() * random() * 50)}`;
    const head = `{"ts":"${sent}","duration_ms":${Math.floor(refused ? 50 + random() * 100 : 400 + random() * 4_000)},"agent":"${agent}","run_id":"run_${Math.floor(i / 5_000)}","call_id":"call_${call.toString(36)}","attempt":${attempt},"provider":"anthropic","model":"claude-sonnet-4-6","api_key_id":"key_1"`;
    const left = Math.floor(random() * 40);
    const tail = refused
      ? `,"status":429,"error_type":"rate_limit_error","error_message":"This request would exceed your organization's rate limit of 4000 requests per minute (RPM).","headers":{"anthropic-ratelimit-requests-limit":"4000","anthropic-ratelimit-requests-remaining":"0","retry-after":"7"}}`
      : `,"status":200,"input_tokens":${Math.floor(500 + random() * 3_000)},"output_tokens":${Math.floor(random() * 900)},"headers":{"anthropic-ratelimit-requests-limit":"4000","anthropic-ratelimit-requests-remaining":"${left}","anthropic-ratelimit-requests-reset":"${sent}"}}`;
    yield head + tail;
  }
}

const BLOCK = 1 << 20;

/** Writes about `bytes` of lines; answers how many. The number of lines is estimated first, so that the day is filled evenly. */
export function writeLog(path: string, seed: number, bytes: number): number {
  const sample = [...attemptLines(seed, 2_000)];
  const perLine = sample.reduce((sum, line) => sum + line.length + 1, 0) / sample.length;
  const file = openSync(path, "w");
  let block = "";
  let lines = 0;
  for (const line of attemptLines(seed, Math.floor(bytes / perLine))) {
    block += `${line}\n`;
    lines++;
    if (block.length >= BLOCK) {
      writeSync(file, block);
      block = "";
    }
  }
  writeSync(file, block);
  closeSync(file);
  return lines;
}
