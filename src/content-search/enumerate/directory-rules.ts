import { type DenyRules, deniedAt, isReserved } from './denied.ts';
import { enterGlobs, type Globs, globsAdmit } from './globs.ts';
import { parseIgnoreFile } from './ignore-file.ts';
import { dotOf } from './name-table.ts';
import { compileRules, enter, matchRules, type RuleState } from './rules.ts';

/** The names of ignore files, the stronger one first. */
export const IGNORE_FILES = ['.ignore', '.gitignore'] as const;
export type IgnoreFileName = (typeof IGNORE_FILES)[number];

/** Everything that decides about the entries of one directory. */
export interface DirectoryRules {
  readonly denied: DenyRules;
  readonly hidden: boolean;
  readonly globs: Globs;
  /** Ignore files of each name, the deepest first. */
  readonly files: Readonly<Record<IgnoreFileName, readonly RuleState[]>>;
  /** `.git/info/exclude`, then the global excludes. */
  readonly fixed: readonly RuleState[];
  /** All of them as they are asked: `.ignore` anywhere before `.gitignore` anywhere before `fixed`; the first that says something decides. */
  readonly ignore: readonly RuleState[];
}

/** The rules at the order root, before its own ignore files. */
export function rootRules(denied: DenyRules, root: string, hidden: boolean, globs: Globs, fixed: readonly string[]): DirectoryRules {
  const states = fixed.map((text) => compileRules(parseIgnoreFile(text)));
  return { denied: deniedAt(denied, root), hidden, globs, files: { '.ignore': [], '.gitignore': [] }, fixed: states, ignore: states };
}

/** The rules with an ignore file of this directory. */
export function withIgnoreFile(rules: DirectoryRules, name: IgnoreFileName, text: string): DirectoryRules {
  const files = { ...rules.files, [name]: [compileRules(parseIgnoreFile(text)), ...rules.files[name]] };
  return { ...rules, files, ignore: ordered(files, rules.fixed) };
}

const ordered = (files: DirectoryRules['files'], fixed: readonly RuleState[]): readonly RuleState[] => [
  ...IGNORE_FILES.flatMap((name) => files[name]),
  ...fixed,
];

/** The rules in a directory of this one, before its own ignore files; mostly the same object. */
export function enterRules(rules: DirectoryRules, name: string): DirectoryRules {
  const denied = enter(rules.denied, name);
  const globs = enterGlobs(rules.globs, name);
  const isSame = rules.ignore.every((state) => enter(state, name) === state);
  if (isSame) return denied === rules.denied && globs === rules.globs ? rules : { ...rules, denied, globs };
  const into = (states: readonly RuleState[]): readonly RuleState[] => states.map((state) => enter(state, name));
  const files = { '.ignore': into(rules.files['.ignore']), '.gitignore': into(rules.files['.gitignore']) };
  const fixed = into(rules.fixed);
  return { ...rules, denied, globs, files, fixed, ignore: ordered(files, fixed) };
}

/** Whether an entry of this directory is to be seen. */
export function admits(rules: DirectoryRules, name: string, isDirectory: boolean): boolean {
  if (name.charCodeAt(0) === DOT && isHiddenAway(rules, name, isDirectory)) return false;
  const dot = dotOf(name);
  if (!mayBeNamed(rules, name, isDirectory, dot)) return false;
  for (const state of rules.ignore) {
    const said = matchRules(state, name, isDirectory, dot);
    if (said === undefined) continue;
    if (said === 'out') return false;
    break;
  }
  return globsAdmit(rules.globs, name, isDirectory, dot);
}

/** Whether an entry may be seen by those who name it: what holds for a request path too. */
export const mayBeNamed = (rules: DirectoryRules, name: string, isDirectory: boolean, dot = dotOf(name)): boolean =>
  matchRules(rules.denied, name, isDirectory, dot) !== 'out' && !isReserved(name);

const isHiddenAway = (rules: DirectoryRules, name: string, isDirectory: boolean): boolean => !rules.hidden || (isDirectory && name === GIT_DIRECTORY);

/** Never entered on the way. */
export const GIT_DIRECTORY = '.git';
const DOT = 46;
