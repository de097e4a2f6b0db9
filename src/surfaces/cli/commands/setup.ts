import { Option } from 'commander';
import { CAPABILITY_QUEUE } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';
import { counted } from '../../../core/units.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import type { Diagnosis, KeyRequest } from '../services.ts';
import { pairs } from '../text/table.ts';
import { printable } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  program
    .command('init')
    .description('write a commented writ.toml into the data directory and make keys; overwrites nothing')
    .action(command<[], Record<never, never>>(deps, exit, runInit));
  program
    .command('keygen')
    .description('make a new key and add it to the keyring; older keys still verify')
    .addOption(new Option('--role <role>', 'whose key').choices(['kernel', 'executor']).default('kernel'))
    .option('--capabilities <list>', 'what leases of this key may allow, separated by commas (all unless given)')
    .action(command<[], KeygenFlags>(deps, exit, runKeygen));
  program
    .command('doctor')
    .description('every setting with its source, and what this host can do')
    .option('--rebuild-ledger', 'write back to Redis what the journal of this host knows, as a worker does after a loss')
    .action(command<[], DoctorFlags>(deps, exit, runDoctor));
};

/** `writ init`: a file of settings to edit, and keys. Running it again changes nothing. */
async function runInit(context: CommandContext): Promise<number> {
  const services = await context.services();
  const { configFile, configWritten, keys, baseDirectories } = await services.initialise();
  const value = { data_dir: services.dataDir, config_file: configFile, config_written: configWritten, keys };
  await context.output.answer(value, () =>
    [
      configWritten ? `wrote ${configFile}` : `${configFile} is there already and was left alone`,
      ...keys.map(({ role, kid, privateFile }) => `made the ${role} key ${kid} in ${privateFile}`),
      '',
      'Next:',
      ...afterInit(services.programWords, configFile, baseDirectories).map((step, at) => `  ${at + 1}. ${step}`),
    ].join('\n'),
  );
  return 0;
}

/** Each step works as it stands, once those before it were done. */
function afterInit(program: string, configFile: string, bases: readonly string[]): string[] {
  const name = [
    `name a directory that file tasks may work in; it must be there. In ${configFile}, in the place of the line # [file.base_directories]:`,
    '       [file.base_directories]',
    '       inbox = "/srv/inbox"',
  ].join('\n');
  return [
    ...(bases.length > 0 ? [] : [name]),
    `${program} up            Redis, kernel, worker and API; it stays up and says how to push a first task`,
    `${program} doctor        in another terminal: every setting, and what this host can do`,
    `${program} push --help   hand in tasks`,
  ];
}

interface KeygenFlags {
  readonly role: KeyRequest['role'];
  readonly capabilities?: string;
}

/** `writ keygen`: a new key for the role; what older keys signed still verifies. The private part is never shown. */
async function runKeygen(context: CommandContext, flags: KeygenFlags): Promise<number> {
  const capabilities = flags.capabilities === undefined ? undefined : capabilitiesOf(flags);
  const key = await (await context.services()).makeKey({ role: flags.role, ...(capabilities === undefined ? {} : { capabilities }) });
  await context.output.answer({ kid: key.kid, role: key.role, private_file: key.privateFile, keyring: key.publicFile }, () =>
    [
      `made the ${key.role} key ${key.kid}`,
      `private part  ${key.privateFile} (only for the ${key.role})`,
      `public part   ${key.publicFile}`,
      `restart the ${key.role} to sign with it; keyrings are read again within 60 s`,
    ].join('\n'),
  );
  return 0;
}

function capabilitiesOf({ role, capabilities = '' }: KeygenFlags): string[] {
  if (role !== 'kernel') throw new WritError('INVALID_ARGUMENT', 'only kernel keys are limited to capabilities', { field: '--capabilities' });
  const names = capabilities.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(CAPABILITY_QUEUE, name));
  if (unknown !== undefined)
    throw new WritError('INVALID_ARGUMENT', `'${unknown}' is none of ${Object.keys(CAPABILITY_QUEUE).join(', ')}`, { field: '--capabilities' });
  return names;
}

interface DoctorFlags {
  readonly rebuildLedger?: boolean;
}

/** `writ doctor`: settings and findings. Exits 3 when something that is needed fails. */
async function runDoctor(context: CommandContext, flags: DoctorFlags): Promise<number> {
  const services = await context.services();
  if (flags.rebuildLedger === true) return rebuild(context, await services.rebuildLedger());
  const diagnosis = await services.diagnose();
  await context.output.answer({ data_dir: services.dataDir, ...diagnosis, ...tally(diagnosis.checks) }, () => diagnosisText(services.dataDir, diagnosis));
  return diagnosis.checks.some(({ level }) => level === 'fail') ? 3 : 0;
}

async function rebuild(context: CommandContext, restored: number): Promise<number> {
  await context.output.answer({ rebuilt: true, tasks: restored }, () => `the ledger knows ${counted(restored, 'finished task')} of this host's journal again`);
  return 0;
}

const MARKS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } satisfies Record<Check['level'], string>;

function diagnosisText(dataDir: string, { settings, checks }: Diagnosis): string {
  const lines = [`data directory  ${dataDir}`, '', 'Settings', pairs(settings.map(({ key, value, source }) => [key, `${value}  (${source})`]))];
  let area = '';
  for (const check of checks) {
    if (check.area !== area) lines.push('', check.area);
    area = check.area;
    lines.push(`${MARKS[check.level]}  ${printable(check.title)}: ${printable(check.found)}`);
    if (check.todo !== undefined) lines.push(`      ${printable(check.todo)}`);
  }
  const { failed, warnings } = tally(checks);
  return [...lines, '', failed + warnings === 0 ? 'all is well' : `${failed} failed, ${counted(warnings, 'warning')}`].join('\n');
}

function tally(checks: readonly Check[]): { failed: number; warnings: number } {
  return { failed: checks.filter(({ level }) => level === 'fail').length, warnings: checks.filter(({ level }) => level === 'warn').length };
}
