// The cases of a corpus file, and what an author of another tool's calls would have written for each of them.

import { readFileSync } from "node:fs";

export const read = (path) => readFileSync(path, "utf8").split("\n").filter(Boolean).map(JSON.parse);

// A shell command around an edit says more than the edit alone would: where it is applied, or in which direction.
const inCommand = (response) => /<<-?['"]?[A-Z]{2,}\b/.test(response);

// The envelope of a reply, as a tool call would carry it; null where there is none.
export const envelope = ({ response }) =>
  inCommand(response) ? null : (response.match(/\*\*\* Begin Patch[^]*?\*\*\* End Patch/)?.[0] ?? null);

// The diff of a reply, without the fence and the prose around it.
export function diff({ response }) {
  if (inCommand(response)) return null;
  const fenced = [...response.matchAll(/^```[ \t]*(diff|patch|)[^\n]*\n([^]*?)^```[ \t]*$/gm)];
  const body = fenced.map(([, , text]) => text).find((text) => /^(@@|\+\+\+ )/m.test(text)) ?? response;
  const start = body.search(/^(diff --git|--- )/m);
  return start < 0 ? null : body.slice(start);
}

// The sections of a reply as calls with a path, old and new text. A reply with any section that is not plainly written is
// left out: those calls have no markers to get wrong.
export function calls({ response, files }) {
  const lines = response.replaceAll("\r\n", "\n").split("\n");
  const found = [];
  let path = null;
  for (let at = 0; at < lines.length; at++) {
    const named = lines[at].trim().replace(/^(#+|\*\*|`)+ */, "").replace(/[`*:]+$/, "");
    if (named in files || /^[\w./-]+\.\w+$/.test(named)) path = named;
    if (!/^(<{5,9} ?SEARCH>?|-{5,9} SEARCH)$/.test(lines[at])) continue;
    const divider = lines.findIndex((line, later) => later > at && /^={5,9}$/.test(line));
    const end = lines.findIndex((line, later) => later > divider && /^[>+]{5,9} ?REPLACE$/.test(line));
    if (divider < 0 || end < 0 || path === null) return null;
    const old = lines.slice(at + 1, divider);
    if (old.some((line) => /^:?(start|end)_line:|^ *\d+ \|/.test(line))) return null;
    found.push({ path, old, new: lines.slice(divider + 1, end) });
    at = end;
  }
  return found.length ? found : null;
}
