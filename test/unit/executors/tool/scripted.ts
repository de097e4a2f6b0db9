import { vi } from 'vitest';
import { systemClock } from '../../../../src/core/clock.ts';
import type { BoundTool, PreparedRequest, ToolAnswer, ToolEffectClass, ToolRequest } from '../../../../src/core/ports/index.ts';
import { createToolExecutor, type ToolExecutor } from '../../../../src/executors/tool/index.ts';
import type { toolJournal } from '../../../support/tools.ts';

interface Script {
  readonly effect?: ToolEffectClass;
  readonly timeoutMs?: number;
  readonly prepare?: (request: ToolRequest, signal: AbortSignal) => Promise<PreparedRequest>;
  readonly send?: (signal: AbortSignal, request: ToolRequest) => Promise<ToolAnswer>;
}

/** An executor with one tool `t` whose operation `op` does what the script says; `sent` counts requests. */
export function scripted(journal: Awaited<ReturnType<typeof toolJournal>>, script: Script): { executor: ToolExecutor; sent: ToolRequest[] } {
  const sent: ToolRequest[] = [];
  const tool: BoundTool = {
    timeoutMs: script.timeoutMs ?? 60_000,
    effects: new Map([['op', script.effect ?? 'once']]),
    adapter: {
      prepare:
        script.prepare ??
        (async (request) => ({
          kind: 'ready',
          send: async (signal) => {
            sent.push(request);
            return (await script.send?.(signal, request)) ?? { kind: 'ok', data: { done: true } };
          },
        })),
    },
  };
  return { executor: createToolExecutor({ tools: new Map([['t', tool]]), journal, clock: systemClock }), sent };
}

export const untilAborted = (signal: AbortSignal): Promise<ToolAnswer> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'unclear', message: 'no answer' }), { once: true }));

/**
 * What a rig does whose request is under way when its time is over: its time passes then and only then, so that an intent may take as long as it
 * takes. The timers of its run are counterfeit, until the answer is there.
 */
export async function outOfTime(deliverWith: (script: Pick<Script, 'timeoutMs' | 'send'>) => Promise<unknown>): Promise<unknown> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timeoutMs = 20;
  const send = (signal: AbortSignal): Promise<ToolAnswer> => {
    const end = untilAborted(signal);
    vi.advanceTimersByTime(timeoutMs);
    return end;
  };
  try {
    return await deliverWith({ timeoutMs, send });
  } finally {
    vi.useRealTimers();
  }
}
