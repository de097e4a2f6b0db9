import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MessageIndexEvent } from '../../src/core/ports/index.ts';
import { loadTantivy, type Tantivy } from '../../src/messages/engines/tantivy/binding.ts';
import { createTantivyEngine } from '../../src/messages/engines/tantivy/engine.ts';
import { createTantivyIndexer } from '../../src/messages/engines/tantivy/indexer.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { removeTree } from './remove-tree.ts';

/** Tests that need Tantivy's binding. Without it, which is a supported state, there is one that says how to get it. */
export function describeTantivy(title: string, tests: (tantivy: Tantivy) => void): void {
  const loaded = loadTantivy();
  describe(title, () => {
    if (loaded.ok) return tests(loaded.tantivy);
    it('cannot be shown without the binding; run: scripts/tantivy', () => {
      expect(loaded.why).toContain('not installed');
    });
  });
}

/** An index of a database of messages in a folder of its own, and an engine that reads it. */
export function tantivyOver(tantivy: Tantivy, file: string) {
  const root = mkdtempSync(path.join(tmpdir(), 'writ-tantivy-'));
  const reader = createMessagesReader(file);
  const events: MessageIndexEvent[] = [];
  const indexer = createTantivyIndexer({ tantivy, root, db: reader.database(), emit: (event) => events.push(event) });
  return {
    root,
    events,
    indexer,
    engine: createTantivyEngine({ tantivy, root, database: reader.database }),
    close() {
      indexer.close();
      reader.close();
      removeTree(root);
    },
  };
}
