/**
 * What of Bull Board's own API is served: reading, nothing else. A route that is not in this list is not even registered,
 * whatever a later version brings, and is answered like every other path beneath the board: refused.
 */
export const READ_ROUTES: ReadonlySet<string> = new Set([
  'get /api/queues',
  'get /api/job-schedulers',
  'get /api/queues/:queueName/metrics',
  'get /api/queues/:queueName/default-job-options',
  'get /api/queues/:queueName/workers',
  'get /api/queues/:queueName/rate-limit',
  'get /api/queues/:queueName/job-data-schema',
  'get /api/queues/:queueName/:jobId/logs',
  'get /api/queues/:queueName/:jobId',
]);

/** Bull Board's route objects, as far as they are looked at. */
export interface OfferedRoute {
  readonly method: string | readonly string[];
  readonly route: string | readonly string[];
}

export function isRead({ method, route }: OfferedRoute): boolean {
  const routes = [route].flat();
  return [method].flat().every((verb) => routes.every((path) => READ_ROUTES.has(`${verb} ${path}`)));
}
