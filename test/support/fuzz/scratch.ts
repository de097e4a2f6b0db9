import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A directory of a boundary's own, and what takes it away. */
export function scratch(name: string): { readonly home: string; readonly remove: () => void } {
  const home = mkdtempSync(path.join(tmpdir(), `writ-fuzz-${name}-`));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}
