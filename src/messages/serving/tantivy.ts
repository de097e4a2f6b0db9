import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { messageOf } from '../../core/errors.ts';
import type { MessageEngine } from '../../core/ports/message-engine.ts';
import { loadTantivy } from '../engines/tantivy/binding.ts';
import { createTantivyEngine } from '../engines/tantivy/engine.ts';
import type { Missing } from '../search/planner.ts';

/** Tantivy as an engine of message search, or why it is none. @param root directory of the index; `null`: there shall be none */
export function tantivyOf(
  root: string | null,
  database: () => SqliteDatabase,
  load = loadTantivy,
): { readonly engines?: { readonly tantivy: MessageEngine }; readonly absent?: Missing } {
  if (root === null) return { absent: { tantivy: 'messages.tantivy is false' } };
  const loaded = load();
  if (!loaded.ok) return { absent: { tantivy: loaded.why } };
  try {
    return { engines: { tantivy: createTantivyEngine({ tantivy: loaded.tantivy, root, database }) } };
  } catch (error) {
    return { absent: { tantivy: `Tantivy cannot be used: ${messageOf(error)}` } };
  }
}
