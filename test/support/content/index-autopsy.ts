import path from 'node:path';
import { nodeSearchTree } from '../../../src/content-search/io/tree/tree.ts';
import { walkTree } from '../../../src/content-search/ngram-index/build/indexed-tree.ts';
import { liveDocuments } from '../../../src/content-search/ngram-index/query/live.ts';
import { openSnapshot } from '../../../src/content-search/ngram-index/query/snapshot.ts';
import { createBarrierClient } from '../../../src/content-search/ngram-index/serving/barrier-client.ts';
import type { ConfiguredIndex } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import { diskIndexFiles } from '../../../src/content-search/ngram-index/storage/files-disk.ts';
import { loadHasher } from '../../../src/content-search/ngram-index/tokenize/hash.ts';
import { PATIENCE_MS } from '../patience.ts';

/** What the index and the tree say of each other after a difference: for the one who has to find out why. */
export async function autopsy({ indexed, keyHash, directory }: ConfiguredIndex): Promise<string> {
  const client = createBarrierClient(directory, PATIENCE_MS);
  const barrier = await client.barrier();
  client.close();
  if (barrier?.snapshot == null) return `no snapshot: ${JSON.stringify(barrier)}`;
  const opened = openSnapshot(diskIndexFiles({ directory, keyHash }), barrier.snapshot, { keyHash: Buffer.from(keyHash, 'hex') }, await loadHasher());
  if (!opened.ok) return `the snapshot cannot be opened: ${opened.message}`;
  const documents = [...liveDocuments(opened.snapshot)].map(({ document }) => document.path.toString());
  const walk = walkTree(nodeSearchTree(), indexed);
  const files = walk.next(1_000_000).map(({ text }) => text);
  opened.snapshot.close();
  const only = (some: readonly string[], others: readonly string[]): string => JSON.stringify(some.filter((one) => !others.includes(one)));
  return [
    `only in the index: ${only(documents, files)}`,
    `only in the tree: ${only(files, documents)}`,
    `overlay: ${JSON.stringify(barrier.overlay)}, veto ${barrier.veto}, ${barrier.state}, ${JSON.stringify(barrier.snapshot)}`,
    `warnings of the walk: ${JSON.stringify(walk.warnings)}`,
    `root ${path.basename(indexed.root)}`,
  ].join('\n');
}
