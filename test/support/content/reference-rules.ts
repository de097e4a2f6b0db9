/** One rule of gitignore's language, or a glob, as a regular expression over paths relative to where the rule stands. */
export interface ReferenceRule {
  readonly negative: boolean;
  readonly directoriesOnly: boolean;
  readonly expression: RegExp;
}

/** The rules of an ignore file: one a line, no comments, no blanks at the end. */
export function rulesOf(text: string): ReferenceRule[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, '').replace(/(?<!\\) +$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf);
}

/** A request's globs: rules after their braces, in which `!` leaves out and all others let in. */
export function globsOf(globs: readonly string[]): ReferenceRule[] {
  return globs.flatMap((glob) => braces(glob)).map(ruleOf);
}

/** `a{b,c}d` as two texts; the generator nests no braces. */
function braces(glob: string): string[] {
  const [whole, inner = ''] = /\{([^{}]*,[^{}]*)\}/.exec(glob) ?? [];
  return whole === undefined ? [glob] : inner.split(',').flatMap((one) => braces(glob.replace(whole, () => one)));
}

function ruleOf(line: string): ReferenceRule {
  const negative = line.startsWith('!');
  const body = negative ? line.slice(1) : line;
  const path = body.replace(/\/$/, '');
  const source = path.replace(/^\//, '').split('/').map(nameSource).join('/');
  const anchored = path.includes('/');
  const joined = `/${source}`.replaceAll('/**/', '/(?:.*/)?').replace(/\/\*\*$/, '/.+');
  return { negative, directoriesOnly: body.endsWith('/'), expression: new RegExp(`^${anchored ? joined.slice(1) : `(?:.*/)?${joined.slice(1)}`}$`, 'su') };
}

function nameSource(name: string): string {
  if (name === '**') return name;
  return name.replace(/\\([\s\S])|\[(!?)([^\]]+)\]|[\s\S]/gu, (part, escaped: string | undefined, not: string | undefined, set: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    if (set !== undefined) return `[${not === '' ? '' : '^/'}${set}]`;
    return part === '*' ? '[^/]*' : part === '?' ? '[^/]' : literal(part);
  });
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** What the last rule that fits says about a path; undefined if none fits. */
export function lastSays(rules: readonly ReferenceRule[], path: string, isDirectory: boolean): 'plain' | 'negative' | undefined {
  const fitting = rules.filter(({ directoriesOnly, expression }) => (isDirectory || !directoriesOnly) && expression.test(path));
  const last = fitting.at(-1);
  return last === undefined ? undefined : last.negative ? 'negative' : 'plain';
}
