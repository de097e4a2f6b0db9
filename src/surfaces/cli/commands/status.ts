import type { ImportProgress, QueueStatus, SystemStatus } from '../../../core/ports/system-status.ts';
import { bytes, counted } from '../../../core/units.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { queueTable } from '../text/queues.ts';
import { pairs } from '../text/table.ts';

export const register: Registrar = (program, deps, exit) => {
  program
    .command('status')
    .description('queues, workers, failures by code, ledger and Redis')
    .action(command<[], Record<never, never>>(deps, exit, runStatus));
};

/** `writ status`: what the system says about itself now. REDIS_UNAVAILABLE (exit 3) when it says nothing. */
async function runStatus(context: CommandContext): Promise<number> {
  const status = await (await context.services()).status();
  await context.output.answer(statusValue(status), () => textOf(status));
  return 0;
}

function statusValue({ queues, workers, ledger, redis, imports = [] }: SystemStatus): object {
  return {
    queues: queues.map((queue) => ({
      queue: queue.queue,
      waiting: queue.waiting,
      active: queue.active,
      delayed: queue.delayed,
      completed: queue.completed,
      failed: queue.failed,
      paused: queue.paused,
      oldest_waiting_ms: queue.oldestWaitingMs ?? null,
      workers: queue.workers,
      failures: queue.failures,
      failures_sampled: queue.failuresSampled,
    })),
    workers,
    ledger: { markers: ledger.markers, expected: ledger.expected, generation: ledger.generation ?? null },
    redis: { version: redis.version, policy: redis.policy, append_only: redis.appendOnly, used_bytes: redis.usedBytes, limit_bytes: redis.limitBytes },
    imports: imports.map(({ updatedAt, ...one }) => ({ ...one, updated_at: new Date(updatedAt).toISOString() })),
  };
}

function textOf({ queues, workers, ledger, redis, imports = [] }: SystemStatus): string {
  const alive = workers.filter((worker) => worker.alive).length;
  return [
    queueTable(queues),
    '',
    pairs([
      ...imports.map((one): [string, string] => ['import', importText(one)]),
      ...queues.filter((queue) => queue.failuresSampled > 0).map((queue): [string, string] => [`failures in ${queue.queue}`, failuresText(queue)]),
      ['workers of this host', `${alive} alive${alive < workers.length ? `, ${workers.length - alive} gone` : ''}`],
      [
        'ledger',
        ledger.markers === ledger.expected
          ? `complete (generation ${ledger.generation ?? '?'})`
          : `${ledger.markers} of ${ledger.expected} markers: a worker rebuilds it before it goes on`,
      ],
      [
        'redis',
        `${redis.version}, ${redis.policy}, append-only file ${redis.appendOnly ? 'on' : 'OFF'}, ${bytes(redis.usedBytes)} used${redis.limitBytes === 0 ? '' : ` of ${bytes(redis.limitBytes)}`}`,
      ],
    ]),
  ].join('\n');
}

function importText({ name, items, bad, finished, updatedAt }: ImportProgress): string {
  const when = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ');
  return `${name}: ${counted(items, 'record')} stored${bad > 0 ? `, ${bad} left out` : ''}, ${finished ? 'finished' : 'not finished'} (${when} UTC)`;
}

function failuresText({ failures, failuresSampled }: QueueStatus): string {
  const codes = Object.entries(failures).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return `${codes.map(([code, count]) => `${code} ${count}`).join(', ')} (newest ${counted(failuresSampled, 'job')})`;
}
