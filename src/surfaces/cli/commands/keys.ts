import { ROLES, Role } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { ApiKey } from '../../../core/ports/index.ts';
import { duration } from '../../../core/units.ts';
import { auditedCommand, auditedUrgentCommand, type CommandContext, command, type Registrar } from '../command.ts';
import type { ApiAccess } from '../services.ts';
import { table } from '../text/table.ts';
import { parseLife, parseSeconds, timeOf } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  const key = program.command('key').helpCommand(false).description('keys of the HTTP API');
  key
    .command('create <name>')
    .description('make a key; its secret goes into a file that only you can read')
    .requiredOption('--roles <list>', 'what it may do, separated by commas: submit, search, read, ingest, approve, operate, kernel')
    .option('--ttl <time>', 'life of the key, e.g. 90d (until it is revoked unless given)')
    .option('--agent <name>', 'of the messages it sees only what this agent may see; roles: search, submit')
    .option('--project <slug>', 'of the messages it sees only those of this project; may be given more than once', collected)
    .option('--out <file>', 'write the secret there instead of <data directory>/keys/<name>.key')
    .option('--print', 'print the secret, once, instead of writing it to a file')
    .action(command<[string], CreateFlags>(deps, exit, runKeyCreate));
  key
    .command('list')
    .description('show the keys, without their secrets')
    .action(command<[], Record<never, never>>(deps, exit, runKeyList));
  key
    .command('rotate <id>')
    .description('give a key a new secret')
    .option('--grace <time>', 'the old secret stays good for so long', '0s')
    .option('--out <file>', 'write the secret there instead of <data directory>/keys/<name>.key')
    .option('--print', 'print the secret, once, instead of writing it to a file')
    .action(command<[string], RotateFlags>(deps, exit, runKeyRotate));
  key
    .command('revoke <id>')
    .description('take a key away; the API refuses it within a second')
    .action(command<[string], Record<never, never>>(deps, exit, runKeyRevoke));
  program
    .command('login-link')
    .description('print a link that opens a browser session, once')
    .option('--roles <list>', 'what the session may do, separated by commas', 'operate,read')
    .option('--ttl <time>', 'how long the link waits to be used', '300s')
    .action(command<[], LinkFlags>(deps, exit, runLoginLink));
};

interface CreateFlags extends SecretFlags {
  readonly roles: string;
  readonly ttl?: string;
  readonly agent?: string;
  readonly project?: readonly string[];
}

function collected(word: string, before: readonly string[] = []): readonly string[] {
  return [...before, word];
}

/** `writ key create`: the secret is shown or kept this once; only its hash stays. */
async function runKeyCreate(context: CommandContext, flags: CreateFlags, name: string): Promise<number> {
  const roles = rolesOf(flags.roles);
  const ttlS = flags.ttl === undefined ? undefined : parseLife(flags.ttl, '--ttl');
  const { access } = await context.services();
  const file = fileFor(name, flags, access);
  const keys = await access.keys();
  const { agent = null, project: projects = null } = flags;
  const grant = agent === null && projects === null ? undefined : { agent, projects };
  const bound = { ...(agent !== null && { agent }), ...(projects !== null && { projects: projects.join(',') }) };
  const detail = { roles: roles.join(','), ...(ttlS === undefined ? {} : { ttl_s: ttlS }), ...bound };
  const { key, secret } = await auditedCommand(context, { action: 'key.create', subject: name, detail }, async () => {
    if (file !== undefined) await access.assertNew(file);
    const made = await keys.create({ name, roles, ...(ttlS === undefined ? {} : { ttlS }), ...(grant && { grant }) });
    try {
      if (file !== undefined) await access.keepSecret(file, made.secret);
    } catch (error) {
      // Nobody has the secret of this key.
      await keys.revoke(made.key.id);
      throw error;
    }
    return made;
  });
  const where = whereabouts(file, secret);
  await context.output.answer({ ...keyJson(key), ...where.json }, () =>
    [`made the key ${key.name} (${key.id}) for ${key.roles.join(', ')}${boundText(key)}`, where.line].join('\n'),
  );
  return 0;
}

const COLUMNS = [{ title: 'id' }, { title: 'name' }, { title: 'roles' }, { title: 'made', align: 'right' }, { title: 'expires', align: 'right' }] as const;

/** `writ key list`. */
async function runKeyList(context: CommandContext): Promise<number> {
  const keys = await (await (await context.services()).access.keys()).list();
  const now = context.clock.now();
  await context.output.answer({ keys: keys.map(keyJson) }, () =>
    keys.length === 0
      ? 'there are no keys; `writ key create` makes one'
      : table(
          COLUMNS,
          keys.map((key) => [
            key.id,
            key.name,
            `${key.roles.join(',')}${boundText(key)}`,
            `${duration(now - Date.parse(key.createdAt))} ago`,
            expiry(key, now),
          ]),
        ),
  );
  return 0;
}

function expiry({ expiresAt }: ApiKey, now: number): string {
  if (expiresAt === undefined) return 'never';
  const left = Date.parse(expiresAt) - now;
  return left > 0 ? `in ${duration(left)}` : 'EXPIRED';
}

interface RotateFlags extends SecretFlags {
  readonly grace: string;
}

/** `writ key rotate`: a new secret for the same key. The file of the old one is replaced. */
async function runKeyRotate(context: CommandContext, flags: RotateFlags, id: string): Promise<number> {
  const graceS = parseSeconds(flags.grace, '--grace');
  const { access } = await context.services();
  const keys = await access.keys();
  const known = (await keys.list()).find((key) => key.id === id);
  if (!known) throw new WritError('NOT_FOUND', `there is no key ${id}; \`writ key list\` shows them`);
  const file = fileFor(known.name, flags, access);
  const { key, secret } = await auditedCommand(context, { action: 'key.rotate', subject: id, detail: { name: known.name, grace_s: graceS } }, async () => {
    const made = await keys.rotate(id, graceS);
    if (file !== undefined) await access.keepSecret(file, made.secret);
    return made;
  });
  const where = whereabouts(file, secret);
  const old = graceS === 0 ? 'the old secret is refused from now on' : `the old secret stays good for ${flags.grace}`;
  await context.output.answer({ ...keyJson(key), grace_s: graceS, ...where.json }, () =>
    [`${key.name} (${key.id}) has a new secret; ${old}`, where.line].join('\n'),
  );
  return 0;
}

/** `writ key revoke`: the key is gone at once; servers see it within a second. */
async function runKeyRevoke(context: CommandContext, _flags: object, id: string): Promise<number> {
  const keys = await (await context.services()).access.keys();
  const name = (await keys.list()).find((key) => key.id === id)?.name;
  await auditedUrgentCommand(context, { action: 'key.revoke', subject: id, ...(name === undefined ? {} : { detail: { name } }) }, async () => {
    if (!(await keys.revoke(id))) throw new WritError('NOT_FOUND', `there is no key ${id}; \`writ key list\` shows them`);
  });
  await context.output.answer({ id, ...(name === undefined ? {} : { name }), revoked: true }, () => `revoked ${name ?? id}`);
  return 0;
}

/** Where a new secret goes: into a file, or onto the terminal. */
interface SecretFlags {
  readonly out?: string;
  readonly print?: boolean;
}

/** @throws WritError INVALID_ARGUMENT */
function rolesOf(list: string): Role[] {
  return list.split(',').map((word) => {
    const role = Role.safeParse(word.trim());
    if (!role.success) throw new WritError('INVALID_ARGUMENT', `'${word.trim()}' is none of ${ROLES.join(', ')}`, { field: '--roles' });
    return role.data;
  });
}

/** The file for a secret, `undefined` when it is printed. Throws WritError INVALID_ARGUMENT for both at once. */
function fileFor(name: string, { out, print }: SecretFlags, access: ApiAccess): string | undefined {
  if (print === true && out !== undefined) throw new WritError('INVALID_ARGUMENT', '--print and --out exclude each other', { field: '--print' });
  return print === true ? undefined : (out ?? access.secretFile(name));
}

/** A key in JSON, in the words of the API. */
function keyJson({ id, name, roles, createdAt, expiresAt, grant }: ApiKey): Record<string, unknown> {
  const bound = grant && { ...(grant.agent !== null && { agent: grant.agent }), ...(grant.projects !== null && { projects: grant.projects }) };
  return { id, name, roles, created_at: createdAt, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }), ...bound };
}

/** What a key is bound to, in words; nothing for one that is not. */
function boundText({ grant }: ApiKey): string {
  if (grant === undefined) return '';
  const projects = grant.projects === null ? '' : ` in ${grant.projects.join(', ')}`;
  return ` as ${grant.agent ?? 'anybody'}${projects}`;
}

/** Where the secret is now, for a program and for a person. */
function whereabouts(file: string | undefined, secret: string): { readonly json: Record<string, string>; readonly line: string } {
  return file === undefined ? { json: { secret }, line: `secret  ${secret}` } : { json: { file }, line: `secret  in ${file}` };
}

interface LinkFlags {
  readonly roles: string;
  readonly ttl: string;
}

/** `writ login-link`: prints the link alone, so that a shell can hand it to a browser. Whoever opens it first is in. */
async function runLoginLink(context: CommandContext, flags: LinkFlags): Promise<number> {
  const roles = rolesOf(flags.roles);
  const ttlS = parseLife(flags.ttl, '--ttl');
  const { access, who } = await context.services();
  const origin = access.apiUrl();
  const token = await auditedCommand(context, { action: 'login-link.create', subject: who, detail: { roles: roles.join(','), ttl_s: ttlS } }, async () =>
    (await access.links()).create(roles, ttlS, who),
  );
  const url = `${origin}/login?token=${token}`;
  const expires = timeOf(context.clock.now() + ttlS * 1000);
  await context.output.answer({ url, roles, expires_at: expires }, () => url);
  if (!context.output.json) context.output.note(`for ${roles.join(', ')}, once, until ${expires}`);
  return 0;
}
