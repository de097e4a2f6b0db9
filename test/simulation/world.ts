import { isWritError, WritError } from '../../src/core/errors.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { CallFault, Scenario } from './scenario.ts';
import { latency, Scheduler, type SimProcess } from './scheduler.ts';
import { Trace } from './trace.ts';

/** What a call goes to, and how long one way takes, milliseconds. */
const ONE_WAY_MS = { redis: 0.2, journal: 0.3, disk: 0.05, kernel: 0.5, tool: 5 } as const;
export type Callee = keyof typeof ONE_WAY_MS;

/** What somebody who is not Writ does to the files at a call. */
export type Meddling = 'meddle' | 'occupy' | 'take-away';

/** What a caller sees of a callee that fails. */
const FAILURES: { readonly [K in Callee]: () => WritError } = {
  redis: () => new WritError('REDIS_UNAVAILABLE', 'Redis does not answer'),
  journal: () => new WritError('STORAGE_UNAVAILABLE', 'the journal cannot be used: disk I/O error'),
  disk: () => new WritError('STORAGE_UNAVAILABLE', 'the disk does not answer'),
  kernel: () => new WritError('KERNEL_UNAVAILABLE', 'the kernel does not answer'),
  tool: () => new WritError('STORAGE_UNAVAILABLE', 'the tool does not answer'),
};

export interface CallOptions<T> {
  readonly to: Callee;
  /** For the trace: `ledger.claim task-1`. */
  readonly what: string;
  /** Runs at one moment of virtual time. */
  readonly effect: () => T | Promise<T>;
  /** What a failed call answers; throws the callee's failure unless given. */
  readonly refuse?: () => T;
}

/** What all parts of one history share. */
export class World {
  readonly scheduler = new Scheduler();
  readonly scenario: Scenario;
  readonly random: Random;
  readonly trace: Trace;
  /** How often each kind of fault really happened. */
  readonly struck = new Map<string, number>();
  /** The last moment at which something went wrong, virtual milliseconds. */
  lastTrouble = 0;
  redisDownUntil = 0;
  kernelDownUntil = 0;
  diskFullUntil = 0;
  slowUntil = 0;
  slowFactor = 1;
  /** Who has asked for what is carried out now. */
  caller: SimProcess | undefined;
  /** Told of each process that dies. */
  onDeath: (process: SimProcess) => void = () => undefined;
  /** The power of the whole machine goes. */
  onPower: () => void = () => undefined;
  /** Somebody who is not Writ does something to the files. */
  onMeddle: (kind: Meddling) => void = () => undefined;
  /** Faults by the number of a call, among all. */
  readonly #calls: ReadonlyMap<number, CallFault['kind']>;
  /** The same among those of each name that a fault waits for, and how many of these there were. */
  readonly #named: ReadonlyMap<string, { readonly calls: ReadonlyMap<number, CallFault['kind']>; counted: number }>;
  #called = 0;
  #underWay = 0;

  constructor(scenario: Scenario, traced: boolean) {
    this.scenario = scenario;
    this.random = createRandom(scenario.seed);
    this.trace = new Trace(traced);
    const of = (name: string | undefined): ReadonlyMap<number, CallFault['kind']> =>
      new Map(scenario.calls.filter((fault) => fault.of === name).map(({ call, kind }) => [call, kind]));
    this.#calls = of(undefined);
    this.#named = new Map(scenario.calls.flatMap((fault) => (fault.of === undefined ? [] : [[fault.of, { calls: of(fault.of), counted: 0 }]])));
  }

  get now(): number {
    return this.scheduler.now;
  }
  get calls(): number {
    return this.#called;
  }
  /** Requests in sockets: sent, and not yet where they go to. They arrive though their senders are dead. */
  get requestsUnderWay(): number {
    return this.#underWay;
  }
  get isDiskFull(): boolean {
    return this.now < this.diskFullUntil;
  }

  strike(kind: string, who: string): void {
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
    this.lastTrouble = Math.max(this.lastTrouble, this.now);
    this.trace.say(this.now, 'FAULT', `${kind} ${who}`);
  }

  kill(process: SimProcess): void {
    if (!process.alive) return;
    process.kill();
    this.onDeath(process);
  }

  pause(process: SimProcess, forMs: number): void {
    if (!process.alive || process.paused) return;
    process.pause();
    this.lastTrouble = Math.max(this.lastTrouble, this.now + forMs);
    this.scheduler.at(forMs, undefined, () => process.resume());
  }

  /** Virtual time passes for a process. */
  wait(process: SimProcess, ms: number): Promise<void> {
    return new Promise((resolve) => this.scheduler.at(ms, process, resolve));
  }

  #isDown(to: Callee): boolean {
    return (to === 'redis' && this.now < this.redisDownUntil) || (to === 'kernel' && this.now < this.kernelDownUntil);
  }

  #plannedAt(what: string): CallFault['kind'] | undefined {
    this.#called += 1;
    const kind = this.#calls.get(this.#called);
    if (this.#named.size === 0) return kind;
    const end = what.indexOf(' ');
    const named = this.#named.get(end < 0 ? what : what.slice(0, end));
    if (named === undefined) return kind;
    named.counted += 1;
    return named.calls.get(named.counted) ?? kind;
  }

  /** A call of a process: sent, carried out at one moment, answered. Every one of them may go wrong. */
  call<T>(process: SimProcess, options: CallOptions<T>): Promise<T> {
    const { to, what, effect, refuse = fail(to) } = options;
    const planned = this.#plannedAt(what);
    const fault = planned !== undefined && !process.mortal && planned !== 'slow' && !isMeddling(planned) ? 'lost-answer' : planned;
    const way = (): number => latency(this.random, ONE_WAY_MS[to]) * (this.now < this.slowUntil ? this.slowFactor : 1);
    // A request in a socket outlives its sender; a system call does not.
    const carrier = to === 'disk' || to === 'journal' ? process : undefined;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        if (to === 'disk') settle();
        else this.scheduler.at(way(), process, settle);
      };
      const refused = (): void => {
        try {
          const value = refuse();
          answer(() => resolve(value));
        } catch (error) {
          answer(() => reject(error));
        }
      };
      const carryOut = (): void => {
        if (carrier === undefined) this.#underWay -= 1;
        if (fault !== undefined && fault !== 'slow') this.strike(fault, `at ${process.name} ${what}`);
        if (fault === 'kill-before') {
          this.kill(process);
          return;
        }
        if (fault === 'error' || this.#isDown(to)) {
          refused();
          return;
        }
        if (fault !== undefined && isMeddling(fault)) this.onMeddle(fault);
        this.trace.say(this.now, process.name, what);
        this.caller = process;
        Promise.resolve(attempt(effect)).then(
          (value) => {
            if (fault === 'kill-after') return this.kill(process);
            if (fault === 'lost-answer' && to !== 'disk' && to !== 'journal') return refused();
            if (fault === 'power-after') return this.onPower();
            if (fault === 'pause') this.pause(process, 8_000 + this.random.integer(30_000));
            return answer(() => resolve(value));
          },
          (error: unknown) => {
            this.trace.say(this.now, process.name, `${what} refused: ${isWritError(error) ? error.message : String(error)}`);
            answer(() => reject(error));
          },
        );
      };
      // Its caller may give up before it is carried out.
      if (fault === 'slow') this.strike(fault, `at ${process.name} ${what}`);
      if (carrier === undefined) this.#underWay += 1;
      this.scheduler.at(way() + (fault === 'slow' ? 1_000 + this.random.integer(14_000) : 0), carrier, carryOut);
    });
  }
}

function isMeddling(kind: CallFault['kind']): kind is Meddling {
  return kind === 'meddle' || kind === 'occupy' || kind === 'take-away';
}

function fail(to: Callee): () => never {
  return () => {
    throw FAILURES[to]();
  };
}

async function attempt<T>(effect: () => T | Promise<T>): Promise<T> {
  return effect();
}

/** A port whose every call is a call of the process. Parts that are no functions are read as they are. */
export function remote<T extends object>(world: World, process: SimProcess, to: Callee, name: string, target: T): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const what = `${name}.${String(key)} ${brief(args)}`;
        if (!PAGED.has(value.constructor)) return world.call(process, { to, what, effect: () => Reflect.apply(value, object, args) as unknown });
        return paged(Reflect.apply(value, object, args) as AsyncGenerator<unknown>, (effect) => world.call(process, { to, what, effect }));
      };
    },
  });
}

/** Constructors of functions that answer page by page. */
const PAGED: ReadonlySet<unknown> = new Set([async function* () {}.constructor]);

/** Each page is a call of its own. */
async function* paged<T>(pages: AsyncGenerator<T>, ask: (effect: () => Promise<IteratorResult<T>>) => Promise<IteratorResult<T>>): AsyncGenerator<T> {
  for (;;) {
    const { done, value } = await ask(() => pages.next());
    if (done) return;
    yield value;
  }
}

function brief(args: readonly unknown[]): string {
  const [first] = args;
  if (typeof first === 'string') return first.slice(0, 40);
  const id: unknown = typeof first === 'object' && first !== null ? (Reflect.get(first, 'taskId') ?? Reflect.get(first, 'planSha256')) : undefined;
  return typeof id === 'string' ? id.slice(0, 40) : '';
}
