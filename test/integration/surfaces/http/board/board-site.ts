import { toWritError } from '../../../../../src/adapters/redis/redis-error.ts';
import { systemClock } from '../../../../../src/core/clock.ts';
import { type BoardOptions, boardPlugin } from '../../../../../src/surfaces/http/board/plugin.ts';
import type { BoardServices } from '../../../../../src/surfaces/http/board/retry-job.ts';
import { type Site, startSite } from '../core-site.ts';

/** The board alone, over the queues that a test brings. */
export interface BoardSite extends AsyncDisposable {
  /** With a key that may operate. */
  call(method: string, path: string): ReturnType<Site['fetch']>;
}

export type BoardSiteOptions = Pick<BoardOptions, 'queues' | 'audit'> & Pick<BoardServices, 'tasks' | 'plans'> & Partial<Pick<BoardServices, 'planSignatures'>>;

const unused = () => {
  throw new Error('nothing is asked of the kernel here');
};

export async function startBoardSite({ queues, audit, tasks, plans, planSignatures = unused }: BoardSiteOptions): Promise<BoardSite> {
  const doors = { tasks, plans, kernel: unused, signatures: unused, planSignatures, regrantByDefault: true, clock: systemClock };
  const plugin = boardPlugin({
    ...{
      queues,
      audit,
      control: { list: unused, paused: unused, pausedAround: unused, set: unused },
      pool: 'default',
      links: [],
      clock: systemClock,
      translate: toWritError,
    },
    ...{ operate: () => doors, report: () => undefined },
  });
  const site = await startSite({ plugins: [plugin] });
  return {
    call: (method, path) => site.fetch(`/board${path}`, { method, headers: { authorization: `Bearer ${site.secrets.operate}` } }),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
