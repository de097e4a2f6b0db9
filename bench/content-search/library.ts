import { DIALECTS } from '../../src/content-search/backends/dialects.ts';
import { findBackends } from '../../src/content-search/io/backend/find-backends.ts';
import type { BackendKind } from '../../src/core/ports/index.ts';
import { digestOf } from './found.ts';
import { searchOurs } from './ours.ts';
import type { Wanted } from './wanted.ts';

/**
 * The library in a process of its own, as servers have it: what a process costs to start grows with the memory of the
 * one that starts it, and what the bench keeps of its peers would be in there.
 */
export interface LibraryWish {
  readonly root: string;
  readonly backend: BackendKind;
  readonly wanted: Wanted;
}
export interface LibraryReport {
  readonly ms: number;
  readonly work: ReturnType<typeof digestOf>;
  readonly error: string | undefined;
}

const { found } = await findBackends({ names: ['ugrep'], searchPath: process.env['PATH'] ?? '', dialects: DIALECTS });

process.on('message', (wish: LibraryWish) => void serve(wish));
process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

async function serve({ root, backend: kind, wanted }: LibraryWish): Promise<void> {
  const one = found.find(({ backend }) => backend.kind === kind);
  if (one === undefined) throw new Error(`${kind} is not here`);
  const { ms, result } = await searchOurs(root, one.backend, wanted);
  process.send?.({ ms, work: digestOf(result.events), error: result.error?.message } satisfies LibraryReport);
}
