import { isReservedName } from '../../contracts/reserved.ts';
import { WritError } from '../../core/errors.ts';
import { type Pattern, parsePattern } from './pattern.ts';
import { compileRules, enter, matchRules, type RuleState } from './rules.ts';

/** Patterns of paths that are never seen, at the root of the file system. */
export type DenyRules = RuleState;

/**
 * Deny patterns in gitignore's language against absolute paths, such as `id_rsa*`. One that denies everything in a directory
 * (`.ssh/**`) denies the directory, too: its name, and why it cannot be read, would tell that it is there.
 *
 * @throws WritError INVALID_CONFIG for a pattern that can fit no path: it would protect nothing.
 */
export function compileDenied(patterns: readonly string[]): DenyRules {
  return compileRules(
    patterns.flatMap((text) => {
      const pattern = parsePattern(text);
      if (pattern === undefined) throw new WritError('INVALID_CONFIG', `the deny pattern ${JSON.stringify(text)} fits no path`);
      const emptied = emptiedBy(text);
      return [pattern, ...(emptied === undefined ? [] : [emptied])].map((one) => ({ negative: false, pattern: one }));
    }),
  );
}

/** The directories of which the pattern denies all that is in them; undefined if there are none, or all there are. */
function emptiedBy(text: string): Pattern | undefined {
  const head = /^(?<head>.*[^/*].*?)\/(?:\*{1,2}|\*\*\/\*)$/u.exec(text)?.groups?.['head'];
  if (head === undefined || head.endsWith('\\')) return undefined;
  return parsePattern(`${head.includes('/') ? '' : '/'}${head}/`);
}

/** Whether a path, or a directory above it, is denied. */
export function isDenied(rules: DenyRules, absolutePath: string, isDirectory: boolean): boolean {
  let state = rules;
  const names = namesOf(absolutePath);
  for (const [at, name] of names.entries()) {
    if (matchRules(state, name, isDirectory || at < names.length - 1) === 'out') return true;
    state = enter(state, name);
  }
  return false;
}

/** The rules in a directory given by its absolute path. */
export const deniedAt = (rules: DenyRules, directory: string): DenyRules => namesOf(directory).reduce(enter, rules);

/** Whether the name is one of Writ's own. Nothing that begins otherwise is folded to a dot, so most names need no folding. */
export const isReserved = (name: string): boolean => name.charCodeAt(0) === DOT && isReservedName(name);
const DOT = 46;

/** The names of a path that has `/` between them. */
export const namesOf = (path: string): readonly string[] => path.split('/').filter((name) => name !== '');
