import { parseArgs } from 'node:util';
import { KINDS, type Kind, type Mix } from './costs.ts';

/** What shall be carried, and on what. */
export interface Load {
  readonly tasksPerSecond: number;
  readonly mix: Mix;
  /** The busiest time over the mean. */
  readonly peak: number;
  /** For how long workers may be away: what is pushed meanwhile lies in Redis. */
  readonly backlogS: number;
  /** A lease's life and `ledger.retention_s` behind it. */
  readonly ledgerDays: number;
  readonly journalDays: number;
  /** What the task index keeps. */
  readonly indexTasks: number;
  readonly coresPerHost: number;
  readonly redisGb: number;
  /** The share of a thread, a disk or a memory that is planned with; the rest is for bursts. */
  readonly use: number;
  /** Searches at a time of one worker process (`worker.search_concurrency`). */
  readonly searchSlots: number;
}

export interface Words {
  readonly load: Load;
  /** A file with costs that were measured before, in the place of measuring. */
  readonly costs: string | undefined;
  /** Where to write what was measured. */
  readonly write: string | undefined;
  readonly rounds: number;
  /** Share of the tasks of a round; anything but 1 is a trial. */
  readonly scale: number;
  readonly validate: boolean;
  /** Whether the setup is held against tasks that come by chance. */
  readonly simulate: boolean;
  readonly json: boolean;
}

const DAY_S = 86_400;

const OPTIONS = {
  'tasks-per-day': { type: 'string' },
  'tasks-per-second': { type: 'string' },
  mix: { type: 'string', default: 'move=1' },
  peak: { type: 'string', default: '3' },
  'backlog-s': { type: 'string', default: '600' },
  'ledger-days': { type: 'string', default: '32' },
  'journal-days': { type: 'string', default: '365' },
  'index-tasks': { type: 'string', default: '2000000' },
  'cores-per-host': { type: 'string', default: '8' },
  'redis-gb': { type: 'string', default: '16' },
  use: { type: 'string', default: '0.7' },
  'search-slots': { type: 'string', default: '2' },
  costs: { type: 'string' },
  write: { type: 'string' },
  rounds: { type: 'string', default: '3' },
  scale: { type: 'string', default: '1' },
  validate: { type: 'boolean', default: false },
  simulate: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** Reads the words behind `npm run capacity --`. Throws RangeError or TypeError with a sentence for a person. */
export function parseLoad(words: readonly string[]): Words {
  const { values } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: false });
  const perDay = values['tasks-per-day'];
  const perSecond = values['tasks-per-second'];
  if (perDay !== undefined && perSecond !== undefined) throw new RangeError('say --tasks-per-day or --tasks-per-second, not both');
  const load: Load = {
    tasksPerSecond: perDay === undefined ? positive('tasks-per-second', perSecond ?? '100') : positive('tasks-per-day', perDay) / DAY_S,
    mix: mixOf(values.mix),
    peak: atLeast('peak', values.peak, 1),
    backlogS: atLeast('backlog-s', values['backlog-s'], 0),
    ledgerDays: positive('ledger-days', values['ledger-days']),
    journalDays: positive('journal-days', values['journal-days']),
    indexTasks: atLeast('index-tasks', values['index-tasks'], 0),
    coresPerHost: atLeast('cores-per-host', values['cores-per-host'], 1),
    redisGb: positive('redis-gb', values['redis-gb']),
    use: share('use', values.use),
    searchSlots: atLeast('search-slots', values['search-slots'], 1),
  };
  if (load.journalDays < load.ledgerDays)
    throw new RangeError('--journal-days is at least --ledger-days: a journal keeps an answer as long as the ledger does');
  const { costs, write, validate, simulate, json } = values;
  return { load, costs, write, validate, simulate, json, rounds: atLeast('rounds', values.rounds, 1), scale: share('scale', values.scale) };
}

/** `move=8,search=1,step=1`: weights of kinds, made to shares. */
function mixOf(text: string): Mix {
  const mix: Record<Kind, number> = { move: 0, search: 0, content: 0, step: 0 };
  for (const part of text.split(',')) {
    const [name = '', weight = ''] = part.split('=');
    const kind = KINDS.find((one) => one === name.trim());
    if (kind === undefined) throw new RangeError(`--mix has weights of ${KINDS.join(', ')}, not of ${name === '' ? 'nothing' : name}`);
    mix[kind] += atLeast(`mix ${kind}`, weight, 0);
  }
  const sum = KINDS.reduce((total, kind) => total + mix[kind], 0);
  if (sum === 0) throw new RangeError('--mix needs a weight above 0');
  return { move: mix.move / sum, search: mix.search / sum, content: mix.content / sum, step: mix.step / sum };
}

function atLeast(name: string, text: string, least: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(Number.isFinite(value) && value >= least)) throw new RangeError(`--${name} is a number of at least ${least}, not ${text === '' ? 'nothing' : text}`);
  return value;
}

function positive(name: string, text: string): number {
  const value = atLeast(name, text, 0);
  if (value === 0) throw new RangeError(`--${name} is above 0`);
  return value;
}

function share(name: string, text: string): number {
  const value = positive(name, text);
  if (value > 1) throw new RangeError(`--${name} is above 0 and at most 1, not ${text}`);
  return value;
}
