import { isUtf8 } from 'node:buffer';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf, WritError } from '../src/core/errors.ts';
import { saysAbsent, unreadable } from '../src/core/unreadable.ts';
import { isWithin } from './base-directories.ts';
import { type Fault, faultsOf, invalidConfig } from './issues.ts';
import { type Layer, mergeLayers, type Source } from './layers.ts';
import { ENGINE_STATES } from './messages.ts';
import { isTracingWanted, otelFaults, otelLayer, otelOffLayer, otelResource } from './otel.ts';
import { packageRoot } from './package.ts';
import { dataDirectory } from './places.ts';
import { type Config, ConfigSchema } from './schema.ts';
import { settingsByKey } from './settings.ts';
import { parseToml } from './toml-file.ts';
import { environmentLayer, type Flags, flagLayer } from './words.ts';

export interface LoadOptions {
  /** Settings from the command line by dotted key, `{'redis.port': '6390'}`. */
  readonly flags?: Flags;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What relative paths start from; default: the working directory. */
  readonly cwd?: string;
  /** `--data-dir`: wins over WRIT_DATA_DIR. */
  readonly dataDir?: string;
  /** `--config`: read instead of `<data>/writ.toml`, and must exist. */
  readonly configFile?: string;
  /** Root of the package; default: where this module lies. */
  readonly root?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Where the value of each setting came from, by dotted key. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Absolute; not created here. */
  readonly dataDir: string;
  /** The file that was read, absolute; there need not be one. */
  readonly file: string;
  /** Who names no data directory gets this one. */
  readonly isUsualPlace: boolean;
}

/**
 * Reads all settings: defaults < config/writ.toml < OTEL_* (where tracing is on) < `<data>/writ.toml` or `configFile` < WRIT_SECTION__KEY < flags.
 * This is the only reader of `process.env`; everybody else receives values.
 *
 * @throws WritError INVALID_CONFIG; `field` is the dotted key at fault, the message names its file and line, variable or flag
 */
export function loadConfig(options: LoadOptions = {}): LoadedConfig {
  const { flags = {}, env = process.env, cwd = process.cwd(), root = packageRoot() } = options;
  const dataDir = chosenDataDirectory(options);
  const written = [ownFileLayer(dataDir, cwd, options.configFile), environmentLayer(env), searchEngineLayer(env), flagLayer(flags), otelOffLayer(env)];
  const plain = mergeLayers([shippedLayer(root), ...written]);
  const { values, sources } = isTracingWanted(plain.values) ? mergeLayers([shippedLayer(root), otelLayer(env), ...written]) : plain;
  const parsed = ConfigSchema.safeParse(values, { jitless: true });
  if (!parsed.success) throw invalidConfig(faultsOf(parsed.error.issues, values), sources);
  const config: Config = deepFreeze(parsed.data);
  const faults = [...dataDirectoryFaults(config, dataDir), ...otelFaults(config.tracing, env)];
  if (faults.length > 0) throw invalidConfig(faults, sources);
  return {
    config,
    dataDir,
    file: ownFile(dataDir, cwd, options.configFile),
    get isUsualPlace() {
      return dataDir === dataDirectory({ environment: { ...env, WRIT_DATA_DIR: undefined }, cwd, root });
    },
    // Few ask, and the answer takes longer to make than everything else here.
    get sources() {
      return sourcesOfSettings(sources);
    },
  };
}

/** The data directory that these words choose, absolute; nothing of it is read. */
export function chosenDataDirectory({ env = process.env, cwd = process.cwd(), root = packageRoot(), dataDir }: LoadOptions): string {
  return dataDir === undefined ? dataDirectory({ environment: env, cwd, root }) : path.resolve(cwd, dataDir);
}

/** A secret that a tool's binding names as `env:<NAME>`. */
export function environmentSecret(name: string): string | undefined {
  return process.env[name];
}

/** What the environment says of the resource that spans come from. */
export function traceResource(env: NonNullable<LoadOptions['env']> = process.env): Readonly<Record<string, string>> {
  return otelResource(env);
}

/** What of this user's environment decides where things are looked for. */
export interface Surroundings {
  /** Directories of programs, as in PATH. */
  readonly searchPath: string;
  /** The git ignore file that counts everywhere for this user (gitignore(5)), if there is one. */
  readonly gitIgnoreFile: string | undefined;
  /** What says where the user's cache directory is (XDG base directories, and their like). */
  readonly cache: Readonly<Record<string, string | undefined>>;
}

const CACHE_VARIABLES = ['HOME', 'XDG_CACHE_HOME', 'LOCALAPPDATA', 'TMPDIR', 'TEMP', 'TMP'];

/** The surroundings of the user of this process. */
export function userSurroundings(env: NonNullable<LoadOptions['env']> = process.env): Surroundings {
  const home = env['XDG_CONFIG_HOME'] || (env['HOME'] ? path.join(env['HOME'], '.config') : undefined);
  return {
    searchPath: env['PATH'] ?? '',
    gitIgnoreFile: home === undefined ? undefined : path.join(home, 'git', 'ignore'),
    cache: Object.fromEntries(CACHE_VARIABLES.map((name) => [name, env[name]])),
  };
}

/**
 * Takes back what says that this process runs on a build server. Ink draws nothing live there and chalk no colours, but
 * whoever has opened a screen sits at a terminal. To be called before they are loaded.
 */
export function forgetBuildServer(env: NodeJS.ProcessEnv = process.env): void {
  for (const name of ['CI', 'CONTINUOUS_INTEGRATION']) delete env[name];
}

/** The word of SEARCH_ENGINE that is none of its states, and so counts as if it were not there (message-search.md 1.3). */
export function unknownSearchEngine(env: NonNullable<LoadOptions['env']> = process.env): string | undefined {
  const word = searchEngineWord(env);
  return isEngineState(word) ? undefined : word;
}

/** SEARCH_ENGINE wins over `messages.engine`, in any case and with blanks around it. */
function searchEngineLayer(env: NonNullable<LoadOptions['env']>): Layer {
  const word = searchEngineWord(env);
  const values = word !== '' && isEngineState(word) ? { messages: { engine: word } } : {};
  return { values, sourceOf: () => ({ layer: 'environment', place: 'SEARCH_ENGINE' }) };
}

function searchEngineWord(env: NonNullable<LoadOptions['env']>): string {
  return (env['SEARCH_ENGINE'] ?? '').trim().toLowerCase();
}

function isEngineState(word: string): boolean {
  return ENGINE_STATES.some((state) => state === word);
}

/** The shipped file documents the defaults, so what it says is not called a source of its own. */
function shippedLayer(root: string): Layer {
  const file = path.join(root, 'config', 'writ.toml');
  const { values } = existsSync(file) ? parseToml(readFileSync(file, 'utf8'), file) : { values: {} };
  return { values, sourceOf: () => DEFAULT };
}

function ownFile(dataDir: string, cwd: string, configFile: string | undefined): string {
  return configFile === undefined ? path.join(dataDir, 'writ.toml') : path.resolve(cwd, configFile);
}

function ownFileLayer(dataDir: string, cwd: string, configFile: string | undefined): Layer {
  const file = ownFile(dataDir, cwd, configFile);
  if (configFile === undefined && !isNamed(file)) return { values: {}, sourceOf: () => DEFAULT };
  const { values, lines } = parseToml(readText(file), file);
  return { values, sourceOf: (key) => ({ layer: 'file', place: withLine(file, key, lines) }) };
}

/** A link that leads nowhere is a name, too: whoever made it has settings somewhere. */
function isNamed(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (saysAbsent(error)) return false;
    throw unreadable(file, error);
  }
}

const DEFAULT: Source = { layer: 'default', place: 'default' };

function readText(file: string): string {
  const bytes = readBytes(file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const line =
    bytes
      .toString('latin1')
      .split('\n')
      .findIndex((one) => !isUtf8(Buffer.from(one, 'latin1'))) + 1;
  throw new WritError('INVALID_CONFIG', `${file}:${line}: is not UTF-8`);
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new WritError('INVALID_CONFIG', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** The key's line, or the line of the nearest key around it. */
function withLine(file: string, key: string, lines: ReadonlyMap<string, number>): string {
  for (let name = key; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const line = lines.get(name);
    if (line !== undefined) return `${file}:${line}`;
  }
  return file;
}

/** Neither file tasks nor searches may reach keys and journal, so the data directory stays apart from what they work in. */
function dataDirectoryFaults({ file, tools }: Config, dataDir: string): Fault[] {
  const bases = Object.entries(file.base_directories).map(([id, directory]) => ({ key: `file.base_directories.${id}`, directory }));
  const roots = tools.sandbox.allowed_roots.map((directory) => ({ key: 'tools.sandbox.allowed_roots', directory }));
  const indexed = tools.search.index_roots.map((directory) => ({ key: 'tools.search.index_roots', directory }));
  return [...bases, ...roots, ...indexed]
    .filter(({ directory }) => isWithin(dataDir, directory) || isWithin(directory, dataDir))
    .map(({ key }) => ({ key, message: `must lie apart from the data directory ${dataDir}` }));
}

/** Every setting, and every entry of a table. */
function sourcesOfSettings(sources: ReadonlyMap<string, Source>): ReadonlyMap<string, Source> {
  const settings = settingsByKey();
  const own = [...settings.keys()].map((key) => [key, sources.get(key) ?? DEFAULT] as const);
  const entries = [...sources].filter(([key]) => settings.get(key.slice(0, key.lastIndexOf('.')))?.kind === 'table');
  return new Map([...own, ...entries]);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
