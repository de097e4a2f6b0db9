import { workerData } from 'node:worker_threads';
import { nodeTreeFiles } from '../../io/tree/read.ts';
import { serveSlots } from '../build/second-reader.ts';
import { openSlots } from '../build/slots.ts';
import { createTokenizer } from '../tokenize/tokenizer.ts';
import { createWindowTokenizer } from '../tokenize/windows.ts';
import { lowerPriority } from './priority.ts';
import type { ReadThreadData } from './second-thread.ts';

/** The thread that reads files for a build beside the build thread. It ends when the flag in the shared memory says so. */
const { indexed, memory } = workerData as ReadThreadData;
const { root, ngramK, maxTokenizedBytes } = indexed;
const settings = { ngramK, maxTokenizedBytes };

lowerPriority();
serveSlots(openSlots(memory, ngramK), {
  ...{ root, maxTokenizedBytes, files: nodeTreeFiles(), nowMs: Date.now },
  ...{ tokenize: createTokenizer(settings), windows: createWindowTokenizer(settings) },
});
