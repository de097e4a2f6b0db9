import { z } from 'zod';
import { CapabilityDefinition, type RegistryCategory, ToolDefinition, UsecaseDefinition } from '../../contracts/index.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { jsonFilesIn, readRegistryFile, refusal } from './registry-file.ts';

/** A definition by its `id`, with the file that it came from. */
export type Definitions = ReadonlyMap<string, { readonly definition: JsonObject; readonly file: string }>;

/** Everything that one directory defines. */
export type RegistryRoot = Readonly<Record<RegistryCategory, Definitions>>;

const TOOLS_FILE = 'registries/tools.json';
const TOOLS_FOLDER = 'config/tools';

/** A tool as the catalog lists it: where its definition lies; whatever else it says must be what the definition says. */
const CatalogEntry = z.strictObject({ ...ToolDefinition.partial().shape, id: ToolDefinition.shape.id, path: z.string().min(1) });
const Catalog = z.array(CatalogEntry);

/**
 * Reads `registries/tools.json` with the files that it points to, `config/capabilities/*.json` and `config/use-cases/*.json`
 * of one directory; what is not there defines nothing.
 *
 * @throws WritError INVALID_CONFIG naming the file and, where one is at fault, the field
 */
export function readRegistryRoot(root: string): RegistryRoot {
  return {
    tools: readTools(root),
    capabilities: readFolder(root, 'config/capabilities', CapabilityDefinition),
    usecases: readFolder(root, 'config/use-cases', UsecaseDefinition),
  };
}

function readTools(root: string): Definitions {
  const tools = new Map<string, { definition: JsonObject; file: string }>();
  if (!jsonFilesIn(root, 'registries').includes(TOOLS_FILE)) return tools;
  const catalog = checked(Catalog, readRegistryFile(root, TOOLS_FILE), TOOLS_FILE);
  for (const [at, entry] of catalog.entries()) {
    const by = `${TOOLS_FILE}, ${at}.path`;
    if (!entry.path.startsWith(`${TOOLS_FOLDER}/`) || !entry.path.endsWith('.tool.json')) {
      throw refusal(TOOLS_FILE, `must name a file ${TOOLS_FOLDER}/<id>.tool.json, not ${JSON.stringify(entry.path)}`, undefined, `${at}.path`);
    }
    const definition = readDefinition(root, entry.path, ToolDefinition, by);
    assertSame(entry, definition, at);
    add(tools, definition, entry.path);
  }
  return tools;
}

/** Two texts of one tool that differ would let a person read one and a plan run the other. */
function assertSame({ path, ...entry }: z.infer<typeof CatalogEntry>, definition: JsonObject, at: number): void {
  for (const [name, value] of Object.entries(entry)) {
    const other = definition[name];
    if (other !== undefined && canonicalJson(value) === canonicalJson(other)) continue;
    throw refusal(TOOLS_FILE, `differs from what ${path} says`, undefined, `${at}.${name}`);
  }
}

function readFolder(root: string, folder: string, schema: z.ZodType): Definitions {
  const found = new Map<string, { definition: JsonObject; file: string }>();
  for (const file of jsonFilesIn(root, folder)) add(found, readDefinition(root, file, schema), file);
  return found;
}

function readDefinition(root: string, file: string, schema: z.ZodType, by?: string): JsonObject {
  const value = readRegistryFile(root, file, by);
  checked(schema, value, file);
  // As it was written: a schema that fills in defaults must not change what is hashed.
  return value as JsonObject;
}

function checked<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []).map(String), ...unknown].join('.');
  throw refusal(file, unknown.length > 0 ? 'is not known here' : (issue?.message ?? 'is invalid'), undefined, field);
}

function add(to: Map<string, { definition: JsonObject; file: string }>, definition: JsonObject, file: string): void {
  const id = String(definition['id']);
  const before = to.get(id);
  if (before) throw refusal(file, `${JSON.stringify(id)} is defined by ${before.file} already`, undefined, 'id');
  to.set(id, { definition, file });
}
