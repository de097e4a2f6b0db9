import { readFile, writeFile } from 'node:fs/promises';
import { packageRoot } from '../../../config/package.ts';
import type { Config } from '../../../config/schema.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import { type BoardVisitor, visitBoard } from '../../surfaces/cli/tour/board.ts';
import { runPlans } from '../../surfaces/cli/tour/run-plan.ts';
import { giveTour } from '../../surfaces/cli/tour/tour.ts';
import { openServices } from '../cli/services.ts';
import type { CliSettings } from '../cli/settings.ts';
import type { UpContext } from './context.ts';

/** A base directory, and which searches look into it. */
export interface Playground {
  readonly base: string;
  /** The scope of file names that is this directory. */
  readonly scope: string | undefined;
  /** Whether content searches start in it. */
  readonly searchesContents: boolean;
}

/** The directory of the first start where the settings name it, else the first that they name; `undefined`: none. */
export function playgroundOf({ file, search, tools }: Config, { workspace }: DataDirPaths): Playground | undefined {
  const bases = Object.values(file.base_directories);
  const base = bases.includes(workspace) ? workspace : bases[0];
  if (base === undefined) return undefined;
  const [scope] = Object.entries(search.scopes).find(([, found]) => found.kind === 'files' && found.path === base) ?? [];
  return { base, scope, searchesContents: tools.search.enabled && tools.sandbox.allowed_roots[0] === base };
}

/** Gives the tour there, through the surfaces that everybody has; whether it was as promised. */
export async function tour({ options, places }: UpContext, { loaded }: CliSettings, playground: Playground, say: (text: string) => void): Promise<boolean> {
  await using services = await openServices(options);
  const [tasks, kernel, signatures] = await Promise.all([services.tasks(), services.kernel(), services.signatures()]);
  const { cert_file: file } = loaded.config.http.tls;
  const certificate = file === '' ? undefined : await readFile(file, 'utf8');
  const { base, scope: searchScope, searchesContents } = playground;
  const board = () => boardOf(places, certificate);
  const passed = await giveTour(
    base,
    { packageRoot: packageRoot(), tasks, kernel, signatures, searchScope, searchesContents, runPlan: runPlans(services), board },
    say,
  );
  if (passed) await writeFile(places.tourGiven, '');
  return passed;
}

/** The API of this data directory, as its role has announced it. */
export async function apiUrl(places: DataDirPaths): Promise<string> {
  return (await readFile(places.apiUrl, 'utf8')).trim();
}

async function boardOf(places: DataDirPaths, certificate: string | undefined): Promise<BoardVisitor> {
  return visitBoard(await apiUrl(places), (await readFile(places.operatorKey, 'utf8')).trim(), certificate);
}
