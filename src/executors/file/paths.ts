import { isReservedName, VAULT_DIRECTORY } from '../../contracts/index.ts';
import type { BasePath } from '../../core/ports/index.ts';
import { VAULT_ENTRY } from './vault-names.ts';

/** A base directory, ready to be compared with component by component. */
export interface PathBase {
  readonly id: string;
  readonly path: string;
  readonly components: readonly string[];
}

/** A path that keeps every rule. `absolute` is its normalized form; `inVault` only where a vault path was permitted. */
export interface TaskPath extends BasePath {
  readonly absolute: string;
  readonly inVault: boolean;
}

/** Every rule that a path can break, in the order in which they are looked at. */
export type PathRule =
  | 'string'
  | 'empty'
  | 'remote'
  | 'absolute'
  | 'nul'
  | 'surrogate'
  | 'traversal'
  | 'glob'
  | 'directory'
  | 'length'
  | 'reserved'
  | 'outside'
  | 'base';

export type PathAnswer = { readonly ok: true; readonly path: TaskPath } | { readonly ok: false; readonly rule: PathRule; readonly message: string };

/** PATH_MAX without its NUL: a longer path could not be handed to any program. */
const MAX_PATH_BYTES = 4095;
const MAX_COMPONENT_BYTES = 255;

interface RawRule {
  readonly rule: PathRule;
  readonly says: string;
  readonly broken: (raw: string) => boolean;
}

/** Rules of the text as it came; `..` is looked for before anything is normalized, because normalizing would hide it. */
const RAW_RULES: readonly RawRule[] = [
  { rule: 'empty', says: 'must not be empty', broken: (raw) => raw === '' },
  { rule: 'remote', says: 'must be a local path, not a network or URL form', broken: (raw) => /^(?:\/\/|\\\\|[A-Za-z][A-Za-z0-9+.-]*:\/\/)/.test(raw) },
  { rule: 'absolute', says: "must be absolute (begin with '/')", broken: (raw) => !raw.startsWith('/') },
  { rule: 'nul', says: 'must not contain NUL', broken: (raw) => raw.includes('\0') },
  { rule: 'surrogate', says: 'must be well-formed Unicode', broken: (raw) => /\p{Surrogate}/u.test(raw) },
  { rule: 'traversal', says: "must not contain a '..' component", broken: (raw) => raw.split('/').includes('..') },
  { rule: 'glob', says: 'must not contain the wildcard characters * ? [ ]', broken: (raw) => /[*?[\]]/.test(raw) },
  { rule: 'directory', says: "must name a file (not end in '/' or '/.')", broken: (raw) => /\/\.?$/.test(raw) },
  {
    rule: 'length',
    says: `must be at most ${MAX_PATH_BYTES} bytes long, and ${MAX_COMPONENT_BYTES} bytes per component`,
    broken: (raw) => Buffer.byteLength(raw) > MAX_PATH_BYTES || raw.split('/').some((part) => Buffer.byteLength(part) > MAX_COMPONENT_BYTES),
  },
];

/** Lexical normalization: empty and `.` components vanish. `..` was refused before. */
export function componentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** Component-wise, so that `/base2` is not below `/base`. Equal counts. */
export function isWithin(components: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= components.length && prefix.every((part, index) => components[index] === part);
}

export function toPathBase({ id, path }: { readonly id: string; readonly path: string }): PathBase {
  return { id, path, components: componentsOf(path) };
}

/** Absolute, normalized form of a path below a base. */
export function absolutePath(base: { readonly path: string }, segments: readonly string[]): string {
  return `/${[...componentsOf(base.path), ...segments].join('/')}`;
}

/**
 * Judges one path of a manifest against all rules (file-executor.md 3, 4.1, 5.1), without looking at any file.
 *
 * @param raw          whatever stood in the manifest
 * @param bases        configured base directories; none: everything is outside
 * @param permitVault  an entry of a vault is legal (the source of an undo; the caller compares it with the journal)
 */
export function parsePath(raw: unknown, bases: readonly PathBase[], permitVault = false): PathAnswer {
  if (typeof raw !== 'string') return broken('string', 'must be a string');
  for (const { rule, says, broken: isBroken } of RAW_RULES) if (isBroken(raw)) return broken(rule, says, raw);

  const components = componentsOf(raw);
  const base = bases.find((candidate) => isWithin(components, candidate.components));
  const segments = base ? components.slice(base.components.length) : [];
  const inVault = permitVault && isVaultEntry(segments);
  if (!inVault && components.some(isReservedName)) return broken('reserved', "must not contain a component that begins with '.writ-'", raw);
  if (!base) return broken('outside', 'must lie below a configured base directory', raw);
  if (segments.length === 0) return broken('base', 'must lie below a base directory, not be one', raw);
  return { ok: true, path: { base: base.id, segments, absolute: `/${components.join('/')}`, inVault } };
}

function isVaultEntry(segments: readonly string[]): boolean {
  const [directory, name] = segments;
  return segments.length === 2 && directory === VAULT_DIRECTORY && name !== undefined && VAULT_ENTRY.test(name);
}

function broken(rule: PathRule, says: string, raw?: string): PathAnswer {
  return { ok: false, rule, message: raw === undefined || raw === '' ? says : `${says}: ${quoted(raw)}` };
}

const QUOTED_CHARACTERS = 120;

/** The producer's own words, shortened; escapes keep control characters and lone surrogates out of messages. */
function quoted(raw: string): string {
  return JSON.stringify(raw.length > QUOTED_CHARACTERS ? `${raw.slice(0, QUOTED_CHARACTERS)}…` : raw);
}
