import { type Pattern, parsePattern } from './pattern.ts';

/** One rule; the later one of a file wins. */
export interface Rule {
  readonly negative: boolean;
  readonly pattern: Pattern;
}

const BOM = '\ufeff';

/** The rules of an ignore file, in its order. Lines that can fit nothing are left out. */
export function parseIgnoreFile(text: string): readonly Rule[] {
  const rules: Rule[] = [];
  for (const line of linesOf(text)) {
    const rule = parseLine(line);
    if (rule !== undefined) rules.push(rule);
  }
  return rules;
}

function linesOf(text: string): readonly string[] {
  const body = text.startsWith(BOM) ? text.slice(1) : text;
  // Git drops one CR at the end of the last line too.
  return (body.endsWith('\r') ? body.slice(0, -1) : body).split(/\r?\n/);
}

function parseLine(line: string): Rule | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  const negative = line.startsWith('!');
  const pattern = parsePattern(withoutTrailingSpaces(negative ? line.slice(1) : line));
  return pattern && { negative, pattern };
}

/** Spaces at the end do not count, but for one behind a backslash; tabs do. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1 ? `${line.slice(0, end - 1)} ` : line.slice(0, end);
}
