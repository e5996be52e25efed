import { type Headers, wholeSeconds, type Wording } from "./wording.ts";

function hinted(hintMs: number | null): { readonly headers?: Headers } {
  return hintMs === null ? {} : { headers: { "retry-after": wholeSeconds(hintMs) } };
}

/** A server that states no limit: a status, a sentence, sometimes `retry-after`. */
export const bare: Wording = {
  headers: () => ({}),
  throttled: (_, { hintMs }) => ({ status: 429, error_message: "Too Many Requests", ...hinted(hintMs) }),
  tooFast: (_, hintMs) => ({
    status: 429,
    error_message: "Too many requests: traffic increased too quickly, slow down",
    ...hinted(hintMs),
  }),
  overloaded: (status) => ({ status, error_message: "Service Unavailable: model overloaded" }),
  broken: () => ({ status: 500, error_message: "Internal Server Error" }),
  noMoney: () => ({ status: 402, error_message: "Insufficient Balance" }),
  bad: (status) => ({ status, error_message: status === 401 ? "Unauthorized" : "Bad Request" }),
};
