import { z } from 'zod';
import { PLACE } from './labels.ts';
import { metricsSources } from './metrics-directory.ts';
import type { Finding } from './metrics-socket.ts';
import { readSocket } from './read-socket.ts';

const Answer = z.object({ checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })) });
const TIMEOUT_MS = 500;
/** As many as are scraped. */
const MAX_WORKERS = 64;

/**
 * What the running workers of a data directory say of the places that they hold (`PLACE`), each by its name. A worker that
 * does not answer in time says nothing.
 *
 * @param directory `<data>/metrics`
 */
export async function readPlaces(directory: string): Promise<readonly Finding[]> {
  const workers = (await metricsSources(directory)).filter(({ role }) => role === 'worker').slice(0, MAX_WORKERS);
  return (await Promise.all(workers.map(({ path }) => placesOf(path)))).flat();
}

async function placesOf(socket: string): Promise<readonly Finding[]> {
  const answer = await readSocket(socket, '/readyz', TIMEOUT_MS);
  if ('trouble' in answer) return [];
  try {
    const { checks } = Answer.parse(JSON.parse(answer.text));
    return checks.filter(({ name }) => PLACE.pattern.test(name)).map(({ name, ok, detail = '' }) => ({ name, ok, detail }));
  } catch {
    return [];
  }
}
