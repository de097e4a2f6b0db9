const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSE: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/**
 * The members of the outermost object, which `JSON.parse` loses when two have one name, and the value of one of them as
 * it is written, which `JSON.parse` rounds.
 *
 * @param json text that `JSON.parse` has accepted and that is an object
 */
export function membersOf(json: string, name: string): { count: number; value: string } {
  let count = 0;
  let value = '';
  let at = json.indexOf('"');
  while (at >= 0) {
    count += 1;
    const nameEnd = stringEnd(json, at);
    const start = json.indexOf(':', nameEnd) + 1;
    const end = valueEnd(json, start);
    if (isName(json.slice(at, nameEnd), name)) value = json.slice(start, end).trim();
    at = json.charCodeAt(end) === COMMA ? json.indexOf('"', end) : -1;
  }
  return { count, value };
}

/** Whether a written name, with its quotes, says `name`. */
function isName(written: string, name: string): boolean {
  if (!written.includes('\\')) return written.length === name.length + 2 && written.startsWith(name, 1);
  return JSON.parse(written) === name;
}

/** Index after the string that begins at `at`. */
function stringEnd(json: string, at: number): number {
  let end = json.indexOf('"', at + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(json: string, at: number): boolean {
  let start = at;
  while (json.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}

/** Index of the comma or brace after the value that begins at `from`. */
function valueEnd(json: string, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) {
      at = stringEnd(json, at);
      continue;
    }
    if (OPEN.has(unit)) depth += 1;
    else if (CLOSE.has(unit)) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (unit === COMMA && depth === 0) return at;
    at += 1;
  }
}
