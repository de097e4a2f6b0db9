import type { PlanView } from '../../core/ports/index.ts';
import { heldPlan } from '../shared/paused/held.ts';
import type { CommandContext } from './command.ts';

/** First after so long, then as often: who is answered at once is told nothing. */
const LOOK_MS = 1_000;

/** Looks for paused queues while a command waits. */
export interface PausedWatch {
  stop(): void;
}

/**
 * Says when a queue in which somebody waits is paused, and when it goes on: a line on stderr, with --json a line of the answer.
 *
 * @param look the paused queues that are waited for; whatever it throws is nobody's answer, and is passed over
 * @param aside frees the line of a bar
 */
export function watchPaused(context: CommandContext, look: () => Promise<readonly string[]>, aside: () => void = () => undefined): PausedWatch {
  let told: readonly string[] = [];
  let stopped = false;
  const tell = (queue: string, paused: boolean): void => {
    aside();
    if (context.output.json) void context.output.line({ queue, paused });
    else context.output.note(paused ? `the queue ${queue} is paused: \`writ queue resume ${queue}\` lets it go on` : `the queue ${queue} goes on`);
  };
  const once = async (): Promise<void> => {
    const now = await look().catch(() => told);
    if (stopped) return;
    for (const queue of now) if (!told.includes(queue)) tell(queue, true);
    for (const queue of told) if (!now.includes(queue)) tell(queue, false);
    told = now;
  };
  const next = (): NodeJS.Timeout =>
    setTimeout(() => {
      void once().then(() => {
        if (!stopped) timer = next();
      });
    }, LOOK_MS);
  let timer = next();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Waits for `work` and tells of the queue in which a task waits, if that is paused. */
export async function toldOfPause<T>(context: CommandContext, taskId: string, work: Promise<T>): Promise<T> {
  const watch = watchPaused(context, async () => {
    const job = await (await (await context.services()).tasks()).enqueue.jobState(taskId);
    return job?.queuePaused === true ? [job.queue] : [];
  });
  try {
    return await work;
  } finally {
    watch.stop();
  }
}

/** The paused queue in which a plan or its step waits; `undefined` also where nobody can tell. */
export async function pausedFor(context: CommandContext, view: PlanView): Promise<string | undefined> {
  try {
    const services = await context.services();
    return (await heldPlan(view, { tasks: await services.tasks(), queues: await services.queues() })).paused_queue;
  } catch {
    return undefined;
  }
}
