import { messageOf } from '../../core/errors.ts';
import type { EngineAnswer, EngineName, EngineTag, MessageEngine, SearchError } from '../../core/ports/message-engine.ts';
import { modeOf } from './modes.ts';

const TAGS = { fts5: 'fts5', tantivy: 'tantivy', semantic: 'hybrid', hybrid: 'hybrid', hybrid_rerank: 'hybrid' } satisfies Record<EngineName, EngineTag>;

/** An engine that answers everything with this error: it stands where one should be that cannot be asked, so that the search goes on to the next one and says why. */
export function failingEngine(name: EngineName, error: SearchError): MessageEngine {
  const failing = (): EngineAnswer<never> => ({ ok: false, error });
  return { name, tag: TAGS[name], mode: modeOf(name), find: failing, rows: failing };
}

/** The answer of an engine; one that throws has failed, no more. */
export async function catchEngineErrors<T>(ask: () => Promise<EngineAnswer<T>>): Promise<EngineAnswer<T>> {
  try {
    return await ask();
  } catch (error) {
    return { ok: false, error: { kind: 'engine_error', message: messageOf(error) } };
  }
}
