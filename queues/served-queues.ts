import { WritError } from '../src/core/errors.ts';
import { queueName, taskQueues } from './catalog.ts';

/**
 * The queues that a worker is to serve. A kind alone means that of its pool: manifests of deployments name kinds, and the pool is a setting.
 *
 * @throws WritError INVALID_ARGUMENT for a queue that the pool does not have
 */
export function servedQueues(words: readonly string[], pool: string, providers: readonly string[]): readonly string[] {
  const known = [...taskQueues(pool, providers), queueName('plan', pool)];
  return words.map((word) => {
    const queue = known.find((name) => name === word || name === `${word}@${pool}`);
    if (queue === undefined) throw new WritError('INVALID_ARGUMENT', `there is no queue ${word}; this pool has ${known.join(', ')}`, { field: '--queues' });
    return queue;
  });
}
