import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';

/** Makes the full text of a store of before in a process that a test may kill; each step is a line. */
const { file } = JSON.parse(process.argv[2] ?? '') as { file: string };
const engine = createWriteEngine(file);
while (!engine.advance()) process.stdout.write('step\n');
process.stdout.write('whole\n'.repeat(10));
engine.close();
