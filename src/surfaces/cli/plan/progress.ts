import type { PlanView } from '../../../core/ports/index.ts';
import { counted, duration } from '../../../core/units.ts';
import type { CommandContext } from '../command.ts';
import { printable } from '../text/values.ts';

/** Tells how a plan goes on: one line that changes on a terminal, a line a step elsewhere, JSON lines with --json. */
export interface PlanProgress {
  seen(view: PlanView): void;
  /** Frees the line for a message; it is drawn again by itself. */
  aside(): void;
  /** Frees the line. */
  stop(): void;
}

const CLEAR_LINE = '\r\u001b[2K';
/** How often the time on the line counts up, milliseconds. */
const TICK_MS = 500;
const WIDEST = 100;

export function createPlanProgress(context: CommandContext): PlanProgress {
  const { stderr } = context.io;
  const live = stderr.isTTY === true && !context.output.json;
  const started = context.clock.monotonic();
  let last: PlanView | undefined;
  const draw = (): void => {
    if (!live || last === undefined) return;
    // The time first: a narrow line may end before the path does.
    const text = printable(`${duration(context.clock.monotonic() - started)}: ${stepText(last)}`);
    stderr.write(`${CLEAR_LINE}${[...text].slice(0, WIDEST).join('')}`);
  };
  const ticking = live ? setInterval(draw, TICK_MS) : undefined;
  return {
    seen(view) {
      const isNews = last === undefined || stepText(last) !== stepText(view);
      last = view;
      if (live) draw();
      else if (isNews && context.output.json) void context.output.line(stepLine(view));
      else if (isNews) context.output.note(stepText(view));
    },
    aside() {
      if (live) stderr.write(CLEAR_LINE);
    },
    stop() {
      clearInterval(ticking);
      if (live) stderr.write(CLEAR_LINE);
    },
  };
}

function stepText({ state, stepsDone, current, cancelRequested }: PlanView): string {
  const waits = current?.waits === undefined ? '' : `, ${current.waits.for} not before ${new Date(current.waits.until).toISOString()}`;
  const at = current === undefined ? state : `${current.tool} ${current.operation} at ${current.path}${waits}`;
  return `${counted(stepsDone, 'step')} done, ${at}${cancelRequested ? ', a cancel is asked' : ''}`;
}

function stepLine({ id, state, stepsDone, current }: PlanView): Record<string, unknown> {
  const at = current && { path: current.path, tool: current.tool, operation: current.operation };
  return { plan_id: id, state, steps_done: stepsDone, ...(at === undefined ? {} : { current: at }) };
}
