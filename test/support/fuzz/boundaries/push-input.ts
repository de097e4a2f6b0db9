import { TaskJob } from '../../../../src/contracts/index.ts';
import { parseTask } from '../../../../src/surfaces/shared/input/parse-task.ts';
import { readItems } from '../../../../src/surfaces/shared/input/read-items.ts';
import { type Boundary, FuzzFault, shown } from '../boundary.ts';
import { JOB_SEEDS, JOB_WORDS } from './job.ts';

const PIECE = 37;

/** What is pushed from a file or a stream: lines, an array, or documents; read in small pieces, so that each edge is met. */
export const pushInput: Boundary = {
  shape: 'bytes',
  what: 'files and streams of tasks: NDJSON, an array, documents',
  async open() {
    const seeds = [JOB_SEEDS.join('\n'), `[${JOB_SEEDS.join(',')}]`, JOB_SEEDS.map((text) => JSON.stringify(JSON.parse(text), undefined, 2)).join('\n')];
    return {
      seeds,
      words: [...JOB_WORDS, '{', '}', '[', ']', ',', '\n', '"', '\\u0000', '\\ud800', '//'],
      async run(input) {
        let [good, bad] = [0, 0];
        const pieces = async function* () {
          for (let at = 0; at < input.length; at += PIECE) yield input.subarray(at, at + PIECE);
        };
        for await (const batch of readItems(pieces())) {
          for (const item of batch.items) {
            const task = parseTask(item);
            if (!('code' in task)) {
              if (!TaskJob.safeParse(task.job).success) throw new FuzzFault(`no task was taken for one: ${JSON.stringify(task)}`);
              good += 1;
              continue;
            }
            shown(task.message);
            bad += 1;
          }
        }
        return good > 0 ? 'ok' : bad > 0 ? 'rejected' : 'empty';
      },
    };
  },
};
