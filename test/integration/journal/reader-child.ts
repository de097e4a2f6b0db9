import { openJournalReader } from '../../../src/adapters/sqlite/journal/journal-reader.ts';

/** Prints the counts of a journal. */
using reader = openJournalReader(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify(reader.counts())}\n`);
