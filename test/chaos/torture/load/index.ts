import type { Stage } from '../stage.ts';
import { searchedFile } from './files-searched.ts';
import { letter, walkOfLetters } from './letters.ts';
import { laterPlan, mixedPlan } from './plans.ts';
import { askingPlan } from './questions.ts';
import { meddledSchedule } from './schedules.ts';
import { baitedMove, fileTask, laterTask, manyTasks, mended, occupied, rivals } from './tasks.ts';
import { halfUndonePlan, undonePlan } from './undone.ts';

/** Everything that is asked of the installation, and how often beside the others. */
export const LOAD = {
  'file task': { weight: 12, run: fileTask },
  'baited move': { weight: 8, run: baitedMove },
  rivals: { weight: 4, run: rivals },
  'occupied destination': { weight: 3, run: occupied },
  'mended task': { weight: 4, run: mended },
  'later task': { weight: 3, run: laterTask },
  'many tasks': { weight: 2, run: manyTasks },
  'mixed plan': { weight: 12, run: mixedPlan },
  'later plan': { weight: 3, run: laterPlan },
  'asking plan': { weight: 10, run: askingPlan },
  'undone plan': { weight: 4, run: undonePlan },
  'half undone plan': { weight: 4, run: halfUndonePlan },
  'searched file': { weight: 6, run: searchedFile },
  message: { weight: 6, run: letter },
  'walk through messages': { weight: 2, run: walkOfLetters },
  schedule: { weight: 1, run: meddledSchedule },
} satisfies Record<string, { readonly weight: number; run(stage: Stage): Promise<void> }>;

export type LoadName = keyof typeof LOAD;
export const LOAD_NAMES = Object.keys(LOAD) as readonly LoadName[];
