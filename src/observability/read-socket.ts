import { get } from 'node:http';
import type { LabelsOf } from './events.ts';

/** A worker's answer has about 100 KB. */
const MAX_BYTES = 4 * 1024 * 1024;
const ANSWERS: ReadonlySet<number> = new Set([200, 503]);

/** `dead`: nobody listens, so there is nobody to ask. */
export type SocketTrouble = LabelsOf<'writ_gather_errors_total'>['reason'] | 'dead';

/** Reads a path of a metrics socket; gives up at the time or at the size, whichever comes first. 503 is an answer too: `/readyz` gives it. */
export function readSocket(socketPath: string, path: string, timeoutMs: number): Promise<{ readonly text: string } | { readonly trouble: SocketTrouble }> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = get({ socketPath, path, headers: { host: 'localhost' }, agent: false, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_BYTES) return void chunks.push(chunk);
        resolve({ trouble: 'too_large' });
        request.destroy();
      });
      response.on('error', () => resolve({ trouble: signal.aborted ? 'timeout' : 'unreachable' }));
      response.on('end', () => resolve(ANSWERS.has(response.statusCode ?? 0) ? { text: Buffer.concat(chunks).toString() } : { trouble: 'malformed' }));
    });
    request.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve({ trouble: signal.aborted ? 'timeout' : troubleOf(code) }));
  });
}

function troubleOf(code: string): SocketTrouble {
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'dead';
  return code.startsWith('HPE_') ? 'malformed' : 'unreachable';
}
