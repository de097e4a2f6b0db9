import type { IndexAction } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { IndexService, IndexTarget } from '../../../core/ports/index.ts';
import { askIndex } from '../../shared/content-index/index-tasks.ts';
import type { Call } from '../command.ts';
import { duration } from '../text/values.ts';
import { waitForIndex } from './index-wait.ts';

export interface IndexActFlags {
  readonly wait?: boolean;
}

/** `writ index build|reconcile|check|drop`. Exit 0: queued, or well ended; 1: it failed, or a check found a fault. */
export function indexAct(action: IndexAction) {
  return async (call: Call, flags: IndexActFlags, word: string | undefined): Promise<number> => {
    const services = await call.services();
    const index = await services.contentIndex();
    const target = await targetOf(word, index, call);
    const askedAt = call.clock.now();
    const receipt = await askIndex(index, target, action, { surface: 'cli', who: services.who }, await services.audit());
    if (action !== 'check' && flags.wait !== true) {
      await call.output.answer({ action, ...receipt }, () => `${action} ${receipt.joined ? 'waits already' : 'is queued'} (job ${receipt.job})`);
      return 0;
    }
    const end = await waitForIndex(call, index, { job: receipt.job, action, target, askedAt });
    await call.output.answer({ action, ...receipt, end }, () => `${action} ${end.ok ? 'done' : 'failed'} in ${duration(end.elapsed_ms)}: ${end.detail}`);
    return end.ok ? 0 : 1;
  };
}

/** A key's first digits are no path unless they are written as one (`./deadbeef`). */
async function targetOf(word: string | undefined, index: IndexService, { contentSearch }: Call): Promise<IndexTarget> {
  if (word !== undefined) {
    if (/^[0-9a-f]{8,64}$/.test(word)) return { keyHash: word };
    return { root: contentSearch.realPath(word.startsWith('/') ? word : `${contentSearch.cwd()}/${word}`) };
  }
  const all = await index.status();
  const [only] = all;
  // Without one it is for the service to say why.
  if (only === undefined) return { root: contentSearch.cwd() };
  if (all.length > 1)
    throw new WritError('INVALID_ARGUMENT', `there are ${all.length} indexes: name a directory, or the key that \`writ index status\` shows`, {
      field: 'index',
    });
  return { root: only.root };
}
