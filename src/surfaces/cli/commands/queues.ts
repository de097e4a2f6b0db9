import type { QueueAction } from '../../../contracts/index.ts';
import { counted } from '../../../core/units.ts';
import { shownQueue, switchQueue } from '../../shared/queues.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { queueTable } from '../text/queues.ts';

export const register: Registrar = (program, deps, exit) => {
  const queue = program.command('queue').helpCommand(false).description('pause and resume queues');
  queue
    .command('list')
    .description('every queue of the pool: jobs, workers, and whether it is paused')
    .action(command<[], Record<never, never>>(deps, exit, runList));
  queue
    .command('pause <queue>')
    .description('no worker takes another job of it until `queue resume`; what runs goes on, and pushes are taken')
    .action(command<[string], Record<never, never>>(deps, exit, (context, _options, name) => runSwitch(context, name, 'pause')));
  queue
    .command('resume <queue>')
    .description('workers take its jobs again')
    .action(command<[string], Record<never, never>>(deps, exit, (context, _options, name) => runSwitch(context, name, 'resume')));
};

/** `writ queue list`. REDIS_UNAVAILABLE (exit 3) when Redis says nothing. */
async function runList(context: CommandContext): Promise<number> {
  const queues = await (await (await context.services()).queues()).list();
  await context.output.answer({ queues: queues.map(shownQueue) }, () => queueTable(queues));
  return 0;
}

/** `writ queue pause|resume`. NOT_FOUND (exit 1) names the queues that there are. */
async function runSwitch(context: CommandContext, name: string, action: QueueAction): Promise<number> {
  const services = await context.services();
  const [queues, audit] = [await services.queues(), await services.audit()];
  const done = await switchQueue(name, action, { surface: 'cli', who: services.who }, { queues, audit });
  const one = (await queues.list()).find(({ queue }) => queue === name);
  await context.output.answer(done, () => {
    const state = done.paused ? 'paused' : 'not paused';
    const jobs = one === undefined ? '' : `; ${counted(one.waiting, 'job')} waiting, ${one.active} running, ${counted(one.workers, 'worker')}`;
    return `${name} is ${state}${done.changed ? '' : ', as before'}${jobs}`;
  });
  return 0;
}
