import { type DryRun, ROLES } from '../../../contracts/index.ts';
import type { PushOptions } from '../../../core/ports/index.ts';
import { bytes, counted } from '../../../core/units.ts';
import { parseTask } from '../../shared/input/parse-task.ts';
import { readItems } from '../../shared/input/read-items.ts';
import { dryRun } from '../../shared/tasks/dry-run.ts';
import type { CommandContext } from '../command.ts';
import { printable } from '../text/values.ts';

/** `writ push --dry-run`: one answer a task, in the order of the input. Exit 0: all would run or are answered; 1: something stands in the way; 2: no task. */
export async function runDryRun(
  context: CommandContext,
  stream: AsyncIterable<Uint8Array>,
  terms: { readonly sign: boolean; readonly push: PushOptions },
): Promise<number> {
  const services = await context.services();
  const ports = { tasks: await services.tasks(), clock: context.clock, signatures: () => services.signatures(), kernel: () => services.kernel() };
  let [tasks, refused] = [0, 0];
  for await (const { items } of readItems(stream)) {
    for (const item of items) {
      const task = parseTask(item);
      if ('code' in task) {
        refused += 1;
        await context.output.answer({ ...task, dry_run: true, would: 'refuse' }, () => `line ${task.line}: ${task.field ?? ''} ${task.message} (${task.code})`);
        continue;
      }
      const answer = await dryRun(task.job, terms, { roles: new Set(ROLES) }, ports);
      tasks += 1;
      if (answer.would === 'refuse') refused += 1;
      await context.output.answer({ line: task.line, ...answer }, () => answerText(answer));
    }
  }
  await context.output.line({ summary: { dry_run: true, tasks, refused } });
  if (!context.output.json) context.output.note(`nothing was pushed; ${counted(tasks, 'task')} looked at, ${refused} would be refused`);
  if (tasks === 0) return 2;
  return refused > 0 ? 1 : 0;
}

const WOULD = {
  run: 'would run',
  join: 'is on its way already',
  replay: 'has succeeded; the same answer stands',
  refuse: 'would be refused',
} satisfies Record<DryRun['would'], string>;

function answerText({ task_id, would, effect, obstacles }: DryRun): string {
  const { operation, source = '', destination, bytes: size } = effect ?? {};
  const moved =
    operation === undefined
      ? []
      : [
          `  ${operation} ${printable(source)}${destination === undefined ? '' : ` to ${printable(destination)}`}${size === undefined ? '' : `, ${bytes(size)}`}`,
        ];
  const inTheWay = obstacles.map(({ code, field, message }) => `  ${field === undefined ? '' : `${field}: `}${printable(message)} (${code})`);
  return [`${task_id} ${WOULD[would]}`, ...moved, ...inTheWay].join('\n');
}
