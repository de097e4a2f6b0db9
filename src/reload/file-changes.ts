import { canonicalJson } from '../core/canonical-json.ts';
import { sha256Hex } from '../core/hash.ts';

/** A definition or binding that differs: its file, and hashes instead of contents, which may be anybody's secret. */
export interface FileChange {
  /** What it defines. */
  readonly name: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** So much of a hash tells two values apart for a person. */
const SHOWN = 12;

/** A hash of each value that was read, and one of all. */
export function hashesOf(read: ReadonlyMap<string, unknown>): { readonly hashes: ReadonlyMap<string, string>; readonly mark: string } {
  const hashes = new Map([...read].map(([name, value]) => [name, sha256Hex(canonicalJson(value as never))] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { hashes, mark: sha256Hex(canonicalJson([...hashes])).slice(0, 16) };
}

/** What differs, by name in code-unit order; `none` where there is no such file. */
export function fileChanges(now: ReadonlyMap<string, string>, next: ReadonlyMap<string, string>, keyOf: (name: string) => string): FileChange[] {
  const shown = (hash: string | undefined): string => hash?.slice(0, SHOWN) ?? 'none';
  return [...new Set([...now.keys(), ...next.keys()])]
    .filter((name) => now.get(name) !== next.get(name))
    .sort()
    .map((name) => ({ name, key: keyOf(name), from: shown(now.get(name)), to: shown(next.get(name)) }));
}
