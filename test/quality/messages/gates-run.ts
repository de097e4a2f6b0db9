import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gatesText, judgeGates } from './gates.ts';
import { writeCorpus } from './mailbox.ts';
import { measureModes } from './modes.ts';

/**
 * `npm run gates [-- --model DIR] [--reranker DIR]`: every mode of message search on the quality corpus, and the gates. Exit
 * code 1 when a gate that was measured failed.
 */
const { values } = parseArgs({ options: { model: { type: 'string', default: '' }, reranker: { type: 'string', default: '' } } });
const [model, reranker] = [values.model, values.reranker].map((directory) => (directory === '' ? '' : path.resolve(directory)));
const models = { model: model ?? '', reranker: reranker ?? '' };
const home = mkdtempSync(path.join(tmpdir(), 'writ-gates-'));
try {
  const file = path.join(home, 'messages.sqlite');
  writeCorpus(file);
  const modes = await measureModes(file, models);
  process.stdout.write(gatesText(modes, models.model !== ''));
  const failed = judgeGates(modes, models.model !== '').filter(({ verdict }) => verdict === 'FAILED');
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
