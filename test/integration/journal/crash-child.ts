import { createFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { failed, moveIntent, succeeded } from '../../conformance/journal-fixtures.ts';

/** Opens and closes attempts until it is killed, and says each step as soon as its promise has resolved. */
const [file = '', prefix = ''] = process.argv.slice(2);
const journal = createFileJournal({ file });
await journal.start();

const say = (step: string, taskId: string): void => void process.stdout.write(`${step} ${taskId}\n`);

async function lane(number: number): Promise<never> {
  for (let i = 0; ; i += 1) {
    const taskId = `${prefix}-${number}-${i}`;
    await journal.open(moveIntent(taskId), undefined, i);
    say('open', taskId);
    const isSuccess = i % 3 !== 0;
    await journal.close(taskId, 1, isSuccess ? succeeded(`result of ${taskId}`) : failed(), i);
    say(isSuccess ? 'success' : 'failure', taskId);
  }
}
await Promise.all(Array.from({ length: 16 }, (_, number) => lane(number)));
