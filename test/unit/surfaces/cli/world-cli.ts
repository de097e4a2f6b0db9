import { Readable } from 'node:stream';
import { packageRoot } from '../../../../config/package.ts';
import type { Clock } from '../../../../src/core/clock.ts';
import { WritError } from '../../../../src/core/errors.ts';
import type { KernelClient, PatientAuditLog, PlanGateway, SignatureReader, TaskGateway } from '../../../../src/core/ports/index.ts';
import { runCli } from '../../../../src/surfaces/cli/program.ts';
import type { CliDeps, CliIo, CliServices } from '../../../../src/surfaces/cli/services.ts';
import { sinkOf } from '../../../support/sink.ts';

/** What one command line said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** stdout as JSON lines. */
  readonly lines: readonly Record<string, unknown>[];
}

/** Runs one command line in this process; `changes` are services that answer. */
export type Cli = (
  args: readonly string[],
  input?: string | AsyncIterable<Uint8Array>,
  changes?: Partial<CliServices> & { readonly io?: Partial<CliIo>; readonly openContentSearch?: CliDeps['openContentSearch'] },
) => Promise<Said>;

export interface CliWorld {
  readonly clock: Clock;
  readonly tasks: TaskGateway;
  readonly plans: PlanGateway;
  readonly kernel: KernelClient;
  readonly signatures: SignatureReader;
  readonly audit: PatientAuditLog;
  interrupt(): AbortSignal;
}

/** The command line over the doors of a world; what it does not hold is unavailable. */
export function createCli({ clock, tasks, plans, kernel, signatures, audit, interrupt }: CliWorld): Cli {
  return async (args, input = '', changes = {}) => {
    const stdout = sinkOf();
    const stderr = sinkOf();
    const stdin = typeof input === 'string' ? Readable.from([Buffer.from(input)]) : Readable.from(input);
    const services: CliServices = {
      dataDir: '/data',
      programWords: 'writ',
      maxTtlS: 100,
      regrantByDefault: true,
      randomId: () => 'random',
      showPath: (base, segments) => [`/${base}`, ...segments].join('/'),
      tasks: async () => tasks,
      kernel: async () => kernel,
      signatures: async () => signatures,
      status: unavailable,
      queues: unavailable,
      vault: unavailable,
      scopes: { capabilityOf: () => undefined, look: unavailable },
      planPreview: async () => plans.preview,
      plans: async () => plans.plans,
      planSignatures: async () => plans.signatures,
      serverSearch: unavailable,
      messageSearch: unavailable,
      compareEngines: unavailable,
      projectsAndProducts: unavailable,
      watched: () => undefined,
      screenShelf: { read: unavailable, change: unavailable },
      contentIndex: unavailable,
      messageIngest: unavailable,
      reload: unavailable,
      diagnose: unavailable,
      rebuildLedger: unavailable,
      initialise: unavailable,
      makeKey: unavailable,
      who: 'tester',
      audit: async () => audit,
      auditReader: () => ({ verify: unavailable, records: () => ({ [Symbol.asyncIterator]: () => ({ next: unavailable }) }) }),
      access: {
        keys: unavailable,
        links: unavailable,
        apiUrl: () => 'http://127.0.0.1:1',
        secretFile: (name) => `/data/keys/${name}.key`,
        assertNew: unavailable,
        keepSecret: unavailable,
      },
      [Symbol.asyncDispose]: async () => undefined,
      ...changes,
    };
    const deps: CliDeps = {
      version: '9.9.9',
      packageRoot: packageRoot(),
      io: {
        stdin,
        stdout: stdout.stream,
        stderr: stderr.stream,
        async openFile(path) {
          if (path !== 'input') throw new WritError('INVALID_ARGUMENT', `there is no file ${path}`);
          return { stream: stdin as AsyncIterable<Uint8Array>, bytes: undefined };
        },
        cwd: () => '/work',
        realPath: (path) => path,
        hasColours: () => false,
        ...changes.io,
      },
      clock,
      open: async () => services,
      openContentSearch: changes.openContentSearch ?? unavailable,
      roles: {
        up: async () => 0,
        api: async () => 0,
        worker: async (_options, { queues }) => queues?.length ?? 0,
        kernel: async () => 3,
        'index-host': async () => 4,
      },
      interrupted: () => interrupt(),
    };
    const code = await runCli(args, deps);
    const out = stdout.text();
    return {
      code,
      out,
      err: stderr.text(),
      lines: args.includes('--json')
        ? out
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as Record<string, unknown>)
        : [],
    };
  };
}

function unavailable(): Promise<never> {
  throw new WritError('REDIS_UNAVAILABLE', 'Redis does not answer');
}
