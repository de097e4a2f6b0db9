import { messageOf } from '../core/errors.ts';

/** A part that does not answer within this time is not ready. */
const PATIENCE_MS = 2000;

/** Asks one part and tells what came of it, in time. Never rejects. */
export async function checkHealth(
  name: string,
  check: () => Promise<string>,
): Promise<{ readonly name: string; readonly ok: boolean; readonly detail: string }> {
  const patience = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
    patience.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  try {
    return { name, ok: true, detail: await Promise.race([check(), late]) };
  } catch (error) {
    return { name, ok: false, detail: messageOf(error) };
  } finally {
    patience.abort();
  }
}
