import { createFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { deleteIntent, inVault, moveIntent, succeeded } from '../../conformance/journal-fixtures.ts';

/** One of two worker processes on one journal: own tasks, contested tasks, and a vault that is too small for both. */
const [file = '', name = ''] = process.argv.slice(2);
const journal = createFileJournal({ file });
await journal.start();

const own = Array.from({ length: 150 }, async (_, i) => {
  await journal.open(moveIntent(`${name}-${i}`), undefined, 1);
  await journal.close(`${name}-${i}`, 1, succeeded(), 2);
});
const contested = await Promise.all(Array.from({ length: 150 }, (_, i) => journal.open(moveIntent(`both-${i}`), undefined, 1)));
const intent = (i: number) => deleteIntent(`${name}-vault-${i}`, { destination: inVault('data', `${name}-${i}`) });
const vault = await Promise.all(Array.from({ length: 20 }, (_, i) => journal.open(intent(i), { bytes: 10, quota: 250 }, 1)));
await Promise.all(own);
await journal.stop();
const won = (answers: readonly { kind: string }[]): number => answers.filter(({ kind }) => kind === 'opened').length;
process.stdout.write(`${JSON.stringify({ dataId: journal.dataId(), contested: won(contested), vault: won(vault) })}\n`);
