// What went wrong, in the language of the reader. The words of the server, which are English, follow.

import { current, t } from "./texts.js";

const CODES = ["bad_request", "not_found", "too_large", "too_many_requests", "busy", "timed_out", "internal", "unreachable"];

/** A failure as {text, detail}: what to tell the reader, and the server's own words if they say more. */
export function words(error) {
  const code = CODES.includes(error.code) ? error.code : "internal";
  const said = error.message ?? "";
  // To a reader of English the server's sentence is the better one.
  if (said && current() === "en") return { text: said, detail: "" };
  return { text: t(`error.${code}`), detail: said };
}

/** The same in one sentence. */
export function sentence(error) {
  const { text, detail } = words(error);
  return detail ? `${text} (${detail})` : text;
}

/** Whether the same question may be answered another time. */
export const isPassing = (error) => !["bad_request", "not_found", "too_large"].includes(error.code);
