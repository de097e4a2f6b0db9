import { messageOf } from '../../core/errors.ts';
import type { EngineAnswer } from '../../core/ports/message-engine.ts';

/** An engine that throws has failed, no more. */
export async function guarded<T>(ask: () => Promise<EngineAnswer<T>>): Promise<EngineAnswer<T>> {
  try {
    return await ask();
  } catch (error) {
    return { ok: false, error: { kind: 'engine_error', message: messageOf(error) } };
  }
}
